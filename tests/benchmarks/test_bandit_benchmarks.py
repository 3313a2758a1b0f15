"""The benchmarks of Bandit run, in small, and say what they should."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]


def ran(script, tmp_path, *given, name=None):
    command = [sys.executable, ROOT / "benchmarks" / f"{script}.py", "--out", tmp_path, *given]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return json.loads((tmp_path / f"{name or script}.json").read_text())["rows"]


def test_what_a_decision_costs(tmp_path):
    rows = ran("bandit", tmp_path, "--share", "0.01")
    assert len(rows) == 6
    assert all(row["µs"] > 0 for row in rows)


def test_forgetting_pays_where_the_world_drifts(tmp_path):
    rows = ran("drift", tmp_path, "--rounds", "1000", "--seeds", "2")
    gain = {
        (row["policy"], row["world"], row["forgetting"]): float(row["against none"].split()[0])
        for row in rows
    }
    assert gain["wb", "drifting", "half-life 250"] > 0.02
    assert gain["wb", "still", "half-life 1,000"] > -0.05


def test_decisions_follow_propensities(tmp_path):
    few = "--decisions", "1000", "--workers", "1", "--policies", "wb,eg,ts-lin"
    rows = ran("propensities", tmp_path, *few)
    assert [row["policy"] for row in rows] == ["wb", "eg", "ts-lin"]
    assert all(row["fails"] == "no" and abs(row["IPS z"]) < 5 for row in rows)
    assert all(0 < row["smallest"] < row["largest"] < 1 for row in rows)


def test_weights_add_up(tmp_path):
    few = "--decisions", "600", "--workers", "1", "--policies", "wb-poisson,eg", "--repeats", "2"
    rows = ran("propensities", tmp_path, *few, name="propensities-weights")
    assert [row["weights"] for row in rows] == ["geometric", "exact"]
    assert all(row["fails"] == "no" and abs(row["IPS z"]) < 5 for row in rows)


def test_floors_cost_little_and_make_weights_smaller(tmp_path):
    few = "--logs", "4", "--earning", "4", "--decisions", "300", "--floors", "0.001,0.1"
    rows = ran("floors", tmp_path, *few)
    assert [row["weights"] for row in rows] == 2 * ["exact", "geometric", "shares"]
    assert all(0 < row["error"] < 1 and row["draws"] < 32 for row in rows)
    assert len({row["error"] for row in rows}) == len(rows)  # weights are found in three ways
    assert rows[3]["largest weight"] <= 50


def test_choices_that_do_not_follow_propensities_are_noticed(monkeypatch):
    """An arm that is chosen 0.02 too often, among 10⁵ decisions."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from propensities import compared

    rng, reported = np.random.default_rng(1), np.tile([0.5, 0.3, 0.2], (100_000, 1))
    honest = compared(rng.choice(3, 100_000, p=[0.5, 0.3, 0.2]), reported, 1e-4)
    shifted = compared(rng.choice(3, 100_000, p=[0.52, 0.28, 0.2]), reported, 1e-4)
    assert (honest["fails"], shifted["fails"]) == ("no", "yes")
    assert honest["notices"] < 0.01


def test_rows_of_the_same_settings_stay(tmp_path, monkeypatch):
    """So that one policy at a time can be measured."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from output import rows_of, write

    settings = {"decisions": 10, "policies": "wb", "out": tmp_path}
    write(tmp_path, "kept", settings, [{"policy": "wb"}], "note")
    again = settings | {"policies": "ts"}
    assert rows_of(tmp_path, "kept", again, but=["policies"]) == [{"policy": "wb"}]
    assert rows_of(tmp_path, "kept", again | {"decisions": 11}, but=["policies"]) == []
    assert rows_of(tmp_path, "other", again, but=["policies"]) == []


def test_known_probabilities_are_those_of_draws_and_of_quadrature(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from exact import compared

    rows = [compared(name, 20_000) for name in ("wb", "npb", "npts", "giro")]
    assert all(row["in standard errors"] < 4 for row in rows)
    assert all(float(row["from quadrature"]) < 1e-6 for row in rows[:2])
    assert compared("besa", 100) is None
    assert compared("online-bootstrap", 100) is None  # each run has probabilities of its own


def test_a_version_beside_itself(tmp_path):
    (row,) = ran("before", tmp_path, "--other", ROOT / "src", "--policies", "eg")
    assert row["policy"] == "eg"
    assert row["here µs"] > 0
    assert row["load here ms"] > 0

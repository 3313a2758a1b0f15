"""A table played by policies: the ranking, what is recommended, and the files."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy.stats import t as student

from bandstrap import Bandit, LinUCB, compare
from bandstrap.comparison.advice import advice
from bandstrap.comparison.ranking import Gap, Interval, Standing, gap, ranked
from bandstrap.environments import ClassPayoffs, GivenPayoffs, OwnTable
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.simulation import Trace, simulate
from bandstrap.testing import check_environment

FAST = ("eg-lin", "ts-laplace", "ucb-lin-fixed")


def trace(policy, finals, seconds=1.0, rounds=10):
    """Runs that earned so much in all."""
    reward = np.array(finals, dtype=float)[:, None] * [0.5, 1.0]
    rounds = np.array([rounds // 2, rounds])
    return Trace("e", "t", policy, rounds, rounds - reward, reward, np.array([0.0, seconds]))


def shop(rows=300, seed=0):
    """Customers with categories and gaps; what they buy depends on both columns."""
    rng = np.random.default_rng(seed)
    age, city = rng.integers(18, 80, rows).astype(float), rng.choice(["Oslo", "Rome", "Lima"], rows)
    bought = np.where(age > 50, "tea", np.where(city == "Rome", "coffee", "milk"))
    return pd.DataFrame(
        {
            "age": np.where(rng.random(rows) < 0.1, np.nan, age),
            "city": np.where(rng.random(rows) < 0.1, None, city),
            "bought": bought,
        }
    )


def test_intervals_and_pairing_by_hand():
    one, other = trace("a", [4, 6, 8]), trace("b", [3.0, 5.5, 6.5])
    reward = ranked([other, one])[0].reward
    half = student.ppf(0.975, 2) * 0.2 / np.sqrt(3)
    assert (reward.mean, reward.low, reward.high) == pytest.approx((0.6, 0.6 - half, 0.6 + half))
    paired = gap(one, other)
    assert paired.difference.mean == pytest.approx(0.1)
    spread = np.std([0.1, 0.05, 0.15], ddof=1) / np.sqrt(3) * student.ppf(0.975, 2)
    assert paired.difference.low == pytest.approx(0.1 - spread)
    assert not paired.real
    # Intervals that overlap by far, and yet a difference in every run.
    assert gap(trace("a", [1, 5, 9]), trace("b", [0.9, 4.89, 8.9])).real


def test_ranking_is_best_first_with_costs_and_ties():
    traces = [trace("b", [1, 2, 1]), trace("a", [7, 8, 7], 3e-3), trace("c", [7, 7.9, 7.2])]
    places = ranked(traces)
    assert [(s.place, s.policy, s.tied) for s in places] == [
        (1, "c", True), (2, "a", True), (3, "b", False),
    ]  # fmt: skip
    assert places[1].cost == pytest.approx(100.0)  # 3 ms over 10 rounds of 3 runs
    alone = ranked([trace("a", [4])])[0].reward
    assert not alone.known
    assert str(alone) == "0.4"


def standing(place, policy, mean, cost, behind):
    interval = Interval(mean, mean - 0.1, mean + 0.1)
    return Standing(place, policy, interval, cost, Interval(sum(behind) / 2, *behind))


def test_advice_is_the_best_or_the_much_cheaper_of_equals():
    first = standing(1, "a", 0.9, 900.0, (0, 0))
    second = standing(2, "b", 0.89, 500.0, (-0.03, 0.05))
    third = standing(3, "c", 0.88, 100.0, (-0.02, 0.06))
    fourth = standing(4, "d", 0.87, 1.0, (0.01, 0.05))
    ranking = (first, second, third, fourth)
    clear = Gap("a", "b", Interval(0.1, 0.05, 0.15))
    assert advice(ranking, clear, 0.2).policy == "a"
    open_ = Gap("a", "b", second.behind)
    found = advice((first, second), open_, 0.2)
    assert found.policy == "a"  # 500 is not much less than 900
    assert "b may be as good and cost no less than half" in found.sentence
    found = advice(ranking, open_, 0.2)
    assert found.policy == "c"
    assert "a earned 0.9 at 900 µs, which is 0.06 more at best, and may" in found.sentence
    assert "None earns more" in advice(ranking, clear, 0.95).sentence
    assert advice((first,), None, 0.2).policy == "a"


def test_too_few_runs_to_tell_are_no_reason_to_prefer_the_cheaper():
    first = standing(1, "a", 0.834, 1000.0, (0, 0))
    cheap = standing(2, "b", 0.79, 100.0, (-0.2, 0.3))
    found = advice((first, cheap), Gap("a", "b", cheap.behind), 0.5)
    assert found.policy == "a"
    assert "b may be as good, which more --runs would tell" in found.sentence
    # A loss of a tenth of what the first earns above the best arm is the most.
    for loss, chosen in ((0.033, "b"), (0.034, "a")):
        cheap = standing(2, "b", 0.79, 100.0, (-0.01, loss))
        assert advice((first, cheap), Gap("a", "b", cheap.behind), 0.5).policy == chosen


def test_advice_says_where_one_might_as_well_not_look_at_rows():
    first = standing(1, "a", 0.9, 900.0, (0, 0))
    second = standing(2, "b", 0.88, 5.0, (-0.01, 0.014))
    clear, open_ = (Gap("a", "b", Interval(0.1, low, 0.2)) for low in (0.05, -0.05))
    assert "not beyond chance more than always" in advice((first, second), clear, 0.85).sentence
    assert "beyond chance more" not in advice((first, second), clear, 0.75).sentence
    # The cheaper of equals, but not if it may earn less than the best arm does by itself.
    assert advice((first, second), open_, 0.75).policy == "b"
    found = advice((first, second), open_, 0.79)
    assert found.policy == "a"
    assert "no other that may be as good earns more than the best arm beyond" in found.sentence


def test_tables_of_ones_own_are_environments():
    rng = np.random.default_rng(0)
    contexts = rng.standard_normal((40, 3)).astype(np.float32)
    labels, rewards = rng.integers(0, 3, 40), rng.random((40, 2))
    labelled = OwnTable("mine", contexts, ClassPayoffs(labels, 3))
    paid = OwnTable("mine", contexts, GivenPayoffs(rewards))
    check_environment(labelled)
    check_environment(paid)
    assert labelled.problem.support.values == (0.0, 1.0)
    assert repr(labelled) != repr(paid)
    other = rewards.copy()
    other[7, 1] += 1e-9
    assert repr(OwnTable("mine", contexts, GivenPayoffs(other))) != repr(paid)
    assert repr(OwnTable("mine", contexts, GivenPayoffs(rewards))) == repr(paid)
    with pytest.raises(InvalidInput):
        GivenPayoffs(rewards + 0.5)
    whole = simulate(LinUCB(), paid, horizon=40, runs=2)  # every row once
    assert whole.regret[:, -1] + whole.reward[:, -1] == pytest.approx(rewards.max(axis=1).sum())


def test_full_information_is_told_in_the_units_of_the_table():
    rng = np.random.default_rng(1)
    x = rng.standard_normal(200)
    euros = {"cheap": 5 + x, "dear": 5 + 30 * (x > 0) - 20 * (x < 0)}
    found = compare(
        pd.DataFrame({"x": x, **euros}),
        rewards=["cheap", "dear"],
        policies=FAST,
        rounds=200,
        runs=2,
    )
    best = np.maximum(euros["cheap"], euros["dear"]).sum()
    for each in found.traces:  # every row once
        assert each.regret[:, -1] + each.reward[:, -1] == pytest.approx(best)
    assert found.ranking[0].reward.mean > max(found.baselines.values())
    assert found.baselines["any arm at random"] == pytest.approx(
        np.mean([euros["cheap"].mean(), euros["dear"].mean()])
    )
    assert any("results are in your units" in line for line in found.decisions)


def test_what_is_recommended_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = compare(shop(), label="bought", policies=FAST, rounds=150, runs=2, out="out")
    assert {s.policy for s in found.ranking} == set(FAST)
    assert found.recommended in FAST
    assert "bandit.learn(decision" in found.code
    space = {}
    exec(found.code, space)
    assert isinstance(space["bandit"], Bandit)
    assert space["bandit"].rewards_learnt == 1
    assert set(space["bandit"].arms) == {"tea", "coffee", "milk"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "results.parquet", "timings.parquet", "plot.png", "ranking.json", "encoder.json",
        "batches",
    }  # fmt: skip
    results = pq.read_table("out/results.parquet")
    assert results.column_names[:3] == ["experiment", "environment", "policy"]
    stored = json.loads((tmp_path / "out/ranking.json").read_text())
    assert stored["ranking"][0]["policy"] == found.ranking[0].policy
    before = (tmp_path / "out/results.parquet").stat().st_mtime_ns
    again = compare(shop(), label="bought", policies=FAST, rounds=150, runs=2, out="out")
    assert (tmp_path / "out/results.parquet").stat().st_mtime_ns == before
    assert again.ranking == found.ranking
    other = compare(shop(seed=1), label="bought", policies=FAST, rounds=150, runs=2, out="out")
    assert other.ranking != found.ranking


def test_every_usual_policy_has_code_that_runs(tmp_path, monkeypatch):
    from bandstrap.comparison.candidates import USUAL, Asked
    from bandstrap.comparison.payment import Label
    from bandstrap.comparison.snippet import snippet
    from bandstrap.comparison.table import prepare

    monkeypatch.chdir(tmp_path)
    prepared = prepare(shop(), Label("bought"))
    prepared.encoder.save("encoder.json")
    for name, policy in Asked().candidates(USUAL).items():
        space = {}
        exec(snippet(policy, prepared.payment, "encoder.json"), space)
        assert repr(space["bandit"].policy) == repr(policy), name


OWN = """
from dataclasses import dataclass
from bandstrap import LinUCB, OnlineLogistic, Replicas


@dataclass(frozen=True)
class Mine(LinUCB):
    penalty: float = 2.0


def Small():
    return Replicas(OnlineLogistic(), count=3)
"""


def test_the_command_with_a_policy_and_a_model_of_ones_own(tmp_path):
    (tmp_path / "own_of_test.py").write_text(OWN)
    shop().to_csv(tmp_path / "shop.csv", index=False)
    command = [
        sys.executable, "-m", "bandstrap", "compare", "shop.csv", "--label", "bought",
        "--policies", "wb", "--models", "log-replicas", "--policy", "own_of_test:Mine",
        "--rounds", "120", "--runs", "2", "--workers", "2", "--out", "out", "--json",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=200)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {each["policy"] for each in answer["ranking"]} == {"wb-log-replicas", "mine"}
    assert (tmp_path / "out" / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_models_of_ones_own_meet_every_way_to_explore(tmp_path, monkeypatch):
    from bandstrap.comparison.candidates import Asked

    (tmp_path / "own_models_of_test.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    names = Asked(own_models=("own_models_of_test:Small",)).candidates(("eg-lin",))
    assert [*names] == ["eg-lin", "eg-replicas", "npb-replicas", "wb-replicas"]
    assert [*Asked(("wb", "ts-lin")).candidates(())] == ["wb", "ts-lin"]
    assert [*Asked(("wb",), ("lin", "log")).candidates(())] == ["wb-lin", "wb-log"]
    assert [*Asked(("wb", "eg-lin"), ("log",)).candidates(())] == ["wb-log", "eg-lin"]
    for wrong in (("wbb",), ("besa",)):  # besa is a policy, though of no model
        with pytest.raises(UnknownName, match=f"{wrong[0]}-log"):
            Asked(wrong, ("log",)).candidates(())
    with pytest.raises(UnknownName, match="model 'lgo': did you mean 'log'"):
        Asked((), ("lgo",)).candidates(())
    assert "ucb-lin" in Asked((), ("lin",)).candidates(())


def test_installed_packages_take_part_by_entry_points(monkeypatch):
    from importlib.metadata import EntryPoint

    from bandstrap.comparison import candidates, offers

    offered = {
        "bandstrap.policies": "bandstrap:LinUCB",
        "bandstrap.models": "bandstrap:DecisionTree",
    }
    monkeypatch.setattr(
        offers, "entry_points", lambda group: [EntryPoint("other", offered[group], group)]
    )
    names = candidates.Asked().candidates(("eg-lin",))
    assert [*names] == ["eg-lin", "other", "eg-other", "npb-other", "wb-other"]
    assert names["other"] == LinUCB()
    assert [*candidates.Asked(("wb",)).candidates(())] == ["wb"]
    assert [*candidates.Asked(("wb",), ("other",)).candidates(())] == ["wb-other"]

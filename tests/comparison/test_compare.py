"""A table played by policies: the ranking, what is recommended, and the files."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from shops import shop

from bandstrap import Bandit, compare

FAST = ("eg-lin", "ts-laplace", "ucb-lin-fixed")


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
    space = {}
    exec(found.code, space)
    assert isinstance(space["bandit"], Bandit)
    assert space["bandit"].rewards_learnt in (150 * 3 + 1, 300 + 1)  # told all, or rehearsed
    assert set(space["bandit"].arms) == {"tea", "coffee", "milk"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "results.parquet", "timings.parquet", "costs.json", "plot.png", "ranking.json",
        "encoder.json", "warm_start.parquet", "batches", space["state"].name,
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


OWN = """
from dataclasses import dataclass
from bandstrap import LinUCB


@dataclass(frozen=True)
class Mine(LinUCB):
    penalty: float = 2.0
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

"""`benchmarks/solved.py` in small: what it says of solved draws and of others."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("solved")


@pytest.mark.parametrize("mode", ["wb-log", "npb-log"])
def test_draws_reach_their_tolerance_and_a_loose_one_is_told_apart(solved: Any, mode: str) -> None:
    world = solved.World("digits", seed=0)
    rows = solved.gaps(world, mode, 200, [1e-10, 1e-3], seconds=60)
    assert [row["tolerance"] for row in rows] == ["0.001", "1e-10"]
    assert all(row["solved"] for row in rows)
    assert float(rows[0]["gap"]) > 1e-6 > 1e-10 > float(rows[1]["gap"]) > -1e-13


def test_the_reference_is_the_least_and_the_weights_are_the_same(solved: Any) -> None:
    world = solved.World("digits", seed=0)
    problems = []
    for tolerance in (1e-3, 1e-10):
        learner = solved.one_arm(world, "wb-log", 200, tolerance)
        assert solved.drawn(learner, world.x[200], 60)[0]
        problems.append(solved.Weighted.of(learner.arms[0]))
    np.testing.assert_array_equal(problems[0].weight, problems[1].weight)
    theta, rng = problems[0].reference(), np.random.default_rng(0)
    around = [problems[0].objective(theta + 1e-3 * rng.normal(size=theta.size)) for _ in range(9)]
    assert problems[0].objective(theta) < min(around)


def test_what_takes_too_long_is_not_solved(solved: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world = solved.World("digits", seed=0)

    def never(*_: Any) -> None:
        while True:
            pass

    learner = solved.one_arm(world, "wb-log", 100, 1e-6)
    monkeypatch.setattr(learner, "margins", never)
    in_time, spent = solved.drawn(learner, world.x[0], 0.05)
    assert not in_time
    assert spent < 10


def test_contenders_that_would_not_do_are_counted(solved: Any, monkeypatch: Any) -> None:
    world = solved.World("digits", seed=0)
    assert solved.agreement(world, "wb-log", 50, 20, seconds=60)["same"] == 20
    learner = world.taught("wb-log", 50)
    monkeypatch.setattr(learner, "best", lambda *_: 3)
    monkeypatch.setattr(world, "taught", lambda *_: learner)
    row = solved.agreement(world, "wb-log", 50, 20, seconds=60)
    assert row["same"] < 20
    assert not row["agrees"]

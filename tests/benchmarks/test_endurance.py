"""The reduced form of `benchmarks/endurance.py`: the same checks after fewer updates."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
LEARNERS = (
    *("LinUCB", "GLM-UCB", "LinThompson", "LaplaceThompson"),
    *("AdditiveLearner", "GaussianLimit", "Replicas"),
)


@pytest.fixture
def endurance(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("endurance")


@pytest.mark.parametrize("stream", ["copies", "scales", "drift"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_what_is_kept_up_is_what_the_whole_history_says(
    endurance: Any, learner: str, stream: str
) -> None:
    assert set(LEARNERS) == set(endurance.CASES)
    row = endurance.endure(learner, stream, rounds=1500)
    assert row["holds"], row


def test_a_drift_would_be_noticed(endurance: Any) -> None:
    case = endurance.CASES["LinUCB"]
    moments = endurance.fresh.ridge(*endurance.history("scales", 500, 0), endurance.np.ones((3, 5)))
    scores = case.fixed(moments, 500)[None]
    assert endurance.errors(case, scores, moments, 500)[0] == 0.0
    assert endurance.errors(case, scores * (1 + 1e-5), moments, 500)[0] > case.mean


@pytest.mark.parametrize("stream", ["copies", "scales"])
def test_replicas_that_learnt_something_else_would_be_noticed(
    endurance: Any, stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = endurance.CASES["Replicas"]
    other = replace(case, reference=lambda x, y, probes: case.reference(x, 1.0 - y, probes))
    monkeypatch.setitem(endurance.CASES, "Replicas", other)
    assert not endurance.endure("Replicas", stream, 1500)["holds"]

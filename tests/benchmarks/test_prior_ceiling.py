"""The study of priors learns what it says it does."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


class Remembers:
    """Chooses arm 0 and notes what it is taught."""

    def __init__(self) -> None:
        self.taught: list[tuple[float, int, float]] = []

    def start(self, problem: Any) -> None:
        return None

    def select(self, state: None, contexts: np.ndarray, rng: Any) -> np.ndarray:
        return np.zeros(1, dtype=np.int64)

    def update(
        self, state: None, contexts: np.ndarray, arms: np.ndarray, rewards: np.ndarray, rng: Any
    ) -> None:
        self.taught.append((float(contexts[0, 0]), int(arms[0]), float(rewards[0])))


@pytest.mark.parametrize("told", [False, True])
def test_told_is_every_arm_and_played_the_chosen_one(
    told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    priors, streams = import_module("prior_ceiling"), import_module("streams")
    rows = streams.Stream(np.array([[5.0], [7.0]]), np.array([1, 0]), 2, np.eye(1))
    policy = Remembers()
    assert priors.played(policy, rows, 0, told) == 0.5
    every = [(5.0, 0, 0.0), (5.0, 1, 1.0), (7.0, 0, 1.0), (7.0, 1, 0.0)]
    assert policy.taught == (every if told else every[::2])


def test_the_last_row_is_what_each_earns_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    priors = import_module("prior_ceiling")
    rows = [
        dict.fromkeys(priors.players(), reward) | {"data": "a", priors.PAPER: 0.5}
        for reward in (1.0, 3.0)
    ]
    mean, more = priors.over_all(rows)
    assert (mean["data"], mean["greedy"], more["greedy"]) == ("mean of 2", 2.0, 1.5)

"""Curves over rounds: means over runs with their standard errors, from traces."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array
from bandstrap.experiments.runtime.experiment import seconds_per_round
from bandstrap.simulation import Trace


@dataclass(frozen=True)
class Measure:
    """What a chart can show of its curves; before round `start` it is mostly noise."""

    key: str
    label: str
    best: str  # "low" or "high"
    start: int = 1


REGRET = Measure("regret", "Regret", "low")
REWARD = Measure("reward", "Reward per step", "high", start=20)


@dataclass(frozen=True)
class Estimate:
    """A mean at each recorded round, with its standard error; NaN from a single run."""

    mean: Array
    error: Array

    @classmethod
    def of(cls, runs: Array) -> "Estimate":
        """From the values of each run, (runs, points)."""
        count, points = runs.shape
        if count < 2:
            return cls(runs.mean(axis=0), np.full(points, np.nan))
        return cls(runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(count))


@dataclass(frozen=True)
class Curve:
    """One policy in one environment; `cost` is in CPU seconds per decision."""

    experiment: str
    environment: str
    policy: str
    runs: int
    rounds: Array
    estimates: dict[str, Estimate]
    cost: float

    @classmethod
    def of(cls, trace: Trace) -> "Curve":
        """Regret, and reward per step, of a simulation."""
        estimates = {
            REGRET.key: Estimate.of(trace.regret),
            REWARD.key: Estimate.of(trace.reward / trace.rounds),
        }
        cost = seconds_per_round(trace, int(trace.rounds[-1]))
        names = (trace.experiment, trace.environment, trace.policy)
        return cls(*names, trace.runs, trace.rounds, estimates, cost)

    @property
    def key(self) -> tuple[str, str, str]:
        return self.experiment, self.environment, self.policy

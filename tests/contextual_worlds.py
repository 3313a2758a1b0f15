"""A small model for tests of contextual runs, and the runs that a test kills."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bandstrap.environments import Labelled
from bandstrap.models import WeightedModel
from bandstrap.policies import ContextualBootstrap, ContextualEpsilonGreedy, ForcedPulls
from bandstrap.priors import EigenExamples, NoExamples
from bandstrap.resampling import Exponential
from bandstrap.simulation import Cell, Runner
from bandstrap.simulation.store.checkpoint import Checkpoint

PAUSE = "BANDSTRAP_TEST_PAUSE"  # seconds that a fit sleeps


@dataclass(frozen=True)
class Line:
    """What a fit of `Ridge` is."""

    slope: np.ndarray
    fits: int


@dataclass(frozen=True)
class Ridge(WeightedModel[Line]):
    """Weighted least squares on a few features, half way from the last fit to the solution."""

    features: int = 12

    def fit(self, contexts, rewards, weights, start, rng):
        time.sleep(float(os.environ.get(PAUSE, "0")))
        some = contexts[:, 20 : 20 + self.features].astype(np.float64)
        matrix = (some * weights[:, None]).T @ some + np.eye(self.features)
        slope = np.linalg.solve(matrix, some.T @ (weights * rewards))
        if start is None:
            return Line(slope, 1)
        return Line((slope + start.slope) / 2, start.fits + 1)

    def predict(self, fit, contexts):
        return contexts[:, 20 : 20 + self.features] @ fit.slope


DIGITS = Labelled("digits")
POLICIES = {
    "eg": ContextualEpsilonGreedy(Ridge()),
    "wb": ContextualBootstrap(Exponential(), Ridge(), EigenExamples()),
    "forced": ForcedPulls(5, ContextualBootstrap(Exponential(), Ridge(), NoExamples())),
}


def cells(horizon=120, runs=2):
    return [
        Cell("test", "digits", name, DIGITS, policy, horizon, runs)
        for name, policy in POLICIES.items()
    ]


def play(folder, workers, save_every):
    """Play the cells and keep what is played."""
    Runner(4, workers, Checkpoint(Path(folder)), save_every=save_every).run(cells())

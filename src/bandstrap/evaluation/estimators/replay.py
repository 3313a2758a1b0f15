"""Replay: the mean reward where the target agrees with the log."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.base import Estimator, quotient, quotient_gradient
from bandstrap.evaluation.sample import Sample

__all__ = ["Replay"]


@dataclass(frozen=True)
class Replay(Estimator):
    """Σ π r / Σ π: for a target without chance, the mean reward of decisions that it shares.

    Right for logs of uniformly random arms (Li et al., 2011), where it is rejection sampling in
    expectation. It looks at no propensities.

    >>> sample = Sample(np.array([1.0, 0.0, 1.0]), np.full(3, 2.0), np.array([1.0, 1.0, 0.0]))
    >>> float(Replay().of(sample))
    0.5
    """

    name = "replay"
    assumes = "The log chose among all arms uniformly at random."
    needs_propensities = False

    def columns(self, sample: Sample) -> Array:
        return np.stack([sample.target * sample.rewards, sample.target], axis=-1)

    def combine(self, means: Array) -> Array:
        return quotient(means[..., 0], means[..., 1])

    def gradient(self, means: Array) -> Array:
        return np.stack(quotient_gradient(means[..., 0], means[..., 1]), axis=-1)

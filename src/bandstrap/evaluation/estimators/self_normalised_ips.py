"""Self-normalised inverse propensity scoring."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.base import Estimator, quotient, quotient_gradient
from bandstrap.evaluation.sample import Sample

__all__ = ["SelfNormalisedIPS"]


@dataclass(frozen=True)
class SelfNormalisedIPS(Estimator):
    """Σ w r / Σ w (Swaminathan, Joachims, 2015): stays within the rewards that were seen.

    >>> sample = Sample(np.array([1.0, 0.0]), np.array([2.0, 6.0]), np.array([0.5, 0.5]))
    >>> float(SelfNormalisedIPS().of(sample))
    0.25
    """

    name = "snips"
    assumes = "Propensities are right up to a factor; its bias goes as 1 / decisions."

    def columns(self, sample: Sample) -> Array:
        return np.stack([sample.ratios * sample.rewards, sample.ratios], axis=-1)

    def combine(self, means: Array) -> Array:
        return quotient(means[..., 0], means[..., 1])

    def gradient(self, means: Array) -> Array:
        return np.stack(quotient_gradient(means[..., 0], means[..., 1]), axis=-1)

"""Doubly robust, with self-normalised ratios."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.base import (
    Estimator,
    model_of,
    quotient,
    quotient_gradient,
)
from bandstrap.evaluation.sample import Sample

__all__ = ["SelfNormalisedDR"]


@dataclass(frozen=True)
class SelfNormalisedDR(Estimator):
    """The mean of Σ π(a) q̂(a), plus Σ w (r - q̂) / Σ w.

    >>> half = np.full(2, 0.5)
    >>> sample = Sample(np.ones(2), np.array([2.0, 6.0]), half, fitted=half, baseline=half)
    >>> float(SelfNormalisedDR().of(sample))
    1.0
    """

    name = "sndr"
    assumes = "Propensities are right up to a factor, or the model of rewards is right."
    needs_model = True

    def columns(self, sample: Sample) -> Array:
        fitted, baseline = model_of(sample)
        ratios = sample.ratios
        return np.stack([baseline, ratios * (sample.rewards - fitted), ratios], axis=-1)

    def combine(self, means: Array) -> Array:
        combined: Array = means[..., 0] + quotient(means[..., 1], means[..., 2])
        return combined

    def gradient(self, means: Array) -> Array:
        by_top, by_bottom = quotient_gradient(means[..., 1], means[..., 2])
        return np.stack([np.ones_like(by_top), by_top, by_bottom], axis=-1)

"""Doubly robust: a model, and inverse propensities for what it gets wrong."""

from dataclasses import dataclass

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.base import Estimator, model_of
from bandstrap.evaluation.sample import Sample

__all__ = ["DoublyRobust"]


@dataclass(frozen=True)
class DoublyRobust(Estimator):
    """The mean of Σ π(a) q̂(a) + w (r - q̂) (Dudík, Langford, Li, 2011).

    Without bias whatever the model, if propensities are right and the model has not seen the row.

    >>> import numpy as np
    >>> half = np.full(2, 0.5)
    >>> sample = Sample(np.array([1.0, 0.0]), np.full(2, 2.0), half, fitted=half, baseline=half)
    >>> float(DoublyRobust().of(sample))
    0.5
    """

    name = "dr"
    assumes = "Propensities are right, or the model of rewards is; a good model narrows it."
    needs_model = True

    def columns(self, sample: Sample) -> Array:
        fitted, baseline = model_of(sample)
        columns: Array = baseline + self.shrunk(sample.ratios) * (sample.rewards - fitted)
        return columns[:, None]

    def shrunk(self, ratios: Array) -> Array:
        """The ratios that corrections are weighted by."""
        return ratios

"""Inverse propensity scoring."""

from dataclasses import dataclass

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.base import Estimator
from bandstrap.evaluation.sample import Sample

__all__ = ["IPS"]


@dataclass(frozen=True)
class IPS(Estimator):
    """The mean of w r, where w = π / propensity: without bias, and wide where w is large.

    >>> import numpy as np
    >>> sample = Sample(np.array([1.0, 0.0]), np.array([2.0, 4.0]), np.array([0.5, 1.0]))
    >>> float(IPS().of(sample))
    0.5
    """

    name = "ips"
    assumes = "Propensities are right, and none is 0 where the target may choose."

    def columns(self, sample: Sample) -> Array:
        columns: Array = (self.shrunk(sample.ratios) * sample.rewards)[:, None]
        return columns

    def shrunk(self, ratios: Array) -> Array:
        """The ratios that rewards are weighted by."""
        return ratios

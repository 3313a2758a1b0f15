"""Inverse propensity scoring with clipped ratios."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.ips import IPS
from bandstrap.validation import require_positive

__all__ = ["ClippedIPS"]


@dataclass(frozen=True)
class ClippedIPS(IPS):
    """The mean of min(w, most) r: rewards that large ratios would multiply count less.

    >>> from bandstrap.evaluation.sample import Sample
    >>> sample = Sample(np.array([1.0, 0.0]), np.array([50.0, 2.0]), np.ones(2))
    >>> float(ClippedIPS(most=10).of(sample))
    5.0
    """

    most: float = 10.0

    name = "clipped-ips"
    assumes = "Propensities are right, and rewards are at least 0: then it is too low, if anything."

    def __post_init__(self) -> None:
        require_positive(most=self.most)

    def shrunk(self, ratios: Array) -> Array:
        shrunk: Array = np.minimum(ratios, self.most)
        return shrunk

"""Doubly robust with optimistic shrinkage of ratios."""

from dataclasses import dataclass

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.doubly_robust import DoublyRobust
from bandstrap.validation import require_number

__all__ = ["OptimisticShrinkageDR"]

MOST = 1e100  # squares of ratios plus this are finite


@dataclass(frozen=True)
class OptimisticShrinkageDR(DoublyRobust):
    """Weighs corrections by λ w / (w² + λ) (Su et al., 2020): DM at λ = 0, DR as λ goes to ∞.

    >>> import numpy as np
    >>> from bandstrap.evaluation.sample import Sample
    >>> half = np.full(2, 0.5)
    >>> sample = Sample(np.ones(2), np.array([2.0, 6.0]), half, fitted=half, baseline=half)
    >>> float(OptimisticShrinkageDR(penalty=3).of(sample))
    0.875
    """

    penalty: float = 100.0

    name = "dr-os"
    assumes = "The model of rewards is right where ratios are large; propensities are elsewhere."

    def __post_init__(self) -> None:
        require_number(0, MOST, penalty=self.penalty)

    def shrunk(self, ratios: Array) -> Array:
        if self.penalty == 0:
            return ratios * 0
        shrunk: Array = self.penalty * ratios / (ratios**2 + self.penalty)
        return shrunk

"""Doubly robust with ratios that have sub-Gaussian tails."""

from dataclasses import dataclass

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.doubly_robust import DoublyRobust
from bandstrap.evaluation.estimators.sub_gaussian_ips import sub_gaussian
from bandstrap.validation import require_number

__all__ = ["SubGaussianDR"]


@dataclass(frozen=True)
class SubGaussianDR(DoublyRobust):
    """Weighs corrections by w / (1 - λ + λ w) (Metelli et al., 2021): DR at λ = 0.

    >>> import numpy as np
    >>> from bandstrap.evaluation.sample import Sample
    >>> half = np.full(2, 0.5)
    >>> sample = Sample(np.ones(2), np.array([18.0, 2.0]), half, fitted=half, baseline=half)
    >>> float(SubGaussianDR(rate=0.125).of(sample))
    1.875
    """

    rate: float = 0.1

    name = "sg-dr"
    assumes = "Propensities are right, or the model is where ratios are large and shrunk."

    def __post_init__(self) -> None:
        require_number(0, 1, rate=self.rate)

    def shrunk(self, ratios: Array) -> Array:
        return sub_gaussian(ratios, self.rate)

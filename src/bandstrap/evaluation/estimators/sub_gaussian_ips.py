"""Inverse propensity scoring with ratios that have sub-Gaussian tails."""

from dataclasses import dataclass

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.ips import IPS
from bandstrap.validation import require_number

__all__ = ["SubGaussianIPS", "sub_gaussian"]


@dataclass(frozen=True)
class SubGaussianIPS(IPS):
    """The mean of w r / (1 - λ + λ w) (Metelli et al., 2021): from IPS at λ = 0 to the mean reward.

    >>> import numpy as np
    >>> from bandstrap.evaluation.sample import Sample
    >>> sample = Sample(np.array([1.0, 1.0]), np.array([9.0, 1.0]), np.ones(2))
    >>> float(SubGaussianIPS(rate=0.125).of(sample))
    2.75
    """

    rate: float = 0.1

    name = "sg-ips"
    assumes = "Propensities are right; large ratios are shrunk smoothly, at the price of some bias."

    def __post_init__(self) -> None:
        require_number(0, 1, rate=self.rate)

    def shrunk(self, ratios: Array) -> Array:
        return sub_gaussian(ratios, self.rate)


def sub_gaussian(ratios: Array, rate: float) -> Array:
    """The harmonic mean of a ratio and 1.

    >>> import numpy as np
    >>> sub_gaussian(np.array([0.0, 1.0, 9.0]), 0.125).tolist()
    [0.0, 1.0, 4.5]
    """
    shrunk: Array = ratios / (1 - rate + rate * ratios)
    return shrunk

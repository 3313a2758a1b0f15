"""No resampling: the greedy choice, every weight 1."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.resampling.base import Resampling


@dataclass(frozen=True)
class NoResampling(Resampling):
    """Weights 1: the mean as it is.

    >>> NoResampling().weights((3,), np.random.default_rng(0)).tolist()
    [1.0, 1.0, 1.0]
    """

    whole_counts: ClassVar[bool] = False
    independent: ClassVar[bool] = True
    needs_rewards: ClassVar[bool] = False
    variance: ClassVar[float] = 0.0

    def weights(self, shape: tuple[int, ...], rng: Rng) -> Array:
        return np.ones(shape)

    def means_by_moments(self, count: Array, mean: Array, rng: Rng) -> Array:
        return np.where(count > 0, mean, np.inf)

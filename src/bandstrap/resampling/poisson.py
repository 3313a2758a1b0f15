"""The Poisson bootstrap: independent Poisson(1) weights, NPB without its fixed total."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.kernels.codes import POISSON
from bandstrap.resampling.base import Resampling


@dataclass(frozen=True)
class Poisson(Resampling):
    """Weights Poisson(1), drawn again where all of them are zero.

    >>> Poisson().weights((6,), np.random.default_rng(0)).tolist()
    [1.0, 0.0, 0.0, 3.0, 3.0, 1.0]
    """

    code: ClassVar[int | None] = POISSON
    whole_counts: ClassVar[bool] = False
    independent: ClassVar[bool] = True

    def weights(self, shape: tuple[int, ...], rng: Rng) -> Array:
        return rng.poisson(1.0, shape).astype(np.float64)

    def totals(self, counts: Array, rng: Rng) -> Array:
        return rng.poisson(counts).astype(np.float64)

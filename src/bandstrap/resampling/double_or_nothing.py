"""The online half-sampling bootstrap: each reward counts twice or not at all."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.kernels.codes import DOUBLE
from bandstrap.resampling.base import Resampling


@dataclass(frozen=True)
class DoubleOrNothing(Resampling):
    """Weights 0 or 2 with probability 1/2 each, drawn again where all of them are zero.

    >>> DoubleOrNothing().weights((6,), np.random.default_rng(0)).tolist()
    [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]
    """

    code: ClassVar[int | None] = DOUBLE
    independent: ClassVar[bool] = True

    def weights(self, shape: tuple[int, ...], rng: Rng) -> Array:
        return 2.0 * rng.integers(0, 2, shape)

    def totals(self, counts: Array, rng: Rng) -> Array:
        doubled: Array = rng.binomial(np.rint(counts).astype(np.int64), 0.5)
        return 2.0 * doubled

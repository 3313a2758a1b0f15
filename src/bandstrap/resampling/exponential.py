"""WB: the weighted bootstrap with multiplicative Exp(1) weights."""

from dataclasses import dataclass
from typing import ClassVar

from bandstrap.arrays import Array, Rng
from bandstrap.kernels.codes import EXPONENTIAL
from bandstrap.resampling.base import Resampling


@dataclass(frozen=True)
class Exponential(Resampling):
    """Weights Exp(1); n equal rewards together weigh Gamma(n), so 0/1 rewards give a Beta.

    >>> import numpy as np
    >>> weights = Exponential().weights((10_000,), np.random.default_rng(0))
    >>> print(f"{weights.mean():.1f} ± {weights.std():.1f}")
    1.0 ± 1.0
    """

    code: ClassVar[int | None] = EXPONENTIAL
    whole_counts: ClassVar[bool] = False
    independent: ClassVar[bool] = True

    def weights(self, shape: tuple[int, ...], rng: Rng) -> Array:
        return rng.standard_exponential(shape)

    def totals(self, counts: Array, rng: Rng) -> Array:
        return rng.standard_gamma(counts)

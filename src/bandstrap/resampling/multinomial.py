"""NPB: the non-parametric bootstrap, n draws with replacement from n rewards."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.kernels.codes import MULTINOMIAL
from bandstrap.resampling.base import Resampling


@dataclass(frozen=True)
class Multinomial(Resampling):
    """Weights Multinomial(n; 1/n, …); on 0/1 rewards the mean is a binomial over n.

    >>> Multinomial().weights((6,), np.random.default_rng(0)).tolist()
    [1.0, 0.0, 0.0, 0.0, 4.0, 1.0]
    """

    code: ClassVar[int | None] = MULTINOMIAL

    def weights(self, shape: tuple[int, ...], rng: Rng) -> Array:
        n = shape[-1]
        if n == 0:
            return np.zeros(shape)
        return rng.multinomial(n, np.full(n, 1.0 / n), size=shape[:-1]).astype(np.float64)

    def totals(self, counts: Array, rng: Rng) -> Array:
        n = np.rint(counts.sum(axis=-1))
        shares = counts / np.maximum(n, 1.0)[..., None]
        shares[..., -1] = np.maximum(0.0, 1.0 - shares[..., :-1].sum(axis=-1))
        return rng.multinomial(n.astype(np.int64), shares).astype(np.float64)

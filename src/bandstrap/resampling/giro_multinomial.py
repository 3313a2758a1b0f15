"""Giro: the non-parametric bootstrap of a history with pseudo-rewards at both ends."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.resampling.pseudo_rewards import WithPseudoRewards
from bandstrap.storage.registry import saved


@saved
@dataclass(frozen=True)
class GiroMultinomial(WithPseudoRewards):
    """NPB where each reward brings `a` pseudo-rewards of `low` and `a` of `high`, in its context.

    (Kveton et al., 2019a.) They are drawn from with replacement, as often as there are rewards and
    pseudo-rewards. What was drawn in one context is handed to the model as one example, the mean of
    the draws with their number over 1 + 2a as its weight: losses of linear and logistic models tell
    no difference.

    >>> rewards, weights = GiroMultinomial().perturb(np.ones(4), np.random.default_rng(0))
    >>> rewards.round(2).tolist(), weights.round(2).tolist()
    ([0.67, 1.0, 1.0, 0.83], [1.0, 0.67, 0.33, 2.0])
    """

    @property
    def variance(self) -> float:  # type: ignore[override]
        return 1.0 / self._size

    @property
    def _size(self) -> int:
        """Rewards and pseudo-rewards for each reward."""
        return 1 + 2 * self.a

    def weights(self, shape: tuple[int, ...], rng: Rng) -> Array:
        return self._drawn(np.ones(shape), rng) / self._size

    def totals(self, counts: Array, rng: Rng) -> Array:
        return self._drawn(counts, rng) / self._size

    def perturb(self, rewards: Array, rng: Rng) -> tuple[Array, Array]:
        drawn = self._drawn(np.ones(rewards.shape), rng)
        means = self._sums(drawn, rewards, rng) / np.maximum(drawn, 1)
        return np.where(drawn > 0, means, rewards), drawn / self._size

    def means(self, values: Array, counts: Array, rng: Rng, factors: Array | float = 1.0) -> Array:
        drawn = self._drawn(counts, rng)
        sums = (self._sums(drawn, values, rng) * factors).sum(axis=-1)
        weight = (drawn * factors).sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(weight > 0, sums / weight, np.inf)

    def _drawn(self, counts: Array, rng: Rng) -> Array:
        """How often each group of equal rewards, or its pseudo-rewards, are drawn."""
        if counts.shape[-1] == 0:
            return np.zeros(counts.shape)
        n = np.rint(counts.sum(axis=-1))
        shares = counts / np.maximum(n, 1.0)[..., None]
        shares[..., -1] = np.maximum(0.0, 1.0 - shares[..., :-1].sum(axis=-1))
        return rng.multinomial(self._size * n.astype(np.int64), shares).astype(np.float64)

    def _sums(self, drawn: Array, values: Array, rng: Rng) -> Array:
        """The sum of what is drawn in each group: of its values and of pseudo-rewards."""
        times = drawn.astype(np.int64)
        own = rng.binomial(times, 1.0 / self._size)
        highs = rng.binomial(times - own, 0.5)
        sums: Array = own * values + (times - own - highs) * self.low + highs * self.high
        return sums

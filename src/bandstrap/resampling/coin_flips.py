"""Perturbed-history exploration: coin flips among the rewards."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.resampling.pseudo_rewards import WithPseudoRewards
from bandstrap.storage.registry import saved


@saved
@dataclass(frozen=True)
class CoinFlips(WithPseudoRewards):
    """Each reward brings `a` fresh flips of a fair coin, `low` or `high`, in its context.

    That is PHE, with models LinPHE and LogPHE (Kveton et al., 2019b, 2020). A reward and its flips
    are handed to the model as one example, their mean: losses of linear and logistic models tell no
    difference. Weights are 1, so that a penalty counts as much as without flips.

    >>> rewards, weights = CoinFlips(a=3).perturb(np.ones(5), np.random.default_rng(0))
    >>> rewards.tolist(), weights.tolist()
    ([0.75, 0.5, 0.25, 0.25, 0.75], [1.0, 1.0, 1.0, 1.0, 1.0])
    """

    needs_rewards: ClassVar[bool] = False
    variance: ClassVar[float] = 0.0

    def weights(self, shape: tuple[int, ...], rng: Rng) -> Array:
        return np.ones(shape)

    def perturb(self, rewards: Array, rng: Rng) -> tuple[Array, Array]:
        return self._with_flips(rewards, np.ones(rewards.shape), rng), np.ones(rewards.shape)

    def means_by_moments(self, count: Array, mean: Array, rng: Rng) -> Array:
        return np.where(count > 0, self._with_flips(mean, np.maximum(count, 1.0), rng), np.inf)

    def _with_flips(self, means: Array, counts: Array, rng: Rng) -> Array:
        """Means of as many rewards, and of their flips."""
        flips = np.rint(self.a * counts).astype(np.int64)
        flipped = self.low + (self.high - self.low) * rng.binomial(flips, 0.5) / flips
        mixed: Array = (means + self.a * flipped) / (1 + self.a)
        return mixed

"""Perturbed-history exploration: the mean of rewards and fair coin flips."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.kernels.lazy.ends import POINTS
from bandstrap.laws import UNSEEN, binomial_law, discrete_probabilities
from bandstrap.policies.base import Probabilities
from bandstrap.policies.rewards.giro import whole_above
from bandstrap.policies.rewards.means import MeanPolicy, MeanState
from bandstrap.policies.validation import bounded_width
from bandstrap.validation import require_up_to

MOST_FLIPS = 1e6  # per reward


@dataclass(frozen=True)
class PerturbedHistory(MeanPolicy):
    """(sum of rewards + Bin(⌈a n⌉, ½)) / ((a + 1) n) for n rewards in [0, 1] (Kveton et al., 2019).

    Other supports are rescaled to [0, 1] and the draw is scaled back. The regret bound of the
    paper needs a > 2; its experiments do best with the default. An arm never pulled is tried first.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(PerturbedHistory(), ["a", "b"], seed=1)
    >>> bandit.learn(arm="a", reward=1.0)
    >>> bandit.decide().arm
    'b'
    """

    needs_bounds: ClassVar[bool] = True

    a: float = 1.1

    def __post_init__(self) -> None:
        require_up_to(MOST_FLIPS, a=self.a)

    def _scores(self, state: MeanState, contexts: Contexts, rng: Rng) -> Array:
        low, width = state.problem.support.low, bounded_width(state.problem.support, self)
        n = np.maximum(state.count, 1.0)
        flips = rng.binomial(whole_above(self.a * n), 0.5)
        draw = ((state.mean - low) / width + flips / n) / (self.a + 1.0)
        return np.where(state.count > 0, low + width * draw, np.inf)

    def _probabilities(self, state: MeanState, contexts: Contexts, allowed: Array) -> Probabilities:
        low, width = state.problem.support.low, bounded_width(state.problem.support, self)
        n = np.maximum(state.count[0], 1.0)
        flips = whole_above(self.a * n)
        if 20.0 * np.sqrt(flips / 4.0).sum() + 40.0 * flips.size > POINTS:
            return None
        shares = np.where(state.count[0] > 0, (state.mean[0] - low) / width, np.inf)
        return partial(self._mixture, n, shares, flips, allowed[0])

    def _mixture(self, counts: Array, shares: Array, flips: Array, allowed: Array) -> Array:
        """By the laws of the coin flips, on the scale of [0, 1]."""
        rest = self.a + 1.0
        laws = [
            binomial_law(float(m), 0.5, share / rest, 1 / (n * rest)) if share < np.inf else UNSEEN
            for n, share, m in zip(counts, shares, flips, strict=True)
        ]
        return discrete_probabilities(laws, allowed, 1.0)

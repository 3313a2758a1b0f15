"""Perturbed-history exploration: the mean of rewards and fair coin flips."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
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

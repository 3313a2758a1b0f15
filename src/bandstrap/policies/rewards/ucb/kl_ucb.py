"""KL-UCB: optimism by the Bernoulli divergence."""

from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.kernels.kl_ucb import kl_scores
from bandstrap.policies.rewards.means import MeanPolicy, MeanState
from bandstrap.policies.validation import bounded_width
from bandstrap.validation import LARGEST, require_number


@dataclass(frozen=True)
class KLUCB(MeanPolicy):
    """The largest q with n kl(mean, q) <= log t + c log log t (Garivier and Cappé, 2011).

    t is the number of pulls so far, n that of the arm; log log t counts from 0 on. Rewards are
    rescaled from their support to [0, 1]. The paper proves its bound for c = 3 and recommends 0 in
    practice. An arm never pulled is tried first.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(KLUCB(), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a", "a", "b"], reward=[0.5, 0.5, 0.5])
    >>> bandit.decide().arm
    'b'
    """

    needs_bounds: ClassVar[bool] = True
    draws: ClassVar[bool] = False

    c: float = 0.0

    def __post_init__(self) -> None:
        require_number(0, LARGEST, c=self.c)

    def _scores(self, state: MeanState, contexts: Contexts, rng: Rng) -> Array:
        low, width = state.problem.support.low, bounded_width(state.problem.support, self)
        log_t = log(max(state.count[0].sum(), 1.0))
        budget = log_t + self.c * log(max(log_t, 1.0))
        scores = np.empty(state.count.shape)
        kl_scores(state.count, state.mean, low, width, budget, scores)
        return np.where(state.count > 0, scores, np.inf)

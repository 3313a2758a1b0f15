"""KL-UCB: optimism by the Bernoulli divergence."""

from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.choice import best_probabilities
from bandstrap.errors import InvalidInput
from bandstrap.kernels.kl_ucb import kl_scores
from bandstrap.policies.base import Policy
from bandstrap.policies.bounded import bounded_width
from bandstrap.policies.rewards.gaussian_thompson import MeanState
from bandstrap.problem import Problem
from bandstrap.validation import LARGEST, is_finite


@dataclass(frozen=True)
class KLUCB(Policy[MeanState]):
    """The largest q with n kl(mean, q) <= log t + c log log t (Garivier and Cappé, 2011).

    t is the number of pulls so far, n that of the arm; log log t counts from 0 on. Rewards are
    rescaled from their support to [0, 1]. The paper proves its bound for c = 3 and recommends 0 in
    practice. An arm never pulled is tried first.
    """

    context_free: ClassVar[bool] = True

    c: float = 0.0

    def __post_init__(self) -> None:
        if not (is_finite(self.c) and 0 <= self.c <= LARGEST):
            raise InvalidInput("c", self.c, "give a finite factor of 0 or more")

    def _start(self, problem: Problem, runs: int) -> MeanState:
        bounded_width(problem.support, self)
        return MeanState(problem, runs)

    def _scores(self, state: MeanState, contexts: Contexts, rng: Rng) -> Array:
        low, width = state.problem.support.low, bounded_width(state.problem.support, self)
        log_t = log(max(state.count[0].sum(), 1.0))
        budget = log_t + self.c * log(max(log_t, 1.0))
        scores = np.empty(state.count.shape)
        kl_scores(state.count, state.mean, low, width, budget, scores)
        return np.where(state.count > 0, scores, np.inf)

    def _probabilities(self, state: MeanState, contexts: Contexts, allowed: Array) -> Array:
        scores = self._scores(state, contexts, np.random.default_rng(0))  # nothing is drawn
        return best_probabilities(scores[0], allowed[0], state.problem.support.scale)

    def _update(
        self, state: MeanState, contexts: Contexts, arms: Array, rewards: Array, rng: Rng | None
    ) -> None:
        state.observe(arms, rewards)

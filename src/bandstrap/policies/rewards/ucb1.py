"""UCB1: optimism by Hoeffding's inequality."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.choice import best_probabilities
from bandstrap.errors import InvalidInput
from bandstrap.policies.base import Policy
from bandstrap.policies.bounded import bounded_width
from bandstrap.policies.rewards.gaussian_thompson import MeanState
from bandstrap.problem import Problem
from bandstrap.validation import LARGEST, is_finite


@dataclass(frozen=True)
class UCB1(Policy[MeanState]):
    """mean + width √(scale log t / n) (Auer, Cesa-Bianchi and Fischer, 2002).

    t is the number of pulls so far, n that of the arm; `width` is the length of the support.
    An arm never pulled is tried first.
    """

    context_free: ClassVar[bool] = True

    scale: float = 2.0

    def __post_init__(self) -> None:
        if not (is_finite(self.scale) and 0 <= self.scale <= LARGEST):
            raise InvalidInput("scale", self.scale, "give a finite factor of 0 or more")

    def _start(self, problem: Problem, runs: int) -> MeanState:
        bounded_width(problem.support, self)
        return MeanState(problem, runs)

    def _scores(self, state: MeanState, contexts: Contexts, rng: Rng) -> Array:
        width = bounded_width(state.problem.support, self)
        t = max(state.count[0].sum(), 1.0)
        bonus = width * np.sqrt(self.scale * np.log(t) / np.maximum(state.count, 1.0))
        return np.where(state.count > 0, state.mean + bonus, np.inf)

    def _probabilities(self, state: MeanState, contexts: Contexts, allowed: Array) -> Array:
        scores = self._scores(state, contexts, np.random.default_rng(0))  # nothing is drawn
        return best_probabilities(scores[0], allowed[0], state.problem.support.scale)

    def _update(
        self, state: MeanState, contexts: Contexts, arms: Array, rewards: Array, rng: Rng | None
    ) -> None:
        state.observe(arms, rewards)

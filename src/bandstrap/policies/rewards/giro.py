"""Giro: garbage in, reward out. Pseudo-rewards that grow with the history."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.errors import InvalidInput
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.lazy.history import MOST_REWARDS
from bandstrap.kernels.lazy.observe import ATOMS, REWARDS, add_ends
from bandstrap.kernels.schemes import MULTINOMIAL
from bandstrap.policies.base import Policy
from bandstrap.policies.bounded import bounded_width
from bandstrap.policies.rewards.bootstrap import Bootstrap, BootstrapState
from bandstrap.policies.rounding import whole_above
from bandstrap.priors import PseudoRewards
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.resampling import Multinomial
from bandstrap.storage.schema import ArrayOf, Schema
from bandstrap.validation import is_finite

MOST_PSEUDO = 1e6
NPB = Bootstrap(Multinomial(), PseudoRewards(0, 0))


class GiroState(BootstrapState):
    schema = Schema(pulls=ArrayOf(np.float64, "runs", "arms", low=0.0, high=MOST_REWARDS))

    def __init__(self, problem: Problem, runs: int, history: RewardHistory) -> None:
        super().__init__(problem, runs, history)
        self.pulls = np.zeros((runs, problem.n_arms))

    def remap_arms(self, fresh: "GiroState", before: ArmMap) -> None:  # type: ignore[override]
        super().remap_arms(fresh, before)
        self.pulls = remapped(self.pulls, fresh.pulls, before, axis=1)


@dataclass(frozen=True)
class Giro(Policy[GiroState]):
    """NPB where every reward brings `a` pseudo-rewards at either end of the support.

    (Kveton et al., Garbage in, reward out, 2019.) If `a` is no whole number, n rewards have ⌈a n⌉
    pseudo-rewards at each end. An arm never pulled is tried first.
    """

    context_free: ClassVar[bool] = True

    a: float = 1.0

    def __post_init__(self) -> None:
        if not (is_finite(self.a) and 0 < self.a <= MOST_PSEUDO):
            remedy = f"give a positive number of pseudo-rewards per reward, at most {MOST_PSEUDO:g}"
            raise InvalidInput("a", self.a, remedy)

    def _start(self, problem: Problem, runs: int) -> GiroState:
        support = problem.support
        bounded_width(support, self)
        values = support.values or (support.low, support.high)
        counts = [0.0] * len(values)
        keeping = REWARDS if support.values is None else ATOMS
        history = RewardHistory.start(runs, problem.n_arms, values, counts, keeping, MULTINOMIAL)
        return GiroState(problem, runs, history)

    def _scores(self, state: GiroState, contexts: Contexts, rng: Rng) -> Array:
        return NPB.scores(state, contexts, rng)

    def _select(self, state: GiroState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        return NPB.select(state, contexts, rng, allowed)

    def _update(
        self, state: GiroState, contexts: Contexts, arms: Array, rewards: Array, rng: Rng | None
    ) -> None:
        NPB.update(state, contexts, arms, rewards)
        at = np.arange(state.runs), arms
        before = whole_above(self.a * state.pulls[at])
        state.pulls[at] += 1.0
        add_ends(state.history.arrays, arms, whole_above(self.a * state.pulls[at]) - before)

"""Giro: pseudo-rewards that grow with the history."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.codes import MULTINOMIAL
from bandstrap.kernels.lazy.history import MOST_REWARDS
from bandstrap.kernels.lazy.observe import ATOMS, REWARDS, add_ends
from bandstrap.policies.base import Policy, Probabilities
from bandstrap.policies.rewards.bootstrap import Bootstrap, BootstrapState
from bandstrap.policies.validation import bounded_width
from bandstrap.priors import PseudoRewards
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.resampling import Multinomial
from bandstrap.storage.schema import ArrayOf, Schema
from bandstrap.validation import require_up_to

MOST_PSEUDO = 1e6  # per reward
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

    (Kveton et al., Garbage in, reward out, 2019.) If `a` is not whole, n rewards have ⌈a n⌉
    pseudo-rewards at each end. An arm never pulled is tried first.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(Giro(a=0.5), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a", "b"] * 30, reward=[0.9, 0.1] * 30)
    >>> bandit.decide().arm
    'a'
    """

    context_free: ClassVar[bool] = True

    a: float = 1.0

    def __post_init__(self) -> None:
        require_up_to(MOST_PSEUDO, a=self.a)

    def _start(self, problem: Problem, runs: int) -> GiroState:
        support = problem.support
        bounded_width(support, self)
        values = support.values or (support.low, support.high)
        counts = [0.0] * len(values)
        keeps = REWARDS if support.values is None else ATOMS
        history = RewardHistory.start(runs, problem.n_arms, values, counts, keeps, MULTINOMIAL)
        return GiroState(problem, runs, history)

    def _scores(self, state: GiroState, contexts: Contexts, rng: Rng) -> Array:
        return NPB._scores(state, contexts, rng)

    def _select(self, state: GiroState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        return state.history.choose(allowed, rng)

    def _probabilities(self, state: GiroState, contexts: Contexts, allowed: Array) -> Probabilities:
        return state.history.law(allowed)

    def _update(
        self,
        state: GiroState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        state.history.observe(arms, rewards)
        at = np.arange(state.runs), arms
        before = whole_above(self.a * state.pulls[at])
        state.pulls[at] += 1.0
        add_ends(state.history.arrays, arms, whole_above(self.a * state.pulls[at]) - before)


def whole_above(x: Array) -> Array:
    """⌈x⌉, where products such as 1.1 * 50 = 55.00000000000001 count as the whole number meant.

    >>> whole_above(1.1 * np.array([50, 51]))
    array([55, 57])
    """
    whole: Array = np.ceil(x - 1e-9 * np.maximum(x, 1.0)).astype(np.int64)
    return whole

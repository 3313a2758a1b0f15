"""Thompson sampling with a Beta posterior, for rewards in [0, 1]."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.errors import InvalidInput
from bandstrap.history.compiled import Compiled
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.lazy.observe import ATOMS, ROUNDED
from bandstrap.kernels.schemes import EXPONENTIAL
from bandstrap.policies.base import Draw, Policy, needed
from bandstrap.policies.rewards.bootstrap import BootstrapState
from bandstrap.priors import PseudoRewards
from bandstrap.problem import Problem, Support


@dataclass(frozen=True)
class BetaThompson(Policy[BootstrapState]):
    """Draw each arm's mean from Beta(α₀ + ones, β₀ + zeros) and act greedily.

    A reward strictly between 0 and 1 is rounded to 1 with probability equal to itself
    (Agrawal and Goyal, 2012), so `update` needs a generator for such rewards.
    """

    context_free: ClassVar[bool] = True

    prior: PseudoRewards = field(default_factory=PseudoRewards)

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        support = problem.support
        if not (support.low >= 0.0 and support.high <= 1.0):
            raise InvalidInput(
                "support", (support.low, support.high), "a Beta posterior needs rewards in [0, 1]"
            )
        if min(self.prior.ones, self.prior.zeros) <= 0:
            raise InvalidInput("prior", self.prior, "a Beta prior needs positive counts")
        values, counts = self.prior.atoms(Support.binary())
        keeping = ATOMS if support.values == (0.0, 1.0) else ROUNDED
        history = RewardHistory.start(runs, problem.n_arms, values, counts, keeping, EXPONENTIAL)
        return BootstrapState(problem, runs, history)

    def compiled(self, state: BootstrapState) -> Compiled | None:
        return state.compiled()

    def _scores(self, state: BootstrapState, contexts: Contexts, rng: Rng) -> Array:
        counts = state.history.arrays.counts
        return rng.beta(counts[:, :, 1], counts[:, :, 0])

    def _select(self, state: BootstrapState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        # A Beta draw is an exponentially weighted mean of zeros and ones: the same fast choice.
        return state.history.choose(allowed, rng)

    def _decide(
        self, state: BootstrapState, contexts: Contexts, rng: Rng, allowed: Array, draws: int
    ) -> Draw:
        return state.decide(rng, allowed, draws)

    def _update(
        self,
        state: BootstrapState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
    ) -> None:
        rounded = state.history.keeping == ROUNDED
        state.history.observe(arms, rewards, needed(rng, self) if rounded else None)

    def _update_weighted(
        self,
        state: BootstrapState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Array,
    ) -> None:
        if state.history.keeping == ROUNDED:
            self._round(state, arms, rewards, needed(rng, self), weights)
        else:
            super()._update_weighted(state, contexts, arms, rewards, rng, weights)

    def _round(
        self, state: BootstrapState, arms: Array, rewards: Array, rng: Rng, weights: Array
    ) -> None:
        """A whole weight is so many rewards, each rounded by itself; any other is rounded once."""
        times = np.where(weights == np.rint(weights), weights, 1.0)
        ones = rng.binomial(times.astype(np.int64), rewards) * (weights / times)
        state.weigh_in(arms, np.ones(rewards.shape), ones)
        state.weigh_in(arms, np.zeros(rewards.shape), weights - ones)

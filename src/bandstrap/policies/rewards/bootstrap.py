"""Bootstrapped exploration: resample the history, estimate, act greedily."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.errors import InvalidInput
from bandstrap.history.compiled import Compiled
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.lazy.decide import decide
from bandstrap.kernels.lazy.observe import ATOMS, MOMENTS, REWARDS
from bandstrap.kernels.schemes import NO_SCHEME
from bandstrap.policies.base import Draw, Policy
from bandstrap.policies.state import State
from bandstrap.priors import Prior, PseudoRewards
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.resampling import Exponential, Resampling
from bandstrap.seeding import kernel_stream
from bandstrap.storage.schema import Of, Schema


class BootstrapState(State):
    schema = Schema(history=Of(RewardHistory))

    def verify_saved(self) -> None:
        self.history.check_support(self.problem.support)

    def __init__(self, problem: Problem, runs: int, history: RewardHistory) -> None:
        super().__init__(problem, runs)
        self.history = history

    @property
    def divisible(self) -> bool:
        return self.history.divisible

    def remap_arms(self, fresh: "BootstrapState", before: ArmMap) -> None:
        self.history = self.history.remapped(fresh.history, before)

    def discount(self, fresh: "BootstrapState", factor: float) -> None:
        self.history.discount(fresh.history, factor)

    def check_reward(self, reward: float, weight: float) -> None:
        if weight != round(weight) and not self.history.divisible:
            self.history.weigh_in(np.zeros(0), np.zeros(0), np.array([weight]))  # says why not

    def weigh_in(self, arms: Array, rewards: Array, weights: Array) -> None:
        self.history.weigh_in(arms, rewards, weights)

    def decide(self, rng: Rng, allowed: Array, draws: int) -> Draw:
        """A choice and votes, all in compiled code."""
        history = self.history
        arms = self.problem.n_arms
        scores, shares = np.empty(arms), np.empty(arms)  # to take one apart is slower
        stream = kernel_stream(rng)
        arm = decide(stream, history.scheme, history.arrays, allowed, draws, scores, shares)
        return Draw(arm, scores, shares, draws)

    def compiled(self) -> Compiled:
        return Compiled(self.history, np.zeros((self.runs, self.problem.n_arms), dtype=np.int64))


class FadingState(BootstrapState):
    """Rewards may count more or less than once, whatever they are and however they are weighed."""

    formerly = BootstrapState  # in files of 0.1.0

    def discount(self, fresh: BootstrapState, factor: float) -> None:
        history = self.history
        (history.discount if history.divisible else history.fade)(fresh.history, factor)

    def check_reward(self, reward: float, weight: float) -> None:
        """None is refused."""

    def weigh_in(self, arms: Array, rewards: Array, weights: Array) -> None:
        history = self.history
        (history.weigh_in if history.divisible else history.weigh_rows)(arms, rewards, weights)


@dataclass(frozen=True)
class Bootstrap(Policy[BootstrapState]):
    """Act greedily on a bootstrapped mean of each arm's rewards and pseudo-rewards.

    With `Exponential` weights this is the paper's WB, with `Multinomial` its NPB. An arm without
    rewards or pseudo-rewards is tried first.

    >>> import numpy as np
    >>> from bandstrap import Bootstrap, Problem
    >>> policy, rng = Bootstrap(), np.random.default_rng(0)
    >>> state = policy.start(Problem(n_arms=2), runs=1)
    >>> arms = policy.select(state, None, rng)
    >>> policy.update(state, None, arms, np.array([0.7]))
    """

    context_free: ClassVar[bool] = True

    resampling: Resampling = field(default_factory=Exponential)
    prior: Prior = field(default_factory=PseudoRewards)

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        support = problem.support
        values, counts = self.prior.atoms(support)
        if self.resampling.whole_counts and any(count != round(count) for count in counts):
            raise InvalidInput(
                "prior",
                self.prior,
                f"{type(self.resampling).__name__} draws whole rewards; use whole pseudo-counts, "
                "or Exponential() weights",
            )
        if support.values is not None:
            pseudo = dict(zip(values, counts, strict=True))
            values = tuple(sorted({*support.values, *values}))
            counts = tuple(pseudo.get(value, 0.0) for value in values)
        keeping = REWARDS if support.values is None else ATOMS
        if not self.resampling.needs_rewards:
            keeping = MOMENTS
        scheme = NO_SCHEME if self.resampling.code is None else self.resampling.code
        history = RewardHistory.start(runs, problem.n_arms, values, counts, keeping, scheme)
        return FadingState(problem, runs, history)

    def compiled(self, state: BootstrapState) -> Compiled | None:
        same = (type(self)._select, type(self)._update) == (Bootstrap._select, Bootstrap._update)
        return state.compiled() if same and self._lazy(state) else None

    def _lazy(self, state: BootstrapState) -> bool:
        """Whether the largest draw is found without drawing everything."""
        return self.resampling.lazy and state.history.fractions is None

    def _scores(self, state: BootstrapState, contexts: Contexts, rng: Rng) -> Array:
        history = state.history
        if not self.resampling.needs_rewards:
            return self.resampling.means_by_moments(history.count, history.mean, rng)
        if state.problem.support.values is not None and history.fractions is None:
            return self.resampling.means(history.arrays.values, history.arrays.counts, rng)
        if self.resampling.code is not None:
            return history.draw(rng)
        scores = np.empty((state.runs, state.problem.n_arms))
        for run, arm in np.ndindex(scores.shape):
            scores[run, arm] = self._plain_draw(history, run, arm, rng)
        return scores

    def _plain_draw(self, history: RewardHistory, run: int, arm: int, rng: Rng) -> float:
        """One arm's draw by the scheme's `weights` alone, for schemes kernels do not know."""
        counts = history.arrays.counts[run, arm]
        pseudo = np.repeat(history.arrays.values, counts.astype(np.int64))
        rewards = np.concatenate([pseudo, history.rewards(run, arm)])
        factors = np.ones(rewards.size)
        if history.fractions is not None:
            more, counting = history.fractions.of(run, arm)
            rewards, factors = np.append(rewards, more), np.append(factors, counting)
        return float(self.resampling.means(rewards, np.ones(rewards.size), rng, factors))

    def _select(self, state: BootstrapState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        if not self._lazy(state):
            return super()._select(state, contexts, rng, allowed)
        return state.history.choose(allowed, rng)

    def _decide(
        self, state: BootstrapState, contexts: Contexts, rng: Rng, allowed: Array, draws: int
    ) -> Draw:
        if not self._lazy(state):
            return super()._decide(state, contexts, rng, allowed, draws)
        return state.decide(rng, allowed, draws)

    def _update(
        self,
        state: BootstrapState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
    ) -> None:
        state.history.observe(arms, rewards)

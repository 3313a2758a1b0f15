"""Bootstrapped exploration: resample the history, estimate, act greedily."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.choice import best_probabilities, normal_probabilities
from bandstrap.errors import InvalidInput
from bandstrap.history.compiled import Compiled
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.codes import NO_SCHEME
from bandstrap.kernels.lazy.observe import ATOMS, MOMENTS, REWARDS
from bandstrap.policies.base import Draw, Policy, Probabilities
from bandstrap.policies.decision_sampler import DecisionSampler
from bandstrap.policies.state import State
from bandstrap.policies.validation import checked_decision
from bandstrap.priors import Prior, PseudoRewards
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.resampling import Exponential, Resampling
from bandstrap.storage.schema import Of, Schema


class HistorySampler(DecisionSampler):
    """Draws in kernels, which do not walk the history."""

    def __init__(self, history: RewardHistory, allowed: Array) -> None:
        self._history, self._allowed = history, allowed

    def waits(self, stream: Array, arm: int, limits: Array) -> int:
        return self._history.waits(self._allowed, stream, arm, limits)

    def choices(self, stream: Array, draws: int) -> Array:
        return self._history.count_choices(self._allowed, stream, draws)


class BootstrapState(State):
    """The rewards of each arm."""

    schema = Schema(history=Of(RewardHistory))

    def verify_saved(self) -> None:
        self.history.check_support(self.problem.support)

    def __init__(self, problem: Problem, runs: int, history: RewardHistory) -> None:
        super().__init__(problem, runs)
        self.history = history

    @property
    def repeats_weights(self) -> bool:  # type: ignore[override]
        return not self.history.counts_fractions

    @property
    def whole_weights(self) -> bool:  # type: ignore[override]
        return not self.history.counts_fractions

    @property
    def compiled(self) -> Compiled | None:
        if not self.history.lazy:
            return None
        return Compiled(self.history, np.zeros((self.runs, self.problem.n_arms), dtype=np.int64))

    def recall(self, policy: Any) -> Callable[[], State] | None:
        history = self.history.recall() if policy.in_kernels else None
        return history and partial(_recalled, self.problem, history)

    def sampler(self, policy: Any, contexts: Contexts, allowed: Array) -> DecisionSampler:
        if policy.in_kernels and self.history.lazy:
            return HistorySampler(self.history, allowed)
        return super().sampler(policy, contexts, allowed)

    def remap_arms(self, fresh: "BootstrapState", before: ArmMap) -> None:
        self.history = self.history.remapped(fresh.history, before)

    def discount(self, fresh: "BootstrapState", factor: float) -> None:
        self.history.discount(fresh.history, factor)


class FadingState(BootstrapState):
    """Rewards of any kind may count more or less than once: as rows of their own if need be."""

    formerly = BootstrapState  # in files of 0.1.0
    whole_weights = False

    def discount(self, fresh: BootstrapState, factor: float) -> None:
        history = self.history
        (history.discount if history.counts_fractions else history.fade)(fresh.history, factor)


class HistoryPolicy(Policy[BootstrapState]):
    """A policy that keeps rewards in a history, looks at nothing else, and may choose lazily.

    A class whose every step kernels know says so, `class Own(HistoryPolicy, in_kernels=True)`. One
    that inherits from it may change a step, so it has to say so again.
    """

    context_free: ClassVar[bool] = True

    def __init_subclass__(cls, in_kernels: bool = False) -> None:
        super().__init_subclass__()
        cls.in_kernels = in_kernels

    def _select(self, state: BootstrapState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        if not state.history.lazy:
            return super()._select(state, contexts, rng, allowed)
        return state.history.choose(allowed, rng)

    def decide(
        self, state: BootstrapState, contexts: Contexts, rng: Rng, allowed: Array | None
    ) -> Draw:
        if not (self.in_kernels and state.history.lazy):
            return super().decide(state, contexts, rng, allowed)
        _, open_ = checked_decision(state, contexts, allowed)
        return Draw(*state.history.decide(open_, rng), self._probabilities(state, contexts, open_))

    def _probabilities(
        self, state: BootstrapState, contexts: Contexts, allowed: Array
    ) -> Probabilities:
        return state.history.law(allowed) if self.in_kernels else None

    def _update(
        self,
        state: BootstrapState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        state.history.observe(arms, rewards, None, weights)


def _recalled(problem: Problem, history: Callable[[], RewardHistory]) -> BootstrapState:
    return BootstrapState(problem, 1, history())


@dataclass(frozen=True)
class Bootstrap(HistoryPolicy, in_kernels=True):
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

    resampling: Resampling = field(default_factory=Exponential)
    prior: Prior = field(default_factory=PseudoRewards)

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        support = problem.support
        self.resampling.check(support)
        values, counts = self.prior.atoms(support)
        if self.resampling.whole_counts and any(count != round(count) for count in counts):
            name = type(self.resampling).__name__
            remedy = f"{name} draws whole rewards; use whole counts, or Exponential() weights"
            raise InvalidInput("prior", self.prior, remedy)
        if support.values is not None:
            pseudo = dict(zip(values, counts, strict=True))
            values = tuple(sorted({*support.values, *values}))
            counts = tuple(pseudo.get(value, 0.0) for value in values)
        keeps = REWARDS if support.values is None else ATOMS
        if not self.resampling.needs_rewards:
            keeps = MOMENTS
        scheme = NO_SCHEME if self.resampling.code is None else self.resampling.code
        history = RewardHistory.start(runs, problem.n_arms, values, counts, keeps, scheme)
        return FadingState(problem, runs, history)

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

    def _probabilities(
        self, state: BootstrapState, contexts: Contexts, allowed: Array
    ) -> Probabilities:
        scheme, count = self.resampling, state.history.count[0]
        if scheme.needs_rewards:
            return super()._probabilities(state, contexts, allowed)
        if not self.in_kernels or scheme.perturbs or scheme.variance > 0:
            return None
        means = np.where(count > 0, state.history.mean[0], np.inf)
        if scheme.noise > 0:
            spreads = scheme.noise / np.sqrt(np.where(count > 0, count, 1.0))
            return partial(normal_probabilities, means, spreads, allowed[0])
        return partial(best_probabilities, means, allowed[0], state.problem.support.scale)

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

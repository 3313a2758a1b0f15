"""Forced exploration: every arm a number of times before a policy decides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil, log
from typing import Any

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.errors import InvalidInput
from bandstrap.history.compiled import Compiled
from bandstrap.policies.base import Draw, Policy
from bandstrap.policies.decision_sampler import DecisionSampler
from bandstrap.policies.rewards.bootstrap import Bootstrap
from bandstrap.policies.state import State
from bandstrap.policies.validation import checked_decision
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.resampling import Multinomial
from bandstrap.storage.schema import LARGEST, ArrayOf, Of, Schema
from bandstrap.validation import require_within

MOST = 10**15  # pulls


class ForcedState(State):
    schema = Schema(
        inner=Of(State), owed=ArrayOf(np.int64, "runs", "arms", low=-LARGEST, high=LARGEST)
    )
    repeats_weights = whole_weights = False  # the inner policy may repeat: a pull is one pull

    def __init__(self, problem: Problem, runs: int, inner: Any, owed: int) -> None:
        super().__init__(problem, runs)
        self.inner = inner
        self.owed = np.full((runs, problem.n_arms), owed, dtype=np.int64)

    def remap_arms(self, fresh: "ForcedState", before: ArmMap) -> None:
        self.inner.remap_arms(fresh.inner, before)
        self.inner.problem = fresh.problem
        self.owed = remapped(self.owed, fresh.owed, before, axis=1)

    @property
    def unsettled(self) -> bool:
        return bool(self.inner.unsettled)

    def settle(self, rng: Rng) -> None:
        self.inner.settle(rng)

    def discount(self, fresh: "ForcedState", factor: float) -> None:
        self.inner.discount(fresh.inner, factor)

    @property
    def compiled(self) -> Compiled | None:
        inner = self.inner.compiled
        return inner and Compiled(inner.history, self.owed)

    def recall(self, policy: "ForcedPulls") -> Callable[[], State] | None:
        inner = self.inner.recall(policy.policy)
        return inner and partial(_recalled, self.problem, inner, self.owed.copy())

    def sampler(self, policy: "ForcedPulls", contexts: Contexts, allowed: Array) -> DecisionSampler:
        inner: State = self.inner
        return inner.sampler(policy.policy, contexts, allowed)

    def check_contexts(self, contexts: Array) -> None:
        self.inner.check_contexts(contexts)

    def check_reward(self, reward: float, weight: float) -> None:
        self.inner.check_reward(reward, weight)


def _npb() -> Policy[Any]:
    return Bootstrap(Multinomial())


@dataclass(frozen=True)
class ForcedPulls(Policy[ForcedState]):
    """Pull every arm `pulls` times, least pulled first, then leave it to `policy`.

    >>> from bandstrap import Bandit
    >>> bandit, arms = Bandit(ForcedPulls(2), ["a", "b"], seed=1), []
    >>> for _ in range(4):
    ...     arms.append(bandit.decide().arm)
    ...     bandit.learn(arm=arms[-1], reward=0.5)
    >>> arms
    ['a', 'b', 'a', 'b']
    """

    pulls: int
    policy: Policy[Any] = field(default_factory=_npb)

    def __post_init__(self) -> None:
        require_within(0, MOST, pulls=self.pulls)

    @classmethod
    def for_horizon(
        cls, horizon: int, policy: Policy[Any] | None = None, n_arms: int = 2
    ) -> "ForcedPulls":
        """The number of pulls in Theorem 2, never more than the horizon has.

        The theorem's statement prints m = ⌈(16 log T / T)^⅓⌉; that is the proof's gap Δ̃. The
        proof pulls each arm m = ⌈16 log T / Δ̃²⌉ times, which is what gives T^⅔.

        >>> ForcedPulls.for_horizon(10_000).pulls
        2452
        """
        if horizon < 2:
            raise InvalidInput("horizon", horizon, "give at least 2 rounds")
        gap = (16 * log(horizon) / horizon) ** (1 / 3)
        pulls = min(ceil(16 * log(horizon) / gap**2), horizon // n_arms)
        return cls(pulls, policy or _npb())

    @property
    def reads_arms(self) -> bool:  # type: ignore[override]
        return self.policy.reads_arms

    @property
    def in_kernels(self) -> bool:  # type: ignore[override]
        return self.policy.in_kernels

    @property
    def bootstraps(self) -> bool:  # type: ignore[override]
        return self.policy.bootstraps

    @property
    def costly(self) -> bool:  # type: ignore[override]
        return self.policy.costly

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        self.policy.check(problem, rewards)

    def _start(self, problem: Problem, runs: int) -> ForcedState:
        return ForcedState(problem, runs, self.policy.start(problem, runs), self.pulls)

    def _scores(self, state: ForcedState, contexts: Contexts, rng: Rng) -> Array:
        """The policy's scores, unless an arm is owed: then the more it is owed the better."""
        owed = state.owed
        scores = self.policy.scores(state.inner, contexts, rng)
        earlier = np.linspace(0.5, 0.0, owed.shape[1])  # of arms that are owed as much, the first
        forced = np.where(owed > 0, 1e200 * (owed + earlier), -np.inf)
        return np.where((owed > 0).any(axis=1, keepdims=True), forced, scores)

    def _select(self, state: ForcedState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        owed: Array = np.where(allowed, state.owed, 0)
        forced = owed.max(axis=1) > 0
        arms: Array = owed.argmax(axis=1)
        if forced.all():
            return arms
        return np.where(forced, arms, self.policy.select(state.inner, contexts, rng, allowed))

    def decide(
        self, state: ForcedState, contexts: Contexts, rng: Rng, allowed: Array | None
    ) -> Draw:
        contexts, open_ = checked_decision(state, contexts, allowed)
        certain = _forced(state, open_)
        if certain is not None:
            scores = self._scores(state, contexts, rng)
            return Draw(int(certain.argmax()), scores[0], certain)
        # By scores even where kernels could: saved bandits go on with the numbers they began with.
        if self.in_kernels:
            return Policy.decide(self.policy, state.inner, contexts, rng, open_)
        return self.policy.decide(state.inner, contexts, rng, open_)

    def _probabilities(
        self, state: ForcedState, contexts: Contexts, allowed: Array
    ) -> Array | None:
        certain = _forced(state, allowed)
        inner = self.policy.probabilities
        return inner(state.inner, contexts, allowed) if certain is None else certain

    def _update(
        self,
        state: ForcedState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        self.policy.update(state.inner, contexts, arms, rewards, rng, weights)
        state.owed[np.arange(state.runs), arms] -= 1  # afterwards: a refused reward is not a pull


def _recalled(problem: Problem, inner: Callable[[], State], owed: Array) -> ForcedState:
    state = ForcedState(problem, 1, inner(), 0)
    state.owed = owed
    return state


def _forced(state: ForcedState, allowed: Array) -> Array | None:
    """Probability 1 for the arm that the first run must pull; None if it owes no allowed arm."""
    owed: Array = np.where(allowed, state.owed, 0)[0]
    if owed.max() <= 0:
        return None
    certain: Array = np.arange(owed.size) == owed.argmax()
    return certain.astype(np.float64)

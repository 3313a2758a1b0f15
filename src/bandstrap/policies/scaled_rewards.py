"""Rewards in the user's units: a policy sees them as numbers from 0 to 1."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.policies.base import Draw, Policy
from bandstrap.policies.decision_sampler import DecisionSampler
from bandstrap.policies.state import State
from bandstrap.policies.validation import bounded_width
from bandstrap.problem import Problem, Support
from bandstrap.remapping import ArmMap
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import Of, Schema, require


@saved
class ScaledState(State):
    schema = Schema(inner=Of(State))
    repeats_weights = whole_weights = False  # the inner policy may repeat

    def verify_saved(self) -> None:
        require(self.inner.problem == unit_problem(self.problem), "the scale is of another problem")

    def __init__(self, problem: Problem, runs: int, inner: Any) -> None:
        super().__init__(problem, runs)
        self.inner = inner

    def remap_arms(self, fresh: "ScaledState", before: ArmMap) -> None:
        self.inner.remap_arms(fresh.inner, before)
        self.inner.problem = fresh.inner.problem

    @property
    def unsettled(self) -> bool:
        return bool(self.inner.unsettled)

    def settle(self, rng: Rng) -> None:
        self.inner.settle(rng)

    def discount(self, fresh: "ScaledState", factor: float) -> None:
        self.inner.discount(fresh.inner, factor)

    def recall(self, policy: "ScaledRewards") -> Callable[[], State] | None:
        inner = self.inner.recall(policy.policy)
        return inner and (lambda: ScaledState(self.problem, 1, inner()))

    def sampler(
        self, policy: "ScaledRewards", contexts: Contexts, allowed: Array
    ) -> DecisionSampler:
        inner: State = self.inner
        return inner.sampler(policy.policy, contexts, allowed)

    def check_contexts(self, contexts: Array) -> None:
        self.inner.check_contexts(contexts)

    def check_reward(self, reward: float, weight: float) -> None:
        self.inner.check_reward(float(to_unit(reward, self.problem.support)), weight)


@saved
@dataclass(frozen=True)
class ScaledRewards(Policy[ScaledState]):
    """Leaves everything to `policy`, which sees rewards from 0 to 1 wherever the support lies.

    Policies with a bonus of fixed width, say, or logistic models are made for such rewards. The
    support says what is 0 and what is 1; rewards, scores and explanations stay in your units.

    >>> from bandstrap import Bandit, LaplaceThompson
    >>> prices = Support.interval(-5, 120)
    >>> bandit = Bandit(ScaledRewards(LaplaceThompson()), ["a", "b"], rewards=prices, seed=1)
    >>> bandit.learn(bandit.decide([0.5, 1.0]), reward=99.5)
    """

    policy: Policy[Any]

    @property
    def context_free(self) -> bool:  # type: ignore[override]
        return self.policy.context_free

    @property
    def bootstraps(self) -> bool:  # type: ignore[override]
        return self.policy.bootstraps

    @property
    def costly(self) -> bool:  # type: ignore[override]
        return self.policy.costly

    @property
    def reads_arms(self) -> bool:  # type: ignore[override]
        return self.policy.reads_arms

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        bounded_width(problem.support, self)
        scaled = [float(to_unit(reward, problem.support)) for reward in rewards]
        self.policy.check(unit_problem(problem), scaled)

    def _start(self, problem: Problem, runs: int) -> ScaledState:
        bounded_width(problem.support, self)
        return ScaledState(problem, runs, self.policy.start(unit_problem(problem), runs))

    def _scores(self, state: ScaledState, contexts: Contexts, rng: Rng) -> Array:
        return _in_units(self.policy.scores(state.inner, contexts, rng), state)

    def _select(self, state: ScaledState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        return self.policy.select(state.inner, contexts, rng, allowed)

    def decide(
        self, state: ScaledState, contexts: Contexts, rng: Rng, allowed: Array | None
    ) -> Draw:
        draw = self.policy.decide(state.inner, contexts, rng, allowed)
        return draw._replace(scores=_in_units(draw.scores, state))

    def _probabilities(
        self, state: ScaledState, contexts: Contexts, allowed: Array
    ) -> Array | None:
        return self.policy.probabilities(state.inner, contexts, allowed)

    def _update(
        self,
        state: ScaledState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        scaled = to_unit(rewards, state.problem.support)
        self.policy.update(state.inner, contexts, arms, scaled, rng, weights)


def unit_problem(problem: Problem) -> Problem:
    """The problem with rewards from 0 to 1."""
    support = problem.support
    if support.values is None:
        return replace(problem, support=Support.interval(0.0, 1.0))
    values = to_unit(np.array(support.values), support)
    return replace(problem, support=Support.categories(values.tolist()))


def to_unit(rewards: Any, support: Support) -> Array:
    """Rewards of the support as numbers from 0 to 1."""
    scaled: Array = (np.asarray(rewards, np.float64) - support.low) / (support.high - support.low)
    clipped: Array = np.clip(scaled, 0.0, 1.0)  # of rounding
    return clipped


def _in_units(scores: Array, state: ScaledState) -> Array:
    support = state.problem.support
    scaled: Array = support.low + (support.high - support.low) * scores
    return scaled

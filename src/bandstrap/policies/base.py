"""What a policy is: frozen parameters; the state of each run belongs to the caller."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.choice import argmax
from bandstrap.errors import InvalidInput
from bandstrap.policies.state import State
from bandstrap.policies.validation import (
    check_arms,
    checked_contexts,
    checked_decision,
    checked_pulls,
    checked_weights,
)
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap

S = TypeVar("S", bound=State)


# The probability of each arm, (arms,), or what finds it later; None if only draws can tell.
Probabilities = Array | Callable[[], Array] | None


class Draw(NamedTuple):
    """A choice and how it came about."""

    arm: int
    scores: Array  # (arms,) of the draw that decided
    probabilities: Probabilities = None  # of each arm to win a draw


class Policy(ABC, Generic[S]):
    """How to choose among arms.

    A policy writes `_start`, `_scores` and `_update`, and where it knows better `_select` and
    `_probabilities`: they get what the public methods have validated. `_update` gets `weights` only
    from a state without `repeats_weights` or for fractions, see `State`. A policy that knows a
    faster way to a whole decision may override `decide`; its state may know one to more draws.

    >>> from bandstrap import Bandit, State
    >>> class Best(Policy):
    ...     def _start(self, problem, runs):
    ...         state = State(problem, runs)
    ...         state.sums = np.zeros((runs, problem.n_arms))
    ...         return state
    ...     def _scores(self, state, contexts, rng):
    ...         return state.sums + rng.random(state.sums.shape)
    ...     def _update(self, state, contexts, arms, rewards, rng, weights=None):
    ...         state.sums[np.arange(state.runs), arms] += rewards
    >>> bandit = Bandit(Best(), ["a", "b"], seed=0)
    >>> bandit.learn(arm="b", reward=1.0)
    >>> bandit.learn(arm="b", reward=1.0)
    >>> bandit.decide().arm
    'b'
    """

    context_free: ClassVar[bool] = False  # looks at rewards alone, so it can be tried at once
    reads_arms: ClassVar[bool] = False  # has one model for all arms, which have features
    in_kernels: ClassVar[bool] = False  # kernels know all its steps: `State.compiled` may be played
    bootstraps: ClassVar[bool] = False  # a model of contexts, refitted to a reweighted history
    costly: ClassVar[bool] = False  # a draw may take as long as fitting models does

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        """Refuse a problem, or rewards to come, as far as possible without a context.

        The problem's `n_features` does not matter: the first context determines it.
        """
        check_arms(problem, self.reads_arms)
        if self.context_free:
            state = self.start(problem)
            for reward in rewards:
                state.check_reward(reward, 1.0)

    def suited(self, problem: Problem) -> "Policy[S]":
        """The policy that plays this problem: itself, unless it leaves that open."""
        return self

    def start(self, problem: Problem, runs: int = 1) -> S:
        """The state before the first decision, for `runs` independent runs."""
        check_arms(problem, self.reads_arms)
        if runs < 1:
            raise InvalidInput("runs", runs, "give at least one run")
        return self._start(problem, runs)

    def scores(self, state: S, contexts: Contexts, rng: Rng) -> Array:
        """One draw of what each arm is worth, (runs, arms); the best allowed one is chosen."""
        return self._scores(state, checked_contexts(state, contexts, of_arms=True), rng)

    def select(self, state: S, contexts: Contexts, rng: Rng, allowed: Array | None = None) -> Array:
        """The arm to pull in each run, (runs,), among those allowed."""
        contexts, allowed = checked_decision(state, contexts, allowed)
        return self._select(state, contexts, rng, allowed)

    def decide(self, state: S, contexts: Contexts, rng: Rng, allowed: Array | None) -> Draw:
        """A choice, its scores and the probability of each arm, for a state of one run."""
        contexts, open_ = checked_decision(state, contexts, allowed)
        scores = self._scores(state, contexts, rng)
        arm = int(argmax(scores, open_, state.problem.support.scale, rng)[0])
        return Draw(arm, scores[0], self._probabilities(state, contexts, open_))

    def probabilities(self, state: S, contexts: Contexts, allowed: Array) -> Array | None:
        """The probability of each arm, (arms,), for a state of one run; None if unknown."""
        known = self._probabilities(state, *checked_decision(state, contexts, allowed))
        return known() if callable(known) else known

    def update(
        self,
        state: S,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None = None,
        weights: Weights = None,
    ) -> None:
        """Learn one reward in each run, in place; some policies learn at random, by `rng`.

        A reward of weight w counts as w rewards.
        """
        arms, rewards = checked_pulls(state, arms, rewards)
        contexts = checked_contexts(state, contexts)
        if weights is not None:
            weights = checked_weights(state, rewards, weights)
        learn(self, state, contexts, arms, rewards, rng, weights)

    def remap_arms(self, state: S, problem: Problem, before: ArmMap) -> None:
        """Go on with the arms of `problem`, in place: `before` has each one's earlier place.

        It is None for a new arm, which starts from the prior.
        """
        if len(before) != problem.n_arms:
            raise InvalidInput("before", before, f"give one entry for each of {problem.n_arms}")
        state.remap_arms(self.start(problem, state.runs), before)
        state.problem = problem

    @abstractmethod
    def _start(self, problem: Problem, runs: int) -> S: ...

    @abstractmethod
    def _scores(self, state: S, contexts: Contexts, rng: Rng) -> Array: ...

    @abstractmethod
    def _update(
        self,
        state: S,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None: ...

    def _select(self, state: S, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        scores = self._scores(state, contexts, rng)
        return argmax(scores, allowed, state.problem.support.scale, rng)

    def _probabilities(self, state: S, contexts: Contexts, allowed: Array) -> Probabilities:
        return None


def learn(
    policy: Policy[S],
    state: S,
    contexts: Contexts,
    arms: Array,
    rewards: Array,
    rng: Rng | None,
    weights: Weights,
) -> None:
    """`Policy.update` of what the caller has validated."""
    if weights is None:
        policy._update(state, contexts, arms, rewards, rng)
    elif state.repeats_weights and (weights == np.rint(weights[0])).all():
        for _ in range(int(weights[0])):
            policy._update(state, contexts, arms, rewards, rng)
    else:
        policy._update(state, contexts, arms, rewards, rng, weights)


def discount(policy: Policy[S], state: S, factor: float) -> None:
    """Let everything learnt so far, but not the prior, count only `factor` as much."""
    if not 0 <= factor <= 1:
        raise InvalidInput("factor", factor, "give a number from 0 to 1")
    state.discount(policy.start(state.problem, state.runs), factor)


def needed(rng: Rng | None, policy: object) -> Rng:
    """The generator that a policy needs to learn."""
    if rng is None:
        remedy = f"{type(policy).__name__} learns at random; pass a generator"
        raise InvalidInput("rng", rng, remedy)
    return rng

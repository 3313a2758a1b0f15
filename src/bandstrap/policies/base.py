"""What a policy is: frozen parameters, and state by run that the caller owns."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.choice import argmax
from bandstrap.errors import InvalidInput
from bandstrap.history.compiled import Compiled
from bandstrap.policies.checks import (
    check_arms,
    checked_allowed,
    checked_contexts,
    checked_pulls,
    checked_weights,
)
from bandstrap.policies.state import State
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap

S = TypeVar("S", bound=State)

MOST = 100_000  # a larger weight would take seconds where it is learnt reward by reward


class Draw(NamedTuple):
    """A choice, and what is known of how it came about."""

    arm: int
    scores: Array  # (arms,) of the draw that decided
    shares: Array  # (arms,) how probable each arm was
    draws: int  # by which the shares were told; 0 if they are exact

    @classmethod
    def voted(cls, arm: int, scores: Array, again: Callable[[], int], draws: int) -> "Draw":
        """Shares by votes, of which the draw that decided has the first."""
        votes = [arm, *(again() for _ in range(draws - 1))]
        return cls(arm, scores, np.bincount(votes, minlength=scores.size) / draws, draws)


class Policy(ABC, Generic[S]):
    """How to choose among arms.

    The public methods check what they are given; a policy writes `_start`, `_scores` and `_update`,
    and may write `_select` where there is a faster way to the same choice. One that is
    `context_free` looks at rewards alone: whether it can take them is known before any context.
    """

    context_free: ClassVar[bool] = False

    @property
    def reads_arms(self) -> bool:
        """Whether it tells arms apart by features of their own, by one model for all of them."""
        return False

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        """Refuse a problem, or rewards that will come, as far as no context has to be known.

        The problem's `n_features` is not looked at: the first context will say.
        """
        check_arms(problem, self.reads_arms)
        if self.context_free:
            state = self.start(problem)
            for reward in rewards:
                self.check_reward(state, reward, 1.0)

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
        contexts = checked_contexts(state, contexts, of_arms=True)
        return self._select(state, contexts, rng, checked_allowed(state, allowed))

    def choose(
        self, state: S, contexts: Contexts, rng: Rng, allowed: Array | None = None
    ) -> tuple[Array, Array]:
        """As `select`, with the scores of the draw that decided, (runs, arms)."""
        contexts = checked_contexts(state, contexts, of_arms=True)
        return self._choose(state, contexts, rng, checked_allowed(state, allowed))

    def decide(
        self, state: S, contexts: Contexts, rng: Rng, allowed: Array | None, draws: int
    ) -> Draw:
        """A choice, its scores and how probable each arm was, for a state of one run.

        Where the policy does not know the probabilities, `draws` draws vote; the first decides.
        """
        contexts = checked_contexts(state, contexts, of_arms=True)
        return self._decide(state, contexts, rng, checked_allowed(state, allowed), draws)

    def probabilities(self, state: S, contexts: Contexts, allowed: Array) -> Array | None:
        """How probable each arm is, (arms,), for a state of one run; None if only draws can say."""
        contexts = checked_contexts(state, contexts, of_arms=True)
        return self._probabilities(state, contexts, checked_allowed(state, allowed))

    def update(
        self,
        state: S,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None = None,
        weights: Weights = None,
    ) -> None:
        """Learn from one reward in each run, in place; some policies learn at random, by `rng`.

        A reward of weight w counts as w rewards; `weights` are 1 where none are given.
        """
        arms, rewards = checked_pulls(state, arms, rewards)
        contexts = checked_contexts(state, contexts)
        if weights is None:
            self._update(state, contexts, arms, rewards, rng)
        else:
            weights = checked_weights(state, weights)
            self._update_weighted(state, contexts, arms, rewards, rng, weights)

    def learn(
        self,
        state: S,
        contexts: Contexts,
        arm: int,
        reward: float,
        rng: Rng | None,
        weight: float = 1.0,
    ) -> None:
        """As `update` in a state of one run, of what its caller has checked."""
        arms, rewards = np.array([arm]), np.array([reward])
        if weight == 1.0:
            self._update(state, contexts, arms, rewards, rng)
        else:
            self._update_weighted(state, contexts, arms, rewards, rng, np.array([weight]))

    def check_context(self, state: S, contexts: Contexts) -> None:
        """Refuse what `update` would refuse."""
        checked_contexts(state, contexts)

    def check_reward(self, state: S, reward: float, weight: float) -> None:
        """Refuse what `update` would refuse of a reward within the support, or learn too slowly."""
        if weight > MOST and not state.divisible:
            remedy = f"this policy learns it reward by reward: give at most {MOST:,} at once"
            raise InvalidInput("weight", weight, remedy)
        state.check_reward(reward, weight)

    def remap_arms(self, state: S, problem: Problem, before: ArmMap) -> None:
        """Go on with the arms of `problem`, in place: where each stood before, None for a new one.

        A new arm starts from the prior.
        """
        if len(before) != problem.n_arms:
            raise InvalidInput("before", before, f"give one entry for each of {problem.n_arms}")
        state.remap_arms(self.start(problem, state.runs), before)
        state.problem = problem

    def forget(self, state: S, factor: float) -> None:
        """Let everything learnt so far, but not the prior, count only `factor` as much."""
        if not 0 <= factor <= 1:
            raise InvalidInput("factor", factor, "give a number from 0 to 1")
        state.discount(self.start(state.problem, state.runs), factor)

    def compiled(self, state: S) -> Compiled | None:
        """What lets a simulation play whole runs in compiled code; None where it cannot."""
        return None

    @abstractmethod
    def _start(self, problem: Problem, runs: int) -> S: ...

    @abstractmethod
    def _scores(self, state: S, contexts: Contexts, rng: Rng) -> Array: ...

    @abstractmethod
    def _update(
        self, state: S, contexts: Contexts, arms: Array, rewards: Array, rng: Rng | None
    ) -> None: ...

    def _select(self, state: S, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        return self._choose(state, contexts, rng, allowed)[0]

    def _choose(
        self, state: S, contexts: Contexts, rng: Rng, allowed: Array
    ) -> tuple[Array, Array]:
        scores = self._scores(state, contexts, rng)
        return argmax(scores, allowed, state.problem.support.scale, rng), scores

    def _decide(self, state: S, contexts: Contexts, rng: Rng, allowed: Array, draws: int) -> Draw:
        arms, scores = self._choose(state, contexts, rng, allowed)
        shares = self._probabilities(state, contexts, allowed)
        if shares is not None:
            return Draw(int(arms[0]), scores[0], shares, 0)
        votes = np.zeros(state.problem.n_arms)
        votes[arms[0]] += 1.0
        for _ in range(draws - 1):
            votes[self._select(state, contexts, rng, allowed)[0]] += 1.0
        return Draw(int(arms[0]), scores[0], votes / draws, draws)

    def _probabilities(self, state: S, contexts: Contexts, allowed: Array) -> Array | None:
        return None

    def _update_weighted(
        self,
        state: S,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Array,
    ) -> None:
        """A reward of whole weight is that many rewards; other weights are for states that can."""
        if not state.divisible and (weights == np.rint(weights[0])).all():
            for _ in range(int(weights[0])):
                self._update(state, contexts, arms, rewards, rng)
        else:
            state.weigh_in(arms, rewards, weights)


def needed(rng: Rng | None, policy: object) -> Rng:
    """The generator that a policy needs to learn."""
    if rng is None:
        raise InvalidInput(
            "rng", rng, f"{type(policy).__name__} learns at random; pass a generator"
        )
    return rng

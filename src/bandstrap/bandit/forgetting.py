"""What a bandit has learnt, and how it forgets, so that it follows a world that changes."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.policies import Policy, State
from bandstrap.policies.base import discount, learn
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import Fixed, Of, Real, Schema, Whole, require
from bandstrap.validation import is_whole, require_positive

LONGEST = 10**15  # rewards
STEPS = 16  # of a half-life


class Memory:
    """One state of a policy, which learns every reward and forgets none."""

    schema = Schema(policy=Fixed(Of(Policy)), problem=Fixed(Of(Problem)), state=Of(State))

    def __init__(self, policy: Policy[Any], problem: Problem) -> None:
        self.policy = policy
        self.problem = problem
        self.state = policy.start(problem)

    def learn(
        self, context: Array | None, arm: int, reward: float, weight: float, rng: Rng
    ) -> None:
        """Learn one reward that has been checked."""
        weights = None if weight == 1.0 else np.array([weight])
        learn(self.policy, self.state, context, np.array([arm]), np.array([reward]), rng, weights)

    @property
    def unsettled(self) -> bool:
        """Whether learning has put something off."""
        return bool(self.state.unsettled)

    def settle(self, rng: Rng) -> None:
        """Do now what learning has put off."""
        self.state.settle(rng)

    def remap_arms(self, problem: Problem, before: ArmMap) -> None:
        """Go on with the arms of `problem`; `before` has each one's earlier place, or None."""
        self.policy.remap_arms(self.state, problem, before)
        self.problem = problem


class Interval:
    """Counts rewards; complete every `every` of them."""

    schema = Schema(every=Fixed(Whole(1)), since=Whole())

    def verify_saved(self) -> None:
        require(self.since < self.every, "it should have been completed")

    def __init__(self, every: int) -> None:
        self.every = every
        self.since = 0

    def completed(self) -> bool:
        """Count one more reward; whether it completes the interval."""
        self.since = (self.since + 1) % self.every
        return self.since == 0


class FadingMemory(Memory):
    """Everything learnt is discounted by `factor` every `every` rewards."""

    schema = Schema(interval=Of(Interval), factor=Fixed(Real(0, 1)))
    former_fields: ClassVar[dict[str, str]] = {"rhythm": "interval"}

    def __init__(self, policy: Policy[Any], problem: Problem, every: int, factor: float) -> None:
        super().__init__(policy, problem)
        discount(policy, self.state, factor)  # a policy that cannot forget refuses now
        self.interval = Interval(every)
        self.factor = factor

    def learn(
        self, context: Array | None, arm: int, reward: float, weight: float, rng: Rng
    ) -> None:
        super().learn(context, arm, reward, weight, rng)
        if self.interval.completed():
            discount(self.policy, self.state, self.factor)


class WindowMemory(Memory):
    """Two states that learn side by side; every `every` rewards a new one replaces the older."""

    schema = Schema(younger=Of(State), interval=Of(Interval))
    former_fields: ClassVar[dict[str, str]] = {"rhythm": "interval"}

    def __init__(self, policy: Policy[Any], problem: Problem, every: int) -> None:
        super().__init__(policy, problem)
        self.younger = policy.start(problem)
        self.interval = Interval(every)

    def learn(
        self, context: Array | None, arm: int, reward: float, weight: float, rng: Rng
    ) -> None:
        super().learn(context, arm, reward, weight, rng)
        weights = None if weight == 1.0 else np.array([weight])
        learn(self.policy, self.younger, context, np.array([arm]), np.array([reward]), rng, weights)
        if self.interval.completed():
            self.state, self.younger = self.younger, self.policy.start(self.problem)

    @property
    def unsettled(self) -> bool:
        return super().unsettled or self.younger.unsettled

    def settle(self, rng: Rng) -> None:
        super().settle(rng)
        self.younger.settle(rng)

    def remap_arms(self, problem: Problem, before: ArmMap) -> None:
        super().remap_arms(problem, before)
        self.policy.remap_arms(self.younger, problem, before)


class Forgetting(ABC):
    """What kind of memory a bandit has."""

    @abstractmethod
    def memory(self, policy: Policy[Any], problem: Problem) -> Memory:
        """The memory before the first reward."""


@dataclass(frozen=True)
class NoForgetting(Forgetting):
    """Every reward counts forever.

    >>> NoForgetting()
    NoForgetting()
    """

    def memory(self, policy: Policy[Any], problem: Problem) -> Memory:
        return Memory(policy, problem)


@dataclass(frozen=True)
class HalfLife(Forgetting):
    """A reward counts half after `rewards` more rewards, a quarter after twice as many.

    The factor multiplies the bootstrap weights of what was learnt, in sixteen steps per half-life.
    Pseudo-rewards and pseudo-examples keep theirs, so an arm that is not pulled returns to its
    prior and is explored again.

    >>> from bandstrap import Bandit, Bootstrap
    >>> bandit = Bandit(Bootstrap(), ["red", "green"], forgetting=HalfLife(1000))
    >>> bandit.forgetting
    HalfLife(rewards=1000)
    """

    rewards: float

    def __post_init__(self) -> None:
        require_positive(rewards=self.rewards)
        if self.rewards > LONGEST:
            raise InvalidInput("rewards", self.rewards, "too long to matter: use NoForgetting()")

    def memory(self, policy: Policy[Any], problem: Problem) -> Memory:
        every = max(1, round(self.rewards / STEPS))
        return FadingMemory(policy, problem, every, float(2.0 ** (-every / self.rewards)))


@dataclass(frozen=True)
class Window(Forgetting):
    """Only the latest rewards count: at most `rewards`, at least half as many.

    Two states learn side by side; every half window a new one replaces the older. This works with
    every policy, at twice the cost of learning.

    >>> from bandstrap import Bandit, UCB1
    >>> Bandit(UCB1(), ["red", "green"], forgetting=Window(500)).forgetting
    Window(rewards=500)
    """

    rewards: int

    def __post_init__(self) -> None:
        if not (is_whole(self.rewards) and 2 <= self.rewards <= LONGEST):
            raise InvalidInput("rewards", self.rewards, "give a window of at least 2 rewards")

    def memory(self, policy: Policy[Any], problem: Problem) -> Memory:
        return WindowMemory(policy, problem, self.rewards // 2)

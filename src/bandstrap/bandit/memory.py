"""What a bandit has learnt, and how it forgets."""

from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.policies import Policy, State
from bandstrap.policies.base import learn
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import Fixed, Of, Real, Schema, Whole, require


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
        policy.forget(self.state, factor)  # a policy that cannot forget refuses now
        self.interval = Interval(every)
        self.factor = factor

    def learn(
        self, context: Array | None, arm: int, reward: float, weight: float, rng: Rng
    ) -> None:
        super().learn(context, arm, reward, weight, rng)
        if self.interval.completed():
            self.policy.forget(self.state, self.factor)


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

    def remap_arms(self, problem: Problem, before: ArmMap) -> None:
        super().remap_arms(problem, before)
        self.policy.remap_arms(self.younger, problem, before)

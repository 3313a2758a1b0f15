"""What a bandit has learnt, and how long it keeps it."""

from typing import Any

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.policies import Policy, State
from bandstrap.policies.base import learn
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import Fixed, Of, Real, Schema, Whole, require


class Memory:
    """One state of a policy that learns every reward and forgets none."""

    schema = Schema(policy=Fixed(Of(Policy)), problem=Fixed(Of(Problem)), state=Of(State))

    def __init__(self, policy: Policy[Any], problem: Problem) -> None:
        self.policy = policy
        self.problem = problem
        self.state = policy.start(problem)

    def learn(
        self, context: Array | None, arm: int, reward: float, weight: float, rng: Rng
    ) -> None:
        """Take in one reward that has been checked."""
        weights = None if weight == 1.0 else np.array([weight])
        learn(self.policy, self.state, context, np.array([arm]), np.array([reward]), rng, weights)

    def remap_arms(self, problem: Problem, before: ArmMap) -> None:
        """Go on with other arms: each one that was there before, or a new one."""
        self.policy.remap_arms(self.state, problem, before)
        self.problem = problem


class Rhythm:
    """Strikes at every so many rewards."""

    schema = Schema(every=Fixed(Whole(1)), since=Whole())

    def verify_saved(self) -> None:
        require(self.since < self.every, "it should have struck")

    def __init__(self, every: int) -> None:
        self.every = every
        self.since = 0

    def strikes(self) -> bool:
        """One more reward has come: whether it is time."""
        self.since = (self.since + 1) % self.every
        return self.since == 0


class Fading(Memory):
    """Everything learnt is discounted by `factor` every so many rewards."""

    schema = Schema(rhythm=Of(Rhythm), factor=Fixed(Real(0, 1)))

    def __init__(self, policy: Policy[Any], problem: Problem, every: int, factor: float) -> None:
        super().__init__(policy, problem)
        policy.forget(self.state, factor)  # a policy that cannot says so now
        self.rhythm = Rhythm(every)
        self.factor = factor

    def learn(
        self, context: Array | None, arm: int, reward: float, weight: float, rng: Rng
    ) -> None:
        super().learn(context, arm, reward, weight, rng)
        if self.rhythm.strikes():
            self.policy.forget(self.state, self.factor)


class Paned(Memory):
    """Two states that learn side by side; the older one is left every so many rewards."""

    schema = Schema(younger=Of(State), rhythm=Of(Rhythm))

    def __init__(self, policy: Policy[Any], problem: Problem, every: int) -> None:
        super().__init__(policy, problem)
        self.younger = policy.start(problem)
        self.rhythm = Rhythm(every)

    def learn(
        self, context: Array | None, arm: int, reward: float, weight: float, rng: Rng
    ) -> None:
        super().learn(context, arm, reward, weight, rng)
        weights = None if weight == 1.0 else np.array([weight])
        learn(self.policy, self.younger, context, np.array([arm]), np.array([reward]), rng, weights)
        if self.rhythm.strikes():
            self.state, self.younger = self.younger, self.policy.start(self.problem)

    def remap_arms(self, problem: Problem, before: ArmMap) -> None:
        super().remap_arms(problem, before)
        self.policy.remap_arms(self.younger, problem, before)

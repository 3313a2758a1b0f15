"""How a bandit forgets, so that it can follow a world that changes."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from bandstrap.bandit.memory import Fading, Memory, Paned
from bandstrap.errors import InvalidInput
from bandstrap.policies import Policy
from bandstrap.problem import Problem
from bandstrap.validation import is_whole, require_positive

LONGEST = 10**15  # rewards
STEPS = 16  # a half-life is taken in so many steps


class Forgetting(ABC):
    """What kind of memory a bandit has."""

    @abstractmethod
    def memory(self, policy: Policy[Any], problem: Problem) -> Memory:
        """The memory before the first reward."""


@dataclass(frozen=True)
class NoForgetting(Forgetting):
    """Every reward counts for good."""

    def memory(self, policy: Policy[Any], problem: Problem) -> Memory:
        return Memory(policy, problem)


@dataclass(frozen=True)
class HalfLife(Forgetting):
    """A reward counts half as much after so many more rewards, a quarter after twice as many.

    The factor multiplies the bootstrap weights of what was learnt, in sixteen steps per half-life.
    Pseudo-rewards and pseudo-examples keep theirs, so that an arm that is not pulled goes back to
    its prior and is explored again.
    """

    rewards: float

    def __post_init__(self) -> None:
        require_positive(rewards=self.rewards)
        if self.rewards > LONGEST:
            raise InvalidInput("rewards", self.rewards, "nobody waits so long: use NoForgetting()")

    def memory(self, policy: Policy[Any], problem: Problem) -> Memory:
        every = max(1, round(self.rewards / STEPS))
        return Fading(policy, problem, every, float(2.0 ** (-every / self.rewards)))


@dataclass(frozen=True)
class Window(Forgetting):
    """Only the last rewards count: never more than so many, and no fewer than half as many.

    Two states learn side by side; every half window the older one is left and a new one begun. So
    this works with every policy, at twice the cost of learning.
    """

    rewards: int

    def __post_init__(self) -> None:
        if not (is_whole(self.rewards) and 2 <= self.rewards <= LONGEST):
            raise InvalidInput("rewards", self.rewards, "give a window of at least 2 rewards")

    def memory(self, policy: Policy[Any], problem: Problem) -> Memory:
        return Paned(policy, problem, self.rewards // 2)

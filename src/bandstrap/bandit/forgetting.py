"""How a bandit forgets, so that it follows a world that changes."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from bandstrap.bandit.memory import FadingMemory, Memory, WindowMemory
from bandstrap.errors import InvalidInput
from bandstrap.policies import Policy
from bandstrap.problem import Problem
from bandstrap.validation import is_whole, require_positive

LONGEST = 10**15  # rewards
STEPS = 16  # of a half-life


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

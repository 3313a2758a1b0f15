"""Decisions that wait for their reward."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from bandstrap.bandit.decision import Arm
from bandstrap.checks import is_finite, require_positive
from bandstrap.errors import InvalidInput


class Waiting(NamedTuple):
    """What must be remembered of a decision until its reward comes."""

    context: np.ndarray | None
    arm: Arm
    time: float  # seconds, by the clock that the bandit was given


@dataclass(frozen=True)
class Expiry:
    """When a decision is given up: so many decisions later, or so many seconds.

    A decision that is given up is learnt with `reward`, or not at all if that is None.

    >>> Expiry(decisions=10_000, reward=0.0).reward
    0.0
    """

    decisions: int | None = None
    seconds: float | None = None
    reward: float | None = None

    def __post_init__(self) -> None:
        require_positive(decisions=self.decisions, seconds=self.seconds)
        if self.reward is not None and not is_finite(self.reward):
            raise InvalidInput("reward", self.reward, "give a number, or None to learn nothing")


class Pending:
    """Decisions by number, oldest first."""

    first = 0  # the number of the first one; files of earlier versions do not say

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self.next = first  # the number of the next decision
        self.waiting: dict[int, Waiting] = {}

    @property
    def made(self) -> int:
        """How many decisions there were."""
        return self.next - self.first

    def __len__(self) -> int:
        return len(self.waiting)

    def add(self, context: np.ndarray | None, arm: Arm, time: float) -> int:
        number = self.next
        self.waiting[number] = Waiting(context, arm, time)
        self.next += 1
        return number

    def back_to(self, number: int) -> None:
        """Take back the decisions from this number on."""
        for later in range(number, self.next):
            self.waiting.pop(later, None)
        self.next = number

    def find(self, decision: Any) -> tuple[int, Waiting]:
        """The number of a decision, given as such or by its `id`, and what waits under it."""
        number = getattr(decision, "id", decision)
        if type(number) is not int:  # as it almost always is
            if isinstance(number, bool | np.bool_) or not isinstance(number, int | np.integer):
                raise InvalidInput("decision", decision, "give a Decision or its id")
            number = int(number)
        found = self.waiting.get(number)
        if found is None:
            told = self.first <= number < self.next
            reason = "it has its reward already, or has expired"
            raise InvalidInput(
                "decision", number, reason if told else "no such decision was made by this bandit"
            )
        if hasattr(decision, "id") and not decision.chose(found.arm, found.context):
            remedy = f"another bandit made it: here decision {number} is another; learn it there"
            raise InvalidInput("decision", decision, remedy)
        return number, found

    def expired(self, expiry: Expiry, time: float) -> list[int]:
        """The decisions to give up now."""
        return list(takewhile(lambda number: self._late(number, expiry, time), self.waiting))

    def _late(self, number: int, expiry: Expiry, time: float) -> bool:
        late = expiry.decisions is not None and self.next - number > expiry.decisions
        old = expiry.seconds is not None and time - self.waiting[number].time > expiry.seconds
        return late or old

"""Schemes in which every reward brings pseudo-rewards, in its own context."""

from dataclasses import dataclass
from typing import ClassVar

from bandstrap.errors import InvalidInput
from bandstrap.problem import Support
from bandstrap.resampling.base import Resampling
from bandstrap.validation import LARGEST, require_number, require_within

MOST_PSEUDO = 10**6  # per reward


@dataclass(frozen=True)
class WithPseudoRewards(Resampling):
    """`a` pseudo-rewards for each reward, at the ends `low` and `high` of the rewards' interval."""

    a: int = 1
    low: float = 0.0
    high: float = 1.0

    perturbs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_within(1, MOST_PSEUDO, a=self.a)
        require_number(-LARGEST, LARGEST, low=self.low, high=self.high)
        if not self.low < self.high:
            raise InvalidInput("high", self.high, f"give more than low, {self.low:g}")

    def check(self, support: Support) -> None:
        if not (self.low <= support.low and support.high <= self.high):
            ends = f"low={support.low:g}, high={support.high:g}"
            remedy = f"pseudo-rewards lie where rewards end: give {ends}, and finite ones"
            raise InvalidInput("resampling", self, remedy)

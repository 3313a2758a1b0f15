"""What an interval is, and what finds one decision by decision."""

from dataclasses import dataclass
from math import hypot, sqrt
from typing import Protocol

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.sample import Sample
from bandstrap.validation import is_finite, require_share

__all__ = ["Interval", "Tally", "check_range", "counts_of", "more", "scaled"]


@dataclass(frozen=True)
class Interval:
    """Where a value lies, with probability `level`, and by which method that was found.

    >>> interval = Interval(0.2, 0.4, 0.95, "normal")
    >>> 0.3 in interval, 0.5 in interval
    (True, False)
    """

    low: float
    high: float
    level: float
    method: str

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def widened(self, value: float, factor: float) -> "Interval":
        """Its ends so many times as far from a value."""
        low, high = (value + (end - value) * factor for end in (self.low, self.high))
        return Interval(low, high, self.level, self.method)

    def moved(self, by: float) -> "Interval":
        """As wide, elsewhere."""
        return Interval(self.low + by, self.high + by, self.level, self.method)


def more(error: float, variance: float) -> tuple[float, float]:
    """An error with a further one of this variance, and how many times as large it is then.

    >>> more(3.0, 16.0)
    (5.0, 1.6666666666666667)
    """
    if not variance:
        return error, 1.0
    both = hypot(error, sqrt(variance))
    return both, both / error if error > 0 else 1.0


class Tally(Protocol):
    """What a method remembers of the decisions so far, in bounded memory."""

    def add(self, sample: Sample) -> None:
        """Take in the next decisions, in order."""

    def interval(self) -> Interval:
        """Where the value lies, by all decisions so far."""


def counts_of(sample: Sample) -> Array | float:
    """How many decisions rows stand for."""
    return 1.0 if sample.counts is None else sample.counts


def check_range(low: float, high: float, level: float) -> None:
    """Refuse anything but a range of rewards and a level."""
    require_share(level=level)
    if not (is_finite(low) and is_finite(high) and low < high):
        raise InvalidInput("low", (low, high), "give the least reward and a greater one")


def scaled(rewards: Array, low: float, high: float) -> Array:
    """Rewards from 0 to 1; refuses others.

    >>> import numpy as np
    >>> scaled(np.array([-1.0, 0.0, 1.0]), -1.0, 1.0).tolist()
    [0.0, 0.5, 1.0]
    """
    if len(rewards) and not (low <= rewards.min() and rewards.max() <= high):
        worst = rewards.min() if rewards.min() < low else rewards.max()
        remedy = f"it lies outside {low:g} to {high:g}: say the range of rewards"
        raise InvalidInput("reward", float(worst), remedy)
    unit: Array = (rewards - low) / (high - low)
    return unit

"""Clopper–Pearson: exact for shares, applied to weighted rewards."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from bandstrap.evaluation.intervals.base import Interval, check_range, counts_of, scaled
from bandstrap.evaluation.sample import Sample

__all__ = ["ClopperPearson", "ClopperPearsonTally"]


@dataclass(frozen=True)
class ClopperPearson:
    """Decisions and weighted rewards, both over the largest ratio, as trials and successes.

    Exact for 0/1 rewards if all ratios are equal, and a rule of thumb otherwise: it is wide where
    one ratio is large.

    >>> tally = ClopperPearson().start()
    >>> tally.add(Sample(np.array([1.0, 0.0, 0.0, 0.0]), np.full(4, 2.0), np.full(4, 0.5)))
    >>> interval = tally.interval()
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0063, 0.8059)
    """

    low: float = 0.0
    high: float = 1.0
    level: float = 0.95

    def __post_init__(self) -> None:
        check_range(self.low, self.high, self.level)

    def start(self) -> "ClopperPearsonTally":
        return ClopperPearsonTally(self)


class ClopperPearsonTally:
    """The sums so far."""

    def __init__(self, settings: ClopperPearson) -> None:
        self.settings = settings
        self.decisions = 0.0
        self.earned = 0.0
        self.largest = 0.0

    def add(self, sample: Sample) -> None:
        if not len(sample):
            return
        ratios = sample.ratios * counts_of(sample)
        rewards = scaled(sample.rewards, self.settings.low, self.settings.high)
        self.decisions += float(np.sum(counts_of(sample) * np.ones(len(sample))))
        self.earned += float(ratios @ rewards)
        self.largest = max(self.largest, float(ratios.max()))

    def interval(self) -> Interval:
        given, low, high = self.settings, 0.0, 1.0
        if self.largest > 0:
            tail = (1 - given.level) / 2
            ones, trials = self.earned / self.largest, self.decisions / self.largest
            low = betaincinv(ones, trials - ones + 1, tail) if 0 < ones < trials + 1 else low
            high = betaincinv(ones + 1, trials - ones, 1 - tail) if ones < trials else high
        span = given.high - given.low
        ends = given.low + span * float(low), given.low + span * float(high)
        return Interval(*ends, given.level, "clopper-pearson")

"""Cressie–Read: the values of all reweighted logs that are close enough to the one seen."""

from dataclasses import dataclass
from math import inf, isinf, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import fdtri

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.intervals.base import Interval, check_range, counts_of, scaled
from bandstrap.evaluation.sample import Sample

__all__ = ["CressieRead", "CressieReadTally"]


@dataclass(frozen=True)
class CressieRead:
    """Empirical likelihood by the Cressie–Read divergence of power -2 (Karampatziakis, Langford,
    Mineiro, 2020).

    Reweighted logs must have a mean ratio of 1, as the true one has, and one decision more than was
    seen, with any ratio from `least` to `most` and any reward: so the interval allows for a large
    ratio that has not come up yet.

    >>> rng = np.random.default_rng(0)
    >>> sample = Sample((rng.random(500) < 0.3) + 0.0, np.full(500, 2.0), rng.random(500))
    >>> tally = CressieRead(most=2.0).start()
    >>> tally.add(sample)
    >>> interval = tally.interval()
    >>> bool(interval.low < tally.value < interval.high)
    True
    """

    low: float = 0.0
    high: float = 1.0
    level: float = 0.95
    least: float = 0.0
    most: float = inf

    def __post_init__(self) -> None:
        check_range(self.low, self.high, self.level)
        if not 0 <= self.least < 1 < self.most:
            remedy = "give the smallest possible ratio, below 1, and the largest, above 1"
            raise InvalidInput("most", (self.least, self.most), remedy)

    def start(self) -> "CressieReadTally":
        return CressieReadTally(self)


class Extended(NamedTuple):
    """A log with one more decision, as far as ratios w and weighted rewards y tell.

    Where the ratio is infinite, what remains is a log of n decisions whose ratios need not average
    to 1: all that is missing is the last one's.
    """

    excess: float  # (mean w - 1)² / Var w
    centre: float  # the mean of y, given that of w
    spread: float  # the variance of y that w does not explain


class CressieReadTally:
    """The sums so far."""

    def __init__(self, settings: CressieRead) -> None:
        self.settings = settings
        self.least, self.most = settings.least, settings.most
        self.decisions = 0.0
        self.paid = 0.0
        self.sums = np.zeros(5)  # of w, w², y, w y, y², where y = w r

    def add(self, sample: Sample) -> None:
        if not len(sample):
            return
        ratios = sample.ratios * counts_of(sample)
        paid = scaled(sample.rewards, self.settings.low, self.settings.high)
        y = ratios * paid
        self.sums += [ratios.sum(), ratios @ ratios, y.sum(), ratios @ y, y @ y]
        self.decisions += float(np.sum(counts_of(sample) * np.ones(len(sample))))
        self.paid += float(np.sum(counts_of(sample) * paid))
        self.least = min(self.least, float(ratios.min()))
        self.most = max(self.most, float(ratios.max()))

    @property
    def value(self) -> float:
        """The estimate: mass that ratios leave missing earns what the log did."""
        if not self.decisions:
            return float("nan")
        n, (w, ww, y, wy, _) = self.decisions, self.sums
        base, slope = (1 + n) / n, 0.0  # how much a decision of ratio w counts: base + slope w
        if not isinf(self._far):
            mean, square = (self._far + w) / (1 + n), (self._far**2 + ww) / (1 + n)
            base, slope = np.array([square - mean, 1 - mean]) / (square - mean**2)
        missing = max(0.0, 1 - (base * w + slope * ww) / (1 + n))
        value = (base * y + slope * wy) / (1 + n) + missing * self.paid / n
        return self._back(float(value))

    def interval(self) -> Interval:
        given, ends = self.settings, (0.0, 1.0)
        if self.decisions:
            n = self.decisions
            free = self._extended(self._far, 0.0).excess + fdtri(1, n, given.level) / (1 + n)
            ends = self._end(0.0, free), self._end(1.0, free)
        return Interval(self._back(ends[0]), self._back(ends[1]), given.level, "cressie-read")

    @property
    def _far(self) -> float:
        """The ratio of one more decision that brings the mean nearest to 1."""
        return self.most if self.sums[0] < self.decisions else self.least

    def _end(self, reward: float, free: float) -> float:
        """The value farthest towards a reward, 0 or 1, among logs that are close enough."""
        sign, ends = (-1 if reward == 0 else 1), []
        for ratio in (self.least, self.most):
            log = self._extended(ratio, reward)
            square = log.spread * (free - log.excess)
            if square >= 0:
                ends.append(log.centre + sign * sqrt(square))
        worst = (max(ends) if sign > 0 else min(ends)) if ends else reward
        return float(min(1.0, max(0.0, worst)))

    def _extended(self, ratio: float, reward: float) -> Extended:
        """The log with one decision more, of this ratio and reward."""
        n, sums = self.decisions, self.sums
        if isinf(ratio):
            return self._with_missing(reward)
        more = np.array([ratio, ratio**2, ratio * reward, ratio**2 * reward, (ratio * reward) ** 2])
        return _conditioned((sums + more) / (1 + n))

    def _with_missing(self, reward: float) -> Extended:
        """The log where whatever mass is missing has this reward."""
        n, (w, ww, y, wy, yy) = self.decisions, self.sums
        off = y - reward * w
        squares = yy - 2 * reward * wy + reward**2 * ww
        return Extended(1 / n, reward + off / n, (squares - off**2 / n) / (1 + n))

    def _back(self, unit: float) -> float:
        return self.settings.low + unit * (self.settings.high - self.settings.low)


def _conditioned(means: Array) -> Extended:
    """From the means of w, w², y, w y and y²."""
    w, ww, y, wy, yy = map(float, means)
    spread, along = ww - w**2, wy - w * y
    if spread <= 0:  # all ratios are equal: nothing to condition on
        return Extended(0.0, y, yy - y**2)
    return Extended(
        (1 - w) ** 2 / spread, y + (1 - w) * along / spread, yy - y**2 - along**2 / spread
    )

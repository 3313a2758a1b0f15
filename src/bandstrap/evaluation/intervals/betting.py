"""A betting confidence sequence: values that a gambler would have grown rich against."""

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.polynomial import chebyshev
from scipy.optimize import brentq

from bandstrap.arrays import Array
from bandstrap.evaluation.intervals.base import Interval, check_range
from bandstrap.evaluation.intervals.terms import (
    Terms,
    bounds,
    ips_terms,
    same_slack,
    unit_means,
    unit_terms,
)
from bandstrap.evaluation.sample import Sample

__all__ = ["Betting", "BettingTally"]

MOST = 0.5  # of the wealth is staked: ruin is then impossible, and wealth smooth in the value
NODES = chebyshev.chebpts1(24)  # of polynomials that hold logarithms of wealth to 12 digits
TO_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(NODES, len(NODES) - 1))
MEANS = (1 + NODES) / 2  # from 0 to 1
ROWS = 4096  # bets that are settled at once


@dataclass(frozen=True)
class Betting:
    """Where a value lies, by bets on every value at once (Waudby-Smith, Ramdas, 2024).

    If a value is the true one, no betting on terms above or below it makes money on average: wealth
    is at least 1 / α with probability α at most, ever. Stakes depend on earlier terms alone, so it
    is valid at every look, and the logger may have learnt from all earlier decisions.

    >>> rng = np.random.default_rng(0)
    >>> rewards = (rng.random(2000) < 0.3) + 0.0
    >>> tally = Betting().start()
    >>> tally.add(Sample(rewards, np.full(2000, 2.0), np.full(2000, 0.5)))
    >>> interval = tally.interval()
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.25, 0.32)
    """

    low: float = 0.0
    high: float = 1.0
    level: float = 0.95

    def __post_init__(self) -> None:
        check_range(self.low, self.high, self.level)

    def start(self) -> "BettingTally":
        return BettingTally(self)


class Gambler:
    """Bets that terms, at least 0, have a larger mean than is said, against every mean at once.

    The logarithm of wealth is a sum of smooth functions of the mean. It is kept at a few nodes,
    through which a polynomial gives it everywhere.
    """

    def __init__(self, tail: float) -> None:
        self.log_wealth = np.zeros(len(NODES))
        self._spare = -2 * log(tail)
        self._decisions, self._total, self._squares = 0.0, 0.0, 0.25

    def add(self, terms: Array, counts: Array | None) -> Array:
        """Settle bets on the next terms, and say what was staked on each, (n,)."""
        stakes = self._stakes(terms, counts)
        for start in range(0, len(terms), ROWS):
            some = slice(start, start + ROWS)
            won = stakes[some, None] * (terms[some, None] - MEANS)
            self.log_wealth += np.log1p(won).sum(axis=0)
            if counts is not None:
                lost = np.log1p(-stakes[some, None] * MEANS)
                self.log_wealth += (counts[some] - 1) @ lost
        return stakes

    def against(self, terms: Array, counts: Array | None, mean: float) -> Array:
        """Settle the same, and say the logarithm of wealth against a mean after each, (n,)."""
        before = self.at(mean)
        stakes = self.add(terms, counts)
        won = np.log1p(stakes * (terms - mean))
        if counts is not None:
            won += (counts - 1) * np.log1p(-stakes * mean)
        path: Array = before + won.cumsum()
        return path

    def at(self, mean: float) -> float:
        """The logarithm of wealth against a mean."""
        return float(chebyshev.chebval(2 * mean - 1, TO_COEFFICIENTS @ self.log_wealth))

    def least(self, threshold: float) -> float:
        """The smallest mean against which wealth is not too large."""
        if self.at(0.0) <= threshold:
            return 0.0
        if self.at(1.0) >= threshold:
            return 1.0
        return float(brentq(lambda mean: self.at(mean) - threshold, 0.0, 1.0, xtol=1e-12))

    def _stakes(self, terms: Array, counts: Array | None) -> Array:
        """What is staked on each term, by those before it."""
        each = np.ones(len(terms)) if counts is None else counts
        decisions, totals = self._decisions + each.cumsum(), self._total + terms.cumsum()
        means = np.minimum((totals + 0.5) / (decisions + 1), 1.0)
        squares = self._squares + ((terms - means) ** 2 + (each - 1) * means**2).cumsum()
        before = np.concatenate([[self._squares], squares[:-1]]) if len(terms) else squares
        time = decisions - each + 1
        variance = before / time
        if len(terms):
            self._decisions, self._total = float(decisions[-1]), float(totals[-1])
            self._squares = float(squares[-1])
        stakes: Array = np.minimum(np.sqrt(self._spare / (variance * time * np.log1p(time))), MOST)
        return stakes


class BettingTally:
    """Wealth so far, of bets on gains and on losses."""

    def __init__(self, settings: Betting) -> None:
        self.settings = settings
        self.slack: float | None = None
        tail = (1 - settings.level) / 2
        self.threshold = -log(tail)
        self._sides = Gambler(tail), Gambler(tail)

    def add(self, sample: Sample) -> None:
        """Take in the next decisions, by weighted rewards alone."""
        self.add_terms(ips_terms(sample, self.settings.low, self.settings.high))

    def add_terms(self, terms: Terms) -> None:
        """Take in the next decisions by terms of another kind, always the same."""
        self.slack = same_slack(self.slack, terms)
        for side, each in zip(self._sides, unit_terms(terms), strict=True):
            side.add(each, terms.counts)

    def evidence(self, terms: Terms, value: float) -> Array:
        """Take in decisions, and say after each how much speaks against a value, (n,).

        It is a logarithm; as long as it stays below `threshold` the value is inside the sequence.
        """
        self.slack = same_slack(self.slack, terms)
        means = unit_means(value, self.slack, self.settings.low, self.settings.high)
        both = zip(self._sides, unit_terms(terms), means, strict=True)
        wealth = [side.against(each, terms.counts, mean) for side, each, mean in both]
        evidence: Array = np.maximum(*wealth)
        return evidence

    def interval(self) -> Interval:
        """Where the value lies, by all decisions so far."""
        given = self.settings
        gained, lost = (side.least(self.threshold) for side in self._sides)
        ends = bounds(gained, lost, self.slack or 0.0, given.low, given.high)
        return Interval(*ends, given.level, "betting")

"""An empirical Bernstein confidence sequence: valid at every look, at once."""

from dataclasses import dataclass
from math import log

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammainc, gammaln

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
from bandstrap.validation import require_positive

__all__ = ["EmpiricalBernstein", "EmpiricalBernsteinTally", "log_mixture"]


@dataclass(frozen=True)
class EmpiricalBernstein:
    """Where a value lies, by as much as terms have varied (Howard et al., 2021).

    The probability that it is ever wrong, after whatever decision one looks, is at most
    1 - `level`; the logger may have learnt from all earlier decisions. Ratios need no bound. The
    sequence mixes bets of all sizes; `best_at` is the variance that it is narrowest at, in sums of
    squared terms.

    >>> rng = np.random.default_rng(0)
    >>> rewards = (rng.random(2000) < 0.3) + 0.0
    >>> tally = EmpiricalBernstein().start()
    >>> tally.add(Sample(rewards, np.full(2000, 2.0), np.full(2000, 0.5)))
    >>> interval = tally.interval()
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.26, 0.34)
    """

    low: float = 0.0
    high: float = 1.0
    level: float = 0.95
    best_at: float = 10.0

    def __post_init__(self) -> None:
        check_range(self.low, self.high, self.level)
        require_positive(best_at=self.best_at)

    def start(self) -> "EmpiricalBernsteinTally":
        return EmpiricalBernsteinTally(self)

    @property
    def mixing(self) -> float:
        """What the mixture has instead of variance before there is any."""
        tail = (1 - self.level) / 2
        return self.best_at / (-2 * log(tail) + log(1 - 2 * log(tail)))


class OneSide:
    """Sums of terms that are at least 0, and of squares around what past terms predict."""

    def __init__(self) -> None:
        self.decisions = 0.0
        self.total = 0.0
        self.variance = 0.0

    def add(self, terms: Array, counts: Array | None) -> tuple[Array, Array, Array]:
        """Decisions, sums and variances after each row; the last are kept."""
        each = np.ones(len(terms)) if counts is None else counts
        decisions, totals = self.decisions + each.cumsum(), self.total + terms.cumsum()
        # A guess of one half, as if seen once; a prediction above 1 would break the bound.
        guess = np.minimum((totals - terms + 0.5) / (decisions - each + 1), 1.0)
        squares = (terms - guess) ** 2 + (each - 1) * guess**2
        variances = self.variance + squares.cumsum()
        if len(terms):
            self.decisions, self.total, self.variance = (
                float(path[-1]) for path in (decisions, totals, variances)
            )
        return decisions, totals, variances


class EmpiricalBernsteinTally:
    """The sums so far, of gains and of losses."""

    def __init__(self, settings: EmpiricalBernstein) -> None:
        self.settings = settings
        self.slack: float | None = None
        self._sides = OneSide(), OneSide()

    def add(self, sample: Sample) -> None:
        """Take in the next decisions, by weighted rewards alone."""
        self.add_terms(ips_terms(sample, self.settings.low, self.settings.high))

    def add_terms(self, terms: Terms) -> None:
        """Take in the next decisions by terms of another kind, always the same."""
        self._paths(terms)

    def evidence(self, terms: Terms, value: float) -> Array:
        """Take in decisions, and say after each how much speaks against a value, (n,).

        It is a logarithm; as long as it stays below `threshold` the value is inside the sequence.
        """
        given = self.settings
        means = unit_means(value, terms.slack, given.low, given.high)
        wealth = [
            log_mixture(total - count * mean, variance, given.mixing)
            for mean, (count, total, variance) in zip(means, self._paths(terms), strict=True)
        ]
        evidence: Array = np.maximum(*wealth)
        return evidence

    @property
    def threshold(self) -> float:
        return -log((1 - self.settings.level) / 2)

    def interval(self) -> Interval:
        """Where the value lies, by all decisions so far."""
        given = self.settings
        gained, lost = (self._least(side) for side in self._sides)
        ends = bounds(gained, lost, self.slack or 0.0, given.low, given.high)
        return Interval(*ends, given.level, "empirical-bernstein")

    def _paths(self, terms: Terms) -> list[tuple[Array, Array, Array]]:
        self.slack = same_slack(self.slack, terms)
        both = zip(self._sides, unit_terms(terms), strict=True)
        return [side.add(each, terms.counts) for side, each in both]

    def _least(self, side: OneSide) -> float:
        """The smallest mean of terms that is still believed."""

        def spare(mean: float) -> float:
            s = side.total - side.decisions * mean
            return float(log_mixture(s, side.variance, self.settings.mixing)) - self.threshold

        if side.decisions == 0 or spare(0.0) <= 0:
            return 0.0
        most = min(side.total / side.decisions, 1.0)
        return 1.0 if spare(most) >= 0 else float(brentq(spare, 0.0, most, xtol=1e-12))


def log_mixture(s: Array | float, variance: Array | float, mixing: float) -> Array:
    """The logarithm of what bets of all sizes, mixed, have made of 1: a supermartingale.

    `s` is the sum of terms less their mean and `variance` that of squares around predictions. Bets
    have a gamma law of exponent `mixing`, cut at 1.

    >>> round(float(log_mixture(30.0, 100.0, 1.0)), 2)
    1.8
    """
    exponent = np.asarray(variance) + mixing
    reach = np.maximum(np.asarray(s) + exponent, 1e-300)
    with np.errstate(divide="ignore"):  # no bet was any good
        grown = np.log(gammainc(exponent, reach)) + gammaln(exponent) - exponent * np.log(reach)
    start = np.log(gammainc(mixing, mixing)) + gammaln(mixing) - mixing * np.log(mixing)
    wealth: Array = np.where(reach > 1e-300, reach - mixing + grown - start, -np.inf)
    return wealth

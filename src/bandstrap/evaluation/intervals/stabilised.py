"""Doubly robust with stabilised variance: for logs of policies that learnt as they went."""

from dataclasses import dataclass
from math import comb, inf, nan, sqrt

import numpy as np
from scipy.special import stdtrit

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.base import model_of
from bandstrap.evaluation.intervals.base import Interval, counts_of
from bandstrap.evaluation.sample import Sample
from bandstrap.validation import require_share

__all__ = ["STABILISED", "StabilisedDR", "StabilisedTally", "freedom_of"]

STABILISED = "stabilised-dr"
FIRST = 10  # decisions before there is a spread to go by
GROWTH = 0.1  # decisions of one stage, as a share of those before
FADING = 0.5  # how much a stage counts, compared with the one after it
LEAST = 0.25  # of the mean of all squares: those of late count as no less


def freedom_of(squares: float, fourth: float, rows: int) -> float:
    """How many equal terms would tell as much, by the sums of squares and of fourth powers.

    >>> freedom_of(100.0, 300.0, 100)  # as of a hundred normal terms
    100.0
    """
    excess = fourth - squares**2 / max(rows, 1)
    return 2 * squares**2 / excess if excess > 0 else inf


def moved(powers: Array, by: float) -> Array:
    """Sums of powers of terms, from 0 on, as if all terms were larger by so much.

    >>> moved(np.array([2.0, 3.0, 5.0]), 1.0).tolist()  # 1 and 2, then 2 and 3
    [2.0, 5.0, 13.0]
    """
    every = range(len(powers))
    sums = [sum(comb(k, j) * by ** (k - j) * powers[j] for j in range(k + 1)) for k in every]
    return np.array(sums)


@dataclass(frozen=True)
class StabilisedDR:
    """A mean of doubly robust terms, each over the spread that the past makes one expect
    (Bibaut et al., 2021).

    A learning policy makes terms vary more and more, so that their plain mean need not be normal.
    Weighted by the inverse of their spread, found from earlier decisions alone, they are
    martingale differences of equal variance, and the weighted mean is. The model of rewards must
    be fit to earlier decisions alone, too: see `forward_fit`.

    The spread follows `Sample.squares` where the log tells all of the logger's probabilities, else
    the squared ratios of chosen arms.

    >>> rng = np.random.default_rng(0)
    >>> rewards, half, model = (rng.random(999) < 0.3) + 0.0, np.full(999, 0.5), np.full(999, 0.3)
    >>> tally = StabilisedDR().start()
    >>> tally.add(Sample(rewards, 2 * np.ones(999), half, fitted=model, baseline=model))
    >>> 0.3 in tally.interval()
    True
    """

    level: float = 0.95

    def __post_init__(self) -> None:
        require_share(level=self.level)

    def start(self) -> "StabilisedTally":
        return StabilisedTally(self)


class StabilisedTally:
    """Weighted sums so far, and what is expected of the next stage."""

    def __init__(self, settings: StabilisedDR) -> None:
        self.settings = settings
        self.rows = 0
        self._end = FIRST  # of the present stage
        self._weight = 1.0  # of its terms
        self._recent = np.zeros(2)  # squares and decisions of late, fading
        self._stage = np.zeros(2)  # the same, of the present stage
        self._model = np.zeros(5)  # decisions, Σ b, Σ b², Σ of squared corrections, Σ of squares
        # Terms and the model's expectations less these, so that large means do not cancel.
        self._centre, self._usual = 0.0, 0.0
        self._sums = np.zeros(2)  # Σ h, Σ h D
        self._powers = np.zeros((2, 5))  # Σ h² Dᵏ and Σ h⁴ Dᵏ, for k from 0 to 4

    def add(self, sample: Sample) -> None:
        """Take in the next decisions, in order."""
        self.weighed(sample)

    def weighed(self, sample: Sample) -> Sample:
        """Take in the next decisions, in order; their terms as rewards, with their weights."""
        fitted, baseline = model_of(sample)
        corrections, ones = sample.ratios * (sample.rewards - fitted), np.ones(len(sample))
        squares = sample.ratios**2 if sample.squares is None else sample.squares
        weights = self.add_terms(corrections, baseline, squares, counts_of(sample) * ones)
        return Sample(corrections + baseline, weights, ones, counts=sample.counts)

    def add_terms(
        self, corrections: Array, baseline: Array, squares: Array, counts: Array
    ) -> Array:
        """Take in terms: corrections by rewards and what the model expects, and how large squared
        ratios are expected to be. The weights of the terms come back.
        """
        start, weights = 0, np.empty(len(corrections))
        while start < len(corrections):
            stop = min(len(corrections), start + self._end - self.rows)
            some = slice(start, stop)
            weights[some] = self._weight
            self._take(corrections[some], baseline[some], squares[some], counts[some])
            start = stop
        return weights

    @property
    def value(self) -> float:
        return self._centre + float(self._sums[1] / self._sums[0]) if self.rows else nan

    @property
    def error(self) -> float:
        if self.rows < 2:
            return nan
        return sqrt(self._spread(2)) / float(self._sums[0])

    @property
    def freedom(self) -> float:
        """How many equal terms would tell as much about the error: few, if some are large."""
        return freedom_of(self._spread(2), self._spread(4), self.rows)

    def interval(self) -> Interval:
        """Where the value lies, by Student's distribution."""
        level = self.settings.level
        quantile = stdtrit(min(self.freedom, 1e9), (1 + level) / 2)
        half = float(quantile) * self.error
        return Interval(self.value - half, self.value + half, level, STABILISED)

    def _spread(self, power: int) -> float:
        """Σ hᵏ (D - value)ᵏ for k = 2 or 4."""
        around = moved(self._powers[power // 2 - 1], self._centre - self.value)
        return max(float(around[power]), 0.0)

    def _take(self, corrections: Array, baseline: Array, squares: Array, counts: Array) -> None:
        """Decisions of one stage."""
        if not self.rows:
            self._centre, self._usual = float(corrections[0] + baseline[0]), float(baseline[0])
        terms, h = corrections + baseline - self._centre, self._weight * counts
        baseline = baseline - self._usual
        self._sums += [h.sum(), h @ terms]
        powers = terms[:, None] ** np.arange(5)
        self._powers += [h**2 @ powers, h**4 @ powers]
        self._stage += [squares.sum(), len(terms)]
        more = [baseline.sum(), baseline @ baseline, corrections @ corrections, squares.sum()]
        self._model += [len(terms), *more]
        self.rows += len(terms)
        if self.rows == self._end:
            self._next_stage()

    def _recentre(self) -> None:
        """Take sums around the present value: the first term may be far away."""
        off = self._centre - self.value
        self._centre = self.value
        self._sums[1] += off * self._sums[0]
        self._powers = np.array([moved(each, off) for each in self._powers])

    def _next_stage(self) -> None:
        self._recentre()
        self._recent = FADING * self._recent + self._stage
        self._stage = np.zeros(2)
        self._end = self.rows + max(FIRST, int(GROWTH * self.rows))
        n, b, bb, corrected, squares = self._model
        if squares <= 0:
            return
        # Where only chosen arms tell, the rare ones may not have come up of late.
        expected = max(self._recent[0] / self._recent[1], LEAST * squares / n)
        # Contexts make the model vary, too: in units of the squared error of a reward.
        noise = corrected / squares
        shift = (bb / n - (b / n) ** 2) / noise if noise > 0 else 0.0
        self._weight = 1 / sqrt(expected + max(shift, 0.0))

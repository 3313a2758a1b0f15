"""Differences of estimates of stabilised variance, for logs of policies that learnt."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.special import stdtrit

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators import SelfNormalisedIPS
from bandstrap.evaluation.intervals.base import Interval
from bandstrap.evaluation.intervals.bootstrap import Difference
from bandstrap.evaluation.intervals.stabilised import STABILISED, freedom_of
from bandstrap.evaluation.moments import Moments
from bandstrap.evaluation.sample import Sample

__all__ = ["StabilisedDifferences"]


class StabilisedDifferences:
    """How much more one weighted mean is than another, by the same decisions.

    Every target has weights of its own, as `StabilisedTally.weighed` gives them, and the logger
    has none: what it earns changes as it learns, so that a mean of some of its rounds would be
    another number. A decision moves both means, and the difference by what is left of the two.
    So a difference is that of the estimates shown, and its error knows what they share.

    >>> rng = np.random.default_rng(0)
    >>> terms, ones = rng.random(500), np.ones(500)
    >>> pairs = StabilisedDifferences(2)
    >>> pairs.add([Sample(terms + 0.5, 2 * ones, ones), Sample(terms, ones, ones)])
    >>> found = pairs.simultaneous()[0, 1]
    >>> round(found.value, 9), round(found.error, 9)
    (0.5, 0.0)
    """

    def __init__(self, targets: int, level: float = 0.95) -> None:
        self.level = level
        # Terms for rewards, and weights for ratios: its estimate is the weighted mean.
        self._moments = Moments([SelfNormalisedIPS()], targets)

    def add(self, terms: Sequence[Sample]) -> None:
        """Take in the next decisions: terms and their weights, of each target."""
        self._moments.add(terms)

    def simultaneous(self, against: int | None = None) -> dict[tuple[int, int], Difference]:
        """Differences of all pairs, or of all others from one, that hold together."""
        every = range(self._moments.targets)
        pairs = [*combinations(every, 2)]
        if against is not None:
            pairs = [(each, against) for each in every if each != against]
        means = [self._moments.chosen(each)[0] for each in every]
        values, moved = [each.value for each in means], [each.influence for each in means]
        return {
            (one, other): self._difference(
                values[one] - values[other], moved[one] - moved[other], len(pairs)
            )
            for one, other in pairs
        }

    def _difference(self, value: float, moved: Array, pairs: int) -> Difference:
        """One of several, by Student's distribution and Šidák's inequality."""
        squares = float(moved @ moved)
        freedom = min(freedom_of(squares, float(np.sum(moved**4)), len(moved)), 1e9)
        error, alone = squares**0.5, self.level ** (1 / pairs)
        half = float(stdtrit(freedom, (1 + alone) / 2)) * error
        interval = Interval(value - half, value + half, self.level, STABILISED)
        return Difference(value, error, interval)

"""One pass over a log for all estimators and targets: sums over neighbouring decisions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.estimators import Estimator
from bandstrap.evaluation.sample import Sample
from bandstrap.validation import require_whole

__all__ = ["Chosen", "Estimate", "Moments", "gather", "pieces_of"]

GROUPS = 16_384  # sums that are kept, at least, of longer logs
ROWS = 32_768  # whose columns are made at once: they fit into a processor's cache


@dataclass(frozen=True)
class Estimate:
    """What a target is estimated to earn a decision, and its standard error.

    `chosen` is the estimator itself or, where the data chose its tuning, the one chosen.
    """

    name: str
    value: float
    error: float
    chosen: Estimator


@dataclass(frozen=True)
class Chosen:
    """An estimator without anything left to choose, for one target, and its sums by group."""

    estimator: Estimator
    sums: Array  # (groups, k)
    counts: Array  # (groups,), of decisions

    @property
    def means(self) -> Array:
        """What the estimator combines, (k,)."""
        means: Array = self.sums.sum(axis=0) / self.counts.sum()
        return means

    @property
    def value(self) -> float:
        return float(self.estimator.combine(self.means))

    @property
    def influence(self) -> Array:
        """How much each group moves the estimate, (groups,): its squares add up to the variance."""
        means = self.means
        off = self.sums - self.counts[:, None] * means
        # What one of few groups leaves out of the spread that it helps to measure.
        scale = np.sqrt(len(off) / max(len(off) - 1, 1)) / self.counts.sum()
        influence: Array = off @ self.estimator.gradient(means) * scale
        return influence

    @property
    def error(self) -> float:
        if len(self.counts) < 2:
            return float("nan")
        return float(np.linalg.norm(self.influence))


class Moments:
    """Sums of all estimators' columns, for several targets, over groups of neighbouring decisions.

    A row of a short log is a group by itself. A longer log's rows share groups, of sizes that
    double as it grows, so that memory is bounded: there are `groups` to 2 `groups` of them. Means
    are exact. Errors come from the spread of groups, which is within some 1% as good as that of
    rows, and bootstraps reweight groups. Neighbours that resemble each other count as such.

    `add` takes a piece of the log: a `Sample` for each target, of the same decisions. A row that
    stands for several decisions is one draw of them: errors are as wide as that makes them.

    >>> from bandstrap.evaluation.estimators import IPS, SelfNormalisedIPS
    >>> rewards = np.array([1.0, 0.0, 1.0, 1.0])
    >>> sample = Sample(rewards, np.full(4, 2.0), np.full(4, 0.5))
    >>> moments = Moments([IPS(), SelfNormalisedIPS()])
    >>> moments.add([sample])
    >>> [(each.name, each.value, round(each.error, 3)) for each in moments.estimates()]
    [('ips', 0.75, 0.25), ('snips', 0.75, 0.25)]
    """

    def __init__(
        self, estimators: Sequence[Estimator], targets: int = 1, groups: int = GROUPS
    ) -> None:
        require_whole(1, targets=targets, groups=groups)
        self.estimators = tuple(estimators)
        self.targets = targets
        self.rows = 0
        self._limit = 2 * groups
        self._size = 1  # rows of a group
        self._counts = np.zeros(self._limit)
        self._sums: list[list[list[Array]]] = []  # (groups, k), by target, estimator, candidate
        self._candidates = [each.candidates() for each in self.estimators]

    def add(self, samples: Sequence[Sample]) -> None:
        """Take in the next decisions: a sample for each target."""
        if len(samples) != self.targets or len({len(each) for each in samples}) > 1:
            sizes = [len(each) for each in samples]
            raise InvalidInput("samples", sizes, f"give {self.targets} of the same decisions")
        for start in range(0, len(samples[0]), ROWS):
            self._add([piece(each, start, start + ROWS) for each in samples])

    def estimates(self, target: int = 0) -> list[Estimate]:
        """What each estimator says of a target."""
        return [
            Estimate(estimator.name, chosen.value, chosen.error, chosen.estimator)
            for estimator, chosen in zip(self.estimators, self.chosen(target), strict=True)
        ]

    def chosen(self, target: int = 0) -> list[Chosen]:
        """Each estimator for a target, with nothing left to choose."""
        return [self._choose(target, place) for place in range(len(self.estimators))]

    @property
    def counts(self) -> Array:
        """How many decisions each group has, (groups,)."""
        return self._counts[: self._filled]

    @property
    def _filled(self) -> int:
        return -(-self.rows // self._size)

    def _choose(self, target: int, place: int) -> Chosen:
        if not self.rows:
            raise InvalidInput("decisions", 0, "give decisions with a reward")
        tables = [sums[: self._filled] for sums in self._sums[target][place]]
        every = [
            Chosen(candidate, sums, self.counts)
            for candidate, sums in zip(self._candidates[place], tables, strict=True)
        ]
        if len(every) == 1:
            return every[0]
        values = np.array([each.value for each in every])
        errors = np.array([each.error for each in every])
        return every[self.estimators[place].choose(values, errors)]

    def _add(self, samples: Sequence[Sample]) -> None:
        n = len(samples[0])
        while self.rows + n > self._limit * self._size:
            self._halve()
        counts = np.ones(n) if samples[0].counts is None else samples[0].counts
        columns = [
            [[each.columns(sample) for each in some] for some in self._candidates]
            for sample in samples
        ]
        if not self._sums:
            self._sums = _like(columns, self._limit)
        first, starts = self.rows // self._size, self._starts(n)
        some = slice(first, first + len(starts))
        self._counts[some] += np.add.reduceat(counts, starts)
        for sums, column in zip(_flat(self._sums), _flat(columns), strict=True):
            weighted = column if samples[0].counts is None else column * counts[:, None]
            sums[some] += weighted if self._size == 1 else np.add.reduceat(weighted, starts)
        self.rows += n

    def _starts(self, n: int) -> Array:
        """Where groups begin among the next n rows; the first may go on with one begun before."""
        left = -self.rows % self._size
        fresh = np.arange(left, n, self._size)
        return fresh if left == 0 else np.concatenate([[0], fresh])

    def _halve(self) -> None:
        """Let two neighbours be one group."""
        for sums in (self._counts, *_flat(self._sums)):
            half = len(sums) // 2
            sums[:half] = sums[0::2] + sums[1::2]
            sums[half:] = 0
        self._size *= 2


def gather(
    pieces: Iterable[Sequence[Sample]], estimators: Sequence[Estimator], targets: int = 1
) -> Moments:
    """The sums of a whole log, piece by piece.

    >>> from bandstrap.evaluation.estimators import IPS
    >>> ones = np.ones(5)
    >>> gather(pieces_of(Sample(ones, ones, ones), 2), [IPS()]).estimates()[0].value
    1.0
    """
    moments = Moments(estimators, targets)
    for samples in pieces:
        moments.add(samples)
    return moments


def pieces_of(sample: Sample, rows: int = ROWS) -> Iterator[tuple[Sample]]:
    """A sample in pieces, as for a log with one target."""
    for start in range(0, len(sample), rows):
        yield (piece(sample, start, start + rows),)


def piece(sample: Sample, start: int, stop: int) -> Sample:
    """Some rows of a sample."""
    columns = {each.name: getattr(sample, each.name) for each in fields(sample)}
    cut = {name: one[start:stop] for name, one in columns.items() if one is not None}
    return replace(sample, **cut)


def _like(columns: list[list[list[Array]]], rows: int) -> list[list[list[Array]]]:
    """Zeros, as wide as columns are."""
    return [[[np.zeros((rows, one.shape[1])) for one in some] for some in by] for by in columns]


def _flat(nested: list[list[list[Array]]]) -> list[Array]:
    return [one for by in nested for some in by for one in some]

"""What is evaluated: for every decision of a log, how probable a target makes each arm."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.feedback import Feedback

__all__ = [
    "FIXED",
    "FROZEN",
    "LEARNT",
    "RAN",
    "Grouping",
    "Shared",
    "Shares",
    "Target",
    "row_blocks",
    "row_counts",
    "row_slices",
]

ROWS = 8_192  # of a slice, unless there are many arms
BLOCKS = 100  # of a log, whose rows may share draws
CELLS = 4_000_000  # probabilities of a slice, at most

# The named answers: a rule that never learns, a policy as it was trained beforehand, a policy as it
# learnt from this log, and a policy that had run in the logger's place.
FIXED, FROZEN, LEARNT, RAN = "fixed", "frozen", "learnt", "had it run"


@dataclass(frozen=True)
class Shared:
    """Which rows share their draws, and how many draws these are; 0 where they are exact."""

    groups: Array  # (rows,), numbers from 0 on
    draws: Array  # (groups,)


class Grouping:
    """Collects which rows share draws, some rows after the other."""

    def __init__(self) -> None:
        self._groups: list[Array] = []
        self._draws: list[int] = []

    def add(self, groups: Array, draws: Sequence[int]) -> None:
        """The next rows: the group of each, from 0 on, and the draws of each group."""
        self._groups.append(groups + len(self._draws))
        self._draws += draws

    def taken(self) -> Shared | None:
        """All that was added since the last call; None if it was exact, or nothing."""
        groups, draws = self._groups, self._draws
        self._groups, self._draws = [], []
        return Shared(np.concatenate(groups), np.array(draws)) if any(draws) else None


@dataclass(frozen=True)
class Shares:
    """The probability of every arm in some rows of a log, by a target.

    They are exact, or shares of draws that are independent of the logger's: estimates without bias.
    """

    rows: slice
    every: Array  # (rows, arms)
    draws: int = 0  # the fewest draws that one of them rests on; 0: exact
    shared: Shared | None = None  # None: every row has draws of its own, or they are exact

    def of_chosen(self, feedback: Feedback) -> Array:
        """The probability of the logged arms, (rows,)."""
        chosen = np.asarray(feedback.chosen[self.rows])
        picked: Array = np.take_along_axis(self.every, chosen[:, None], axis=1)[:, 0]
        return picked

    def since(self, first: int) -> "Shares | None":
        """Those of rows from `first` on; None if there are none."""
        if first <= self.rows.start:
            return self
        if first >= self.rows.stop:
            return None
        cut = first - self.rows.start
        shared = self.shared and replace(self.shared, groups=self.shared.groups[cut:])
        return Shares(slice(first, self.rows.stop), self.every[cut:], self.draws, shared)

    def variance(self, expected: Array, counts: Array) -> float:
        """How much the sum of what rows are expected to pay varies, as rows share draws.

        `expected` is of all arms, (rows, arms). What each row varies by itself is left out: that is
        in the spread of rows.
        """
        if self.shared is None:
            return 0.0
        groups, draws = self.shared.groups, self.shared.draws
        weighted, sums = expected * counts[:, None], np.zeros((len(draws), expected.shape[1]))
        np.add.at(sums, groups, weighted)
        first = np.unique(groups, return_index=True)
        every = np.zeros(sums.shape)
        every[first[0]] = self.every[first[1]]
        apart = _variances(self.every, weighted) / np.maximum(draws - 1, 1)[groups]
        together = _variances(every, sums) / np.maximum(draws - 1, 1)
        exact = draws == 0
        return float(together[~exact].sum() - apart[~exact[groups]].sum())


def _variances(shares: Array, values: Array) -> Array:
    """Of the value of a random arm, (rows,)."""
    mean = np.einsum("ia,ia->i", shares, values)
    square = np.einsum("ia,ia->i", shares, values**2)
    variances: Array = np.maximum(square - mean**2, 0.0)
    return variances


class Target(ABC):
    """Something that chooses arms, and may learn from the log as it goes.

    `shares` walks over the log in order. What it says of a row rests on the rows before, never on
    that row's reward, so that estimates are means of martingale differences.
    """

    name: str
    answer: ClassVar[str] = FIXED
    reruns: ClassVar[bool] = False  # whether it runs in the logger's place, by itself

    def first(self, feedback: Feedback) -> int:
        """The first row that is judged; those before are what it was trained on."""
        return 0

    @abstractmethod
    def shares(self, feedback: Feedback, seed: int = 0) -> Iterator[Shares]:
        """The probabilities of all arms, slice by slice, from row `first` to the end."""


def row_slices(feedback: Feedback, first: int = 0) -> Iterator[slice]:
    """The rows of a log from `first` on, in pieces that fit in memory whatever its length.

    Pieces end at the same rows wherever they begin.
    """
    size = max(1, min(ROWS, CELLS // len(feedback.arms)))
    for start in range(first - first % size, len(feedback), size):
        yield slice(max(start, first), min(start + size, len(feedback)))


def row_blocks(feedback: Feedback, rows: slice) -> Iterator[slice]:
    """The same rows in blocks of a hundredth of the log: those of a block may share draws."""
    size = max(1, len(feedback) // BLOCKS)
    for start in range(rows.start - rows.start % size, rows.stop, size):
        yield slice(max(start, rows.start), min(start + size, rows.stop))


def row_counts(feedback: Feedback, rows: slice) -> Array:
    """How many decisions each row stands for, (rows,)."""
    if feedback.counts is not None:
        return np.asarray(feedback.counts[rows], dtype=np.float64)
    return np.ones(rows.stop - rows.start)


def allowed_rows(feedback: Feedback, rows: slice) -> Array:
    """Which arms were allowed, (rows, arms)."""
    if feedback.allowed is not None:
        return np.asarray(feedback.allowed[rows])
    return np.ones((rows.stop - rows.start, len(feedback.arms)), dtype=np.bool_)

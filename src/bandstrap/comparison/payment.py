"""What pays: the class of a row, or a column of rewards for each arm."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.comparison.listed import listed
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.printable import called
from bandstrap.tables.cells import Classes, cells_of, classes_of
from bandstrap.tables.text import LONGEST

if TYPE_CHECKING:  # they need a compiler, which a table that is refused should not wait for
    from bandstrap.environments.table import Payoffs
    from bandstrap.simulation import Trace

LARGEST = 1e100  # a reward; squares of sums of such are numbers still
CLASSES = 100  # arms; with more, a run of usual length hardly tries each


@dataclass(frozen=True)
class Units:
    """How rewards of a table are told to policies: less `low`, over `width`."""

    low: float = 0.0
    width: float = 1.0

    @property
    def high(self) -> float:
        return self.low + self.width

    @property
    def scaled(self) -> bool:
        return self != Units()

    def told(self, rewards: Array) -> Array:
        """From 0 to 1."""
        return np.clip((rewards - self.low) / self.width, 0.0, 1.0)

    def of(self, trace: "Trace") -> "Trace":
        """A trace in the units of the table."""
        reward = self.low * trace.rounds + self.width * trace.reward
        return replace(trace, reward=reward, regret=self.width * trace.regret)


@dataclass(frozen=True, eq=False)
class Payment:
    """What the arms are called and pay, and in which units."""

    arms: tuple[str, ...]
    values: Array  # the class of each row, or what each arm pays in it
    told: tuple[str, ...]
    units: Units = Units()

    @cached_property
    def payoffs(self) -> "Payoffs":
        from bandstrap.environments.table import payoffs_of

        return payoffs_of(self.values, len(self.arms))

    def baselines(self) -> dict[str, float]:
        """What one earns a round without looking: any arm at random, and always the best one."""
        means = self.units.low + self.units.width * self.payoffs.means()
        best = int(np.argmax(means))
        return {
            "any arm at random": float(means.mean()),
            f"always {called(self.arms[best])}": float(means[best]),
        }


class Pays(ABC):
    """Which columns pay."""

    columns: tuple[str, ...]

    def check(self, known: list[str]) -> None:
        """All of them are there."""
        for name in self.columns:
            if name not in known:
                raise UnknownName("column", name, known)

    @abstractmethod
    def payment(self, table: pa.Table) -> tuple[Payment, Array]:
        """What is paid in the rows where that is known, and which rows these are."""


class Label(Pays):
    """One versus all: an arm for each class of a column."""

    def __init__(self, column: str) -> None:
        self.column = column
        self.columns = (column,)

    def payment(self, table: pa.Table) -> tuple[Payment, Array]:
        labels, classes = self._classes(table[self.column])
        kept = labels >= 0
        labels, classes = _occurring(labels[kept], classes)
        if len(classes) < 2:
            found = f"has only the class {classes[0]!r}" if classes else "is all missing"
            raise InvalidInput("--label", self.column, f"it {found}; two are needed")
        told = (
            f"{called(self.column)}: the label, {len(classes)} classes: an arm each, which pays 1"
        )
        return Payment(classes, labels.astype(np.int64), (told,)), kept

    def _classes(self, column: pa.ChunkedArray) -> Classes:
        classes = classes_of(column)
        if classes is None:
            raise InvalidInput("--label", self.column, "give a column of words or whole numbers")
        if len(classes.names) > CLASSES:
            raise InvalidInput(
                "--label",
                self.column,
                f"{len(classes.names):,} different values are too many arms; group them into at "
                f"most {CLASSES}",
            )
        longest = max(classes.names, key=len, default="")
        if len(longest) > LONGEST:
            remedy = f"{called(longest)!r} has {len(longest):,} characters; call classes by names"
            raise InvalidInput("--label", self.column, remedy)
        return classes


class Rewards(Pays):
    """Full information: each column tells what one arm would have paid."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        if len(columns) < 2 or len(set(columns)) < len(columns):
            raise InvalidInput(
                "--rewards", ",".join(columns), "name two or more columns, an arm each"
            )
        self.columns = columns

    def payment(self, table: pa.Table) -> tuple[Payment, Array]:
        rewards = np.stack([_numbers(name, table[name]) for name in self.columns], axis=1)
        kept = ~np.isnan(rewards).any(axis=1)
        rewards = rewards[kept]
        if not kept.any():
            raise InvalidInput("--rewards", ",".join(self.columns), "every row lacks one of them")
        low, high = float(rewards.min()), float(rewards.max())
        if low == high:
            raise InvalidInput("--rewards", ",".join(self.columns), f"all are {low:g}")
        if max(-low, high) > LARGEST:
            remedy = f"they go from {low:g} to {high:g}; divide them to at most {LARGEST:g}"
            raise InvalidInput("--rewards", ",".join(self.columns), remedy)
        told = [f"{called(name)}: what the arm of this name pays" for name in self.columns]
        if low >= 0 and high <= 1:
            return Payment(self.columns, rewards, tuple(told)), kept
        told.append(
            f"rewards go from {low:g} to {high:g}; policies are told them as 0 to 1, "
            "results are in your units"
        )
        units = Units(low, high - low)
        return Payment(self.columns, units.told(rewards), tuple(told), units), kept


def _numbers(name: str, column: pa.ChunkedArray) -> Array:
    values = cells_of(column).numbers()
    if values is None:
        raise InvalidInput("--rewards", name, "give columns of numbers")
    return values


def _occurring(labels: Array, classes: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
    present, labels = np.unique(labels, return_inverse=True)
    return labels, tuple(classes[i] for i in present)


def paid_by(label: str | None, rewards: str | Sequence[str] | None) -> Pays:
    """One of the two must be told; what pandas calls by a number is text in Arrow."""
    if label is not None and rewards:
        raise InvalidInput("--label", label, "give this or --rewards, not both")
    if label is None and not rewards:
        raise InvalidInput(
            "--label", label, "name the column of classes, or the arms' own columns by --rewards"
        )
    if label is not None:
        return Label(str(label))
    return Rewards(tuple(map(str, listed(rewards or ()))))

"""Which columns of a table hold the rewards: a label, or one column for each arm."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.comparison.options import split_names
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.printable import called
from bandstrap.tables.cells import Cells, Classes, classes_of
from bandstrap.tables.reading import Reading
from bandstrap.tables.text import LONGEST

if TYPE_CHECKING:  # they need a compiler, for which a bad table should not wait
    from bandstrap.environments.table import Payoffs
    from bandstrap.simulation import Trace

LARGEST = 1e100  # a reward; squares of sums of such are still finite
CLASSES = 100  # arms; with more, a run of usual length hardly tries each


@dataclass(frozen=True)
class RewardScale:
    """Maps the rewards of a table, `low` to `low + width`, to what policies see, 0 to 1."""

    low: float = 0.0
    width: float = 1.0

    @property
    def high(self) -> float:
        return self.low + self.width

    def to_unit(self, rewards: Array) -> Array:
        return np.clip((rewards - self.low) / self.width, 0.0, 1.0)

    def restored(self, trace: "Trace") -> "Trace":
        """The trace in the units of the table."""
        reward = self.low * trace.rounds + self.width * trace.reward
        return replace(trace, reward=reward, regret=self.width * trace.regret)


@dataclass(frozen=True, eq=False)
class TableRewards:
    """The names of the arms, their rewards in each row, and the scale of those."""

    arms: tuple[str, ...]
    values: Array  # the class of each row, or the reward of each arm in it
    notes: tuple[str, ...]
    scale: RewardScale = RewardScale()

    @cached_property
    def payoffs(self) -> "Payoffs":
        from bandstrap.environments.table import ClassPayoffs, FullPayoffs

        values, n_arms = self.values, len(self.arms)
        return ClassPayoffs(values, n_arms) if values.ndim == 1 else FullPayoffs(values)

    def in_units(self, rows: Array | slice = slice(None)) -> Array:
        """The reward of every arm, in all rows or in some, as the table has them, (rows, arms)."""
        paid = self.payoffs.of(np.arange(len(self.values))[rows])
        return np.clip(self.scale.low + self.scale.width * paid, self.scale.low, self.scale.high)

    def best_arm(self) -> tuple[str, float]:
        """The arm that pays most on average, and what it pays."""
        means = self._means()
        best = int(np.argmax(means))
        return called(self.arms[best]), float(means[best])

    def baselines(self) -> dict[str, float]:
        """The reward per round without contexts: of a random arm, and of the best arm."""
        arm, pays = self.best_arm()
        return {"any arm at random": float(self._means().mean()), f"always {arm}": pays}

    def _means(self) -> Array:
        return self.scale.low + self.scale.width * self.payoffs.means()


class RewardSource(ABC):
    """The columns that rewards come from."""

    columns: tuple[str, ...]

    def check(self, names: list[str]) -> None:
        """All of them are in the table."""
        for name in self.columns:
            if name not in names:
                raise UnknownName("column", name, names)

    @abstractmethod
    def rewards(self, table: pa.Table, reading: Reading) -> tuple[TableRewards, Array]:
        """The rewards of the rows that have them, and which rows these are."""


class Label(RewardSource):
    """One versus all: an arm for each class of a column."""

    def __init__(self, column: str) -> None:
        self.column = column
        self.columns = (column,)

    def rewards(self, table: pa.Table, reading: Reading) -> tuple[TableRewards, Array]:
        codes, names = self._classes(table[self.column])
        kept = codes >= 0
        present, labels = np.unique(codes[kept], return_inverse=True)
        arms = tuple(names[i] for i in present)
        if len(arms) < 2:
            found = f"has only the class {arms[0]!r}" if arms else "is all missing"
            raise InvalidInput("--label", self.column, f"it {found}; two are needed")
        note = f"{called(self.column)}: the label, {len(arms)} classes: an arm each, which pays 1"
        return TableRewards(arms, labels.astype(np.int64), (note,)), kept

    def _classes(self, column: pa.ChunkedArray) -> Classes:
        classes = classes_of(column)
        if classes is None:
            raise InvalidInput("--label", self.column, "give a column of words or whole numbers")
        if len(classes.names) > CLASSES:
            many = f"{len(classes.names):,} different values are too many arms"
            raise InvalidInput("--label", self.column, f"{many}; group them into at most {CLASSES}")
        longest = max(classes.names, key=len, default="")
        if len(longest) > LONGEST:
            remedy = f"{called(longest)!r} has {len(longest):,} characters; use shorter names"
            raise InvalidInput("--label", self.column, remedy)
        return classes


class RewardColumns(RewardSource):
    """Full information: each column holds the rewards of one arm."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = columns
        if len(columns) < 2 or len(set(columns)) < len(columns):
            raise self._refused("name two or more columns, an arm each")

    def rewards(self, table: pa.Table, reading: Reading) -> tuple[TableRewards, Array]:
        columns = [_numbers(name, reading.cells(name, table[name])) for name in self.columns]
        rewards = np.stack(columns, axis=1)
        kept = ~np.isnan(rewards).any(axis=1)
        rewards = rewards[kept]
        if not kept.any():
            raise self._refused("every row lacks one of them")
        low, high = float(rewards.min()), float(rewards.max())
        if low == high:
            raise self._refused(f"all are {low:g}; give rewards that differ")
        if max(-low, high) > LARGEST:
            raise self._refused(f"they range from {low:g} to {high:g}; scale to {LARGEST:g}")
        notes = [f"{called(name)}: the rewards of the arm of this name" for name in self.columns]
        if low >= 0 and high <= 1:
            return TableRewards(self.columns, rewards, tuple(notes)), kept
        notes.append(
            f"rewards range from {low:g} to {high:g}; policies see them scaled to 0 to 1, "
            "results are in your units"
        )
        scale = RewardScale(low, high - low)
        return TableRewards(self.columns, scale.to_unit(rewards), tuple(notes), scale), kept

    def _refused(self, remedy: str) -> InvalidInput:
        return InvalidInput("--rewards", ",".join(self.columns), remedy)


def _numbers(name: str, cells: Cells) -> Array:
    values = cells.numbers()
    if values is None:
        remedy = "give columns of numbers; of 2.862,49 add --decimal ,; of € 2.32 or words among "
        raise InvalidInput("--rewards", name, f"{remedy}numbers add --as {called(name)}=number")
    return values


def reward_source(label: str | None, rewards: str | Sequence[str] | None) -> RewardSource:
    """Exactly one of the two must be given. Names may be pandas' numbers, which Arrow has as text.

    >>> reward_source(None, "small, large").columns
    ('small', 'large')
    """
    if label is not None and rewards:
        raise InvalidInput("--label", label, "give this or --rewards, not both")
    if label is not None:
        return Label(str(label))
    if not rewards:
        remedy = "name the column of classes, or the arms' columns by --rewards"
        raise InvalidInput("--label", label, remedy)
    return RewardColumns(tuple(map(str, split_names(rewards))))

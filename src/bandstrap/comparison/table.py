"""A table made ready to play: rewards from some columns, contexts from all others."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.comparison.rewards import RewardSource, TableRewards
from bandstrap.errors import InvalidInput
from bandstrap.printable import called
from bandstrap.tables.cells import cells_of
from bandstrap.tables.encoder import Encoder
from bandstrap.tables.features import Fitted, fitted
from bandstrap.tables.source import Sample, read, title_of

if TYPE_CHECKING:  # it needs a compiler, for which a bad table should not wait
    from bandstrap.environments import TableEnvironment

UNNAMED = "(no name)"  # as where a frame's row names were written to a file


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Contexts and rewards, the encoder, and what was done with each column."""

    title: str
    contexts: Array
    encoder: Encoder
    rewards: TableRewards
    decisions: tuple[str, ...]

    @cached_property
    def environment(self) -> "TableEnvironment":
        from bandstrap.environments import TableEnvironment

        return TableEnvironment(self.title, self.contexts, self.rewards.payoffs)


def prepare(
    data: Any,
    source: RewardSource,
    seed: int = 0,
    check: Callable[[], None] = lambda: None,
    title: str | None = None,
) -> PreparedTable:
    """Read a table, find the rewards, and encode all other columns.

    `title` is its name in results, by default that of the file. `check` is called as soon as the
    header is right, before the rows are read, which may take long.
    """

    def checked(names: list[str]) -> None:
        source.check(names)
        check()

    return prepare_sample(read(data, seed, checked), title or title_of(data), source)


def prepare_sample(sample: Sample, title: str, source: RewardSource) -> PreparedTable:
    """The same for a table that has been read."""
    source.check(sample.table.column_names)
    if sample.table.num_rows == 0:
        raise InvalidInput("data", title, "the table has a header but no rows")
    rewards, kept = source.rewards(sample.table)
    table = sample.table.filter(pa.array(kept)) if not kept.all() else sample.table
    columns, notes = _fit(table.drop_columns(list(source.columns)))
    contexts = np.concatenate([each.contexts for each in columns], axis=1, dtype=np.float32)
    features = tuple(each.feature for each in columns)
    encoder = Encoder(features, _example(table, [feature.name for feature in features]))
    decisions = (*_row_notes(sample, kept), *rewards.notes, *notes)
    return PreparedTable(title, contexts, encoder, rewards, decisions)


def _row_notes(sample: Sample, kept: Array) -> list[str]:
    notes = [f"{sample.seen:,} rows read"]
    if not sample.complete:
        notes[0] += ", the first gigabyte; the rest of the file is left out"
    if sample.table.num_rows < sample.seen:
        notes.append(f"{sample.table.num_rows:,} of them drawn at random to play")
    if not kept.all():
        notes.append(f"{int((~kept).sum()):,} rows dropped: label or reward missing")
    return notes


def _fit(table: pa.Table) -> tuple[list[Fitted], list[str]]:
    """Each column encoded, or dropped with a reason."""
    columns: list[Fitted] = []
    notes = []
    for name in table.column_names:
        cells = cells_of(table[name])
        if reason := cells.useless():
            notes.append(f"{called(name) or UNNAMED}: dropped, {reason}")
        else:
            columns.append(fitted(cells, name))
            notes.append(f"{called(name) or UNNAMED}: {columns[-1].feature.description()}")
    if not columns:
        remedy = f"none is left to decide by ({'; '.join(notes[:3])})"
        raise InvalidInput("columns", table.column_names, remedy)
    return columns, notes


def _example(table: pa.Table, names: list[str]) -> dict[str, Any]:
    """The first row, as values that JSON can hold."""
    row = table.select(names).slice(0, 1).to_pylist()[0]
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> str | int | float | None:
    if isinstance(value, str | int | None):
        return value
    number = float(value)
    return number if isfinite(number) else None

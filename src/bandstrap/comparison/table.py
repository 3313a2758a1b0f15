"""A table made ready to play: rewards from some columns, contexts from all others."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.comparison.checks import Checked, Finding, findings
from bandstrap.comparison.decision_log import check_not_a_log
from bandstrap.comparison.rewards import RewardSource, TableRewards
from bandstrap.errors import InvalidInput
from bandstrap.printable import called
from bandstrap.tables.cells import Cells
from bandstrap.tables.encoder import Encoder
from bandstrap.tables.features import Fitted, fitted
from bandstrap.tables.reading import Reading
from bandstrap.tables.source import SUFFIXES, Sample, read, title_of

if TYPE_CHECKING:  # it needs a compiler, for which a bad table should not wait
    from bandstrap.environments import TableEnvironment

AS_IT_IS = Reading()
UNNAMED = "(no name)"  # as where a frame's row names were written to a file


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Contexts and rewards, the encoder, and what was done with each column."""

    title: str
    contexts: Array
    encoder: Encoder
    rewards: TableRewards
    decisions: tuple[str, ...]
    findings: tuple[Finding, ...]
    rows: pa.Table  # of the columns that contexts come from, as they are

    @cached_property
    def environment(self) -> "TableEnvironment":
        from bandstrap.environments import TableEnvironment

        return TableEnvironment(self.title, self.contexts, self.rewards.payoffs)


def prepare(
    data: Any,
    source: RewardSource,
    seed: int = 0,
    check: Callable[[], None] = lambda: None,
    reading: Reading = AS_IT_IS,
    title: str | None = None,
) -> PreparedTable:
    """Read a table, find the rewards, and encode all other columns.

    `title` is its name in results, by default that of the file. `check` is called as soon as the
    header is right, before the rows are read, which may take long.
    """

    def checked(names: list[str]) -> None:
        source.check(names)
        reading.check(names)
        _check_dropped(reading, source)
        check()

    sample = read(data, seed, checked)
    return prepare_sample(sample, title or title_of(data), source, reading)


def prepare_sample(
    sample: Sample, title: str, source: RewardSource, reading: Reading = AS_IT_IS
) -> PreparedTable:
    """The same for a table that has been read."""
    source.check(sample.table.column_names)
    if sample.table.num_rows == 0:
        raise InvalidInput("data", title, "the table has a header but no rows")
    whole = reading.rows(sample.table)
    check_not_a_log(whole, title)
    rewards, kept = source.rewards(whole, reading)
    table = whole.filter(pa.array(kept)) if not kept.all() else whole
    names = [name for name in table.column_names if name not in source.columns]
    cells = {name: reading.cells(name, table[name]) for name in names}
    columns, notes = _fit(cells)
    contexts = np.concatenate([each.contexts for each in columns], axis=1, dtype=np.float32)
    features = tuple(each.feature for each in columns)
    rows = table.select([feature.name for feature in features])
    decisions = (*_row_notes(sample, whole, kept), *_left_out(reading), *rewards.notes, *notes)
    found = findings(Checked(table, cells, rewards))
    encoder = Encoder(features, plain_row(rows, 0))
    return PreparedTable(title, contexts, encoder, rewards, decisions, found, rows)


def _check_dropped(reading: Reading, source: RewardSource) -> None:
    for name in reading.dropped:
        if name in source.columns:
            raise InvalidInput("--drop", name, "rewards come from this column")


def _left_out(reading: Reading) -> list[str]:
    return [f"{called(name)}: left out, as you said" for name in reading.dropped]


def _row_notes(sample: Sample, whole: pa.Table, kept: Array) -> list[str]:
    notes = [f"{sample.seen:,} rows read"]
    if not sample.complete:
        notes[0] += ", the first gigabyte; the rest of the file is left out"
    if sample.table.num_rows < sample.seen:
        notes.append(f"{sample.table.num_rows:,} of them drawn at random to play")
    if repeated := sample.table.num_rows - whole.num_rows:
        notes.append(f"{repeated:,} rows left out: they repeat others")
    if not kept.all():
        notes.append(f"{int((~kept).sum()):,} rows dropped: label or reward missing")
    return notes


def _fit(cells: dict[str, Cells]) -> tuple[list[Fitted], list[str]]:
    """Each column encoded, or dropped with a reason."""
    columns: list[Fitted] = []
    notes = []
    for name, each in cells.items():
        if reason := each.useless():
            notes.append(f"{called(name) or UNNAMED}: dropped, {reason}")
        else:
            columns.append(fitted(each, name))
            notes.append(f"{called(name) or UNNAMED}: {columns[-1].feature.description()}")
    if not columns:
        remedy = f"none is left to decide by ({'; '.join(notes[:3])})"
        raise InvalidInput("columns", [*cells], remedy)
    return columns, notes


def plain_row(rows: pa.Table, place: int) -> dict[str, Any]:
    """One row, as values that JSON can hold."""
    row = rows.slice(place, 1).to_pylist()[0]
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> str | int | float | None:
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, date):
        return value.isoformat()
    number = float(value)
    return number if isfinite(number) else None


class Found(NamedTuple):
    """A table; if it came by its name, that name, and the column of classes where it is known."""

    table: Any
    title: str | None = None
    label: str | None = None


def by_name(data: Any) -> Found:
    """The table itself or, where no file has this name, the data set of that name.

    >>> by_name("iris").label
    'y'
    >>> by_name("flowers.csv").table
    'flowers.csv'
    """
    if not isinstance(data, str | Path) or _is_file(str(data)):
        return Found(data)
    from bandstrap import datasets  # which takes long to import

    name = str(data)
    table, label = datasets.table(name)
    return Found(table, name, label)


def _is_file(name: str) -> bool:
    """Whether it is one, or could only be one: its error then says more."""
    path = Path(name)
    return path.exists() or path.name != name or name.lower().endswith(SUFFIXES)

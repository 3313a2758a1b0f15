"""A table made ready to play: which column is what, what is done with each, and who gets paid."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.comparison.payment import Payment, Pays
from bandstrap.errors import InvalidInput
from bandstrap.printable import called
from bandstrap.tables.cells import cells_of
from bandstrap.tables.encoder import Encoder
from bandstrap.tables.features import Fitted, fitted
from bandstrap.tables.source import Sample, read, title_of

if TYPE_CHECKING:  # it needs a compiler, which a table that is refused should not wait for
    from bandstrap.environments import TableEnvironment

UNNAMED = "(no name)"  # as where a frame's row names were written to a file


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is played, how rows become contexts, and what was decided about each column."""

    title: str
    contexts: Array
    encoder: Encoder
    payment: Payment
    decisions: tuple[str, ...]

    @cached_property
    def environment(self) -> "TableEnvironment":
        from bandstrap.environments import TableEnvironment

        return TableEnvironment(self.title, self.contexts, self.payment.payoffs)


def nothing() -> None:
    """What there is to check beside a table."""


def prepare(data: Any, pays: Pays, seed: int = 0, check: Callable[[], None] = nothing) -> Prepared:
    """Read a table, find what pays, and encode all other columns.

    `check` is called when the header is known to be right, before the rows are read, which may
    take long.
    """

    def checked(names: list[str]) -> None:
        pays.check(names)
        check()

    return prepare_sample(read(data, seed, checked), title_of(data), pays)


def prepare_sample(sample: Sample, title: str, pays: Pays) -> Prepared:
    """The same for a table that has been read."""
    pays.check(sample.table.column_names)
    if sample.table.num_rows == 0:
        raise InvalidInput("data", title, "the table has a header but no rows")
    payment, kept = pays.payment(sample.table)
    table = sample.table.filter(pa.array(kept)) if not kept.all() else sample.table
    made, told = _fit(table.drop_columns(list(pays.columns)))
    contexts = np.concatenate([one.contexts for one in made], axis=1, dtype=np.float32)
    features = tuple(one.feature for one in made)
    encoder = Encoder(features, _example(table, [feature.name for feature in features]))
    rows = (*_rows_told(sample, kept), *payment.told)
    return Prepared(title, contexts, encoder, payment, (*rows, *told))


def _rows_told(sample: Sample, kept: Array) -> list[str]:
    told = [f"{sample.seen:,} rows read"]
    if not sample.complete:
        told[0] += ", a gigabyte of them; the rest of the file is left out"
    if sample.table.num_rows < sample.seen:
        told.append(f"{sample.table.num_rows:,} of them drawn at random to play")
    if not kept.all():
        told.append(f"{int((~kept).sum()):,} rows dropped: what pays in them is missing")
    return told


def _fit(table: pa.Table) -> tuple[list[Fitted], list[str]]:
    """Each column encoded, or dropped with a reason."""
    made: list[Fitted] = []
    told = []
    for name in table.column_names:
        cells = cells_of(table[name])
        if reason := cells.useless():
            told.append(f"{called(name) or UNNAMED}: dropped, {reason}")
        else:
            made.append(fitted(cells, name))
            told.append(f"{called(name) or UNNAMED}: {made[-1].feature.description()}")
    if not made:
        raise InvalidInput(
            "columns", table.column_names, "none is left to decide by (" + "; ".join(told[:3]) + ")"
        )
    return made, told


def _example(table: pa.Table, names: list[str]) -> dict[str, Any]:
    """The first row, of values that JSON can hold."""
    row = table.select(names).slice(0, 1).to_pylist()[0]
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> str | int | float | None:
    if isinstance(value, str | int | None):
        return value
    number = float(value)
    return number if isfinite(number) else None

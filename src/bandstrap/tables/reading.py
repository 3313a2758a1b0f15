"""How the columns of a table are to be read, where a user says so."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.printable import called
from bandstrap.tables.cells import (
    Categories,
    Cells,
    Dates,
    Numbers,
    categories,
    cells_of,
    classes_of,
    plain,
    words_of,
)
from bandstrap.tables.dates import YEAR_FIRST, orders_of, seconds
from bandstrap.tables.numerals import COMMA, MARKS, POINT, number, readable


@dataclass(frozen=True)
class Reading:
    """The decimal mark of numbers, what some columns hold, and what is left out.

    >>> Reading(decimal=",").cells("price", pa.chunked_array([["2.862,49", "€ 3,00"]])).numbers()
    array([2862.49,    3.  ])
    """

    decimal: str = ""
    kinds: Mapping[str, str] = field(default_factory=dict)  # number, text or date, by column
    dropped: tuple[str, ...] = ()
    distinct: bool = False  # rows that repeat another are left out

    def __post_init__(self) -> None:
        if self.decimal not in ("", *MARKS):
            raise InvalidInput("--decimal", self.decimal, "give . or ,")
        for kind in self.kinds.values():
            if kind not in KINDS:
                raise UnknownName("kind of column", kind, KINDS)

    def check(self, names: Sequence[str]) -> None:
        """All columns exist."""
        for name in (*self.kinds, *self.dropped):
            if name not in names:
                raise UnknownName("column", name, names)

    def rows(self, table: pa.Table) -> pa.Table:
        """The rows and columns to play."""
        table = table.drop_columns([*self.dropped])
        return table.filter(pa.array(~repeats(table))) if self.distinct else table

    def cells(self, name: str, column: pa.ChunkedArray) -> Cells:
        """The column as it is to be read."""
        if name in self.kinds:
            return KINDS[self.kinds[name]](name, column, self.decimal)
        words = words_of(column) if self.decimal else None
        if words is not None and words[1]:
            values = [number(word, self.decimal) for word in words[1]]
            if None not in values:
                return Numbers(_by_row(words[0], values), self.decimal)
        return cells_of(column)


def repeats(table: pa.Table) -> Array:
    """Which rows repeat an earlier one, in all columns, (rows,)."""
    codes = np.zeros(table.num_rows, dtype=np.int64)
    for column in table.columns:
        codes = _joined(codes, _codes(column))
    _, first = np.unique(codes, return_index=True)
    again = np.ones(table.num_rows, dtype=np.bool_)
    again[first] = False
    return again


def _joined(codes: Array, more: Array) -> Array:
    """One code for each pair of two."""
    joint: Array = np.unique(codes * (int(more.max(initial=0)) + 1) + more, return_inverse=True)[1]
    return joint


def _codes(column: pa.ChunkedArray) -> Array:
    """Equal values have equal codes; those of types that cannot be compared all have one."""
    try:
        coded = plain(column).combine_chunks().dictionary_encode()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, AttributeError):
        return np.zeros(len(column), dtype=np.int64)
    indices = coded.indices.fill_null(len(coded.dictionary))
    codes: Array = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def _as_numbers(name: str, column: pa.ChunkedArray, decimal: str) -> Cells:
    """Words that are no numbers are missing."""
    words = words_of(column)
    if words is None:
        return cells_of(column)
    codes, levels = words
    mark = _mark(name, levels, decimal)
    values = [number(word, mark) for word in levels]
    if not any(value is not None for value in values):
        raise InvalidInput("--as", f"{name}=number", "no value of this column is a number")
    return Numbers(_by_row(codes, values), mark, lenient=True)


def _mark(name: str, levels: list[str], decimal: str) -> str:
    """The decimal mark that reads more of the words; where both do, the one that was given."""
    found = readable(levels)
    if len(found[POINT]) != len(found[COMMA]):
        return max(MARKS, key=lambda mark: len(found[mark]))
    odd = next((word for word in levels if word in found[POINT] and COMMA in word), None)
    if odd is not None and not decimal:
        remedy = f"{called(odd)!r} may be a thousand or one and a bit: add --decimal . or ,"
        raise InvalidInput("--as", f"{name}=number", remedy)
    return decimal or POINT


def _as_text(name: str, column: pa.ChunkedArray, decimal: str) -> Cells:
    words = words_of(column)
    if words is not None:
        return categories(*words)
    classes = classes_of(column)
    return cells_of(column) if classes is None else Categories(*classes)


def _as_dates(name: str, column: pa.ChunkedArray, decimal: str) -> Cells:
    if pa.types.is_temporal(column.type) and not pa.types.is_time(column.type):
        return Dates(_seconds(column), YEAR_FIRST)
    words = words_of(column)
    orders = orders_of(words[1]) if words is not None else []
    if words is None or not orders:
        remedy = "not every value is a date; write them as 2024-01-31 or 31.01.2024"
        raise InvalidInput("--as", f"{name}=date", remedy)
    if len(orders) > 1 and not all("." in word for word in words[1]):
        remedy = "day and month may be swapped; write them as 2024-01-31"
        raise InvalidInput("--as", f"{name}=date", remedy)
    return Dates(_by_row(words[0], [seconds(word, orders[0]) for word in words[1]]), orders[0])


def _seconds(column: pa.ChunkedArray) -> Array:
    micro = column.cast(pa.timestamp("us", getattr(column.type, "tz", None))).cast(pa.int64())
    values = micro.to_numpy(zero_copy_only=False).astype(np.float64)
    seconds: Array = np.where(np.asarray(column.is_null()), np.nan, values / 1e6)
    return seconds


def _by_row(codes: Array, values: Sequence[float | None]) -> Array:
    known = np.array([np.nan if value is None else value for value in (*values, None)])
    rows: Array = known[codes]  # -1 is the last
    return np.where(np.isfinite(rows), rows, np.nan)


KINDS: dict[str, Callable[[str, pa.ChunkedArray, str], Cells]] = {
    "number": _as_numbers,
    "text": _as_text,
    "date": _as_dates,
}

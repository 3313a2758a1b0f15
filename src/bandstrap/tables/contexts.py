"""Contexts as people hold them, read into columns: dicts, frames, arrays."""

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from scipy.sparse import issparse

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.tables.values import (
    CATEGORY,
    FLAG,
    HOLDABLE,
    NUMBER,
    TEXT,
    Column,
    Name,
    column_of,
    numbers_of,
)

PLAIN = (np.dtype(np.uint8), np.dtype(np.float32), np.dtype(np.float64))


class Table(NamedTuple):
    """Contexts whose columns have names."""

    source: str  # what they came as: "dicts", "pandas", "polars" or "pyarrow"
    one: bool
    columns: dict[Name, Column]


def table_of(contexts: Any) -> Table | None:
    """The columns of what has names; None if it has none."""
    if isinstance(contexts, np.ndarray) or issparse(contexts):
        return None
    if is_row(contexts):
        return _from_dicts([dict(contexts.items())], one=True)
    if isinstance(contexts, list | tuple):
        if contexts and all(map(is_row, contexts)):
            return _from_dicts([dict(row.items()) for row in contexts], one=False)
        return None
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(contexts, arrow.RecordBatch):
        contexts = arrow.Table.from_batches([contexts])
    try:
        frame = nw.from_native(contexts, eager_only=True, pass_through=True)
        return _from_frame(frame) if isinstance(frame, nw.DataFrame) else None
    except nw.exceptions.DuplicateError as error:
        raise InvalidInput("contexts", "columns of one name", str(error)) from error


def array_of(contexts: Any) -> Array:
    """Contexts without names as an array of one or two dimensions, which may still hold NaN."""
    if issparse(contexts):
        contexts = contexts.toarray()
    if isinstance(contexts, np.ma.MaskedArray):
        contexts = np.ma.filled(contexts.astype(np.float64), np.nan)
    try:
        array = np.asarray(contexts)
    except (ValueError, TypeError, RuntimeError) as error:
        raise InvalidInput("contexts", contexts, "give rows that are all of one length") from error
    if array.ndim not in (1, 2):
        raise InvalidInput(
            "contexts", contexts, "give one row of numbers, or a dict, or many as an array or table"
        )
    if array.dtype in PLAIN:
        return np.array(array, order="C")  # or it would change with the caller's
    if array.dtype.kind in "biuf":
        return array.astype(np.float64, order="C")
    return numbers_of(np.asarray(contexts, dtype=object))


def is_row(thing: Any) -> bool:
    """Whether it is one row with names."""
    return isinstance(thing, Mapping) or nw.dependencies.is_pandas_series(thing)


def _from_dicts(rows: list[dict[Name, Any]], one: bool) -> Table:
    first = rows[0]
    for i, row in enumerate(rows):
        if row.keys() != first.keys():
            odd = min(row.keys() ^ first.keys(), key=str)
            has = (
                "lacks a column that row 0 has" if odd in first else "has a column that row 0 lacks"
            )
            raise InvalidInput("column", odd, f"row {i} {has}; give the same columns in every row")
    columns = {name: column_of(name, [row[name] for row in rows]) for name in _checked([*first])}
    return Table("dicts", one, columns)


def _from_frame(frame: "nw.DataFrame[Any]") -> Table:
    names = _checked(frame.columns)
    source = frame.implementation.value
    known = source if source in ("polars", "pyarrow") else "pandas"
    get: Any = frame.get_column  # takes the numbers that pandas has for names, though typed text
    return Table(known, False, {name: _series(name, get(name)) for name in names})


def _checked(names: list[Any]) -> list[Name]:
    for name in names:
        if type(name) not in (str, int):
            raise InvalidInput("column", name, "name columns by text")
    return names


def _series(name: Name, series: "nw.Series[Any]") -> Column:
    dtype = series.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        numbers = series.cast(nw.Float64).to_numpy()
        return Column(FLAG if dtype == nw.Boolean else NUMBER, numbers)
    if dtype in (nw.String, nw.Object, nw.Unknown):
        return column_of(name, series.to_list())
    if dtype in (nw.Categorical, nw.Enum):
        column = column_of(name, series.to_list())
        if column.kind not in (TEXT, None):
            raise InvalidInput(f"column {name!r}", dtype, "make its categories text")
        return Column(CATEGORY, column.values)
    raise InvalidInput(f"column {name!r}", dtype, f"{HOLDABLE}; turn it into one of these")

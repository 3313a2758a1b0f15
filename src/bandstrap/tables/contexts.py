"""Contexts as users pass them (dicts, frames, arrays, sparse rows), read into typed columns."""

import sys
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from scipy.sparse import issparse

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput

Name = str | int  # pandas numbers the columns that have no name

NUMBER, FLAG, TEXT, CATEGORY = "number", "flag", "text", "category"
WORDS = (TEXT, CATEGORY)
ALLOWED = "a column holds numbers, booleans or text"
PLAIN = (np.dtype(np.uint8), np.dtype(np.float32), np.dtype(np.float64))


class Column(NamedTuple):
    """One column. Missing values are NaN among numbers, None among words."""

    kind: str | None  # None if all values are missing
    values: Any  # floats as an array, or words as a list


class NamedColumns(NamedTuple):
    """Contexts whose columns have names."""

    source: str  # "dicts", "pandas", "polars" or "pyarrow"
    one: bool
    columns: dict[Name, Column]


def named_columns(contexts: Any) -> NamedColumns | None:
    """The columns of dicts or a frame; None if they have no names."""
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
        raise InvalidInput("contexts", contexts, "give rows of equal length") from error
    if array.ndim not in (1, 2):
        remedy = "give one row of numbers or a dict, or many as an array or table"
        raise InvalidInput("contexts", contexts, remedy)
    if array.dtype in PLAIN:
        return np.array(array, order="C")  # a copy, so that it does not change with the caller's
    if array.dtype.kind in "biuf":
        return array.astype(np.float64, order="C")
    objects = np.asarray(contexts, dtype=object)
    values = objects.ravel().tolist()
    for value in values:
        if not is_missing(value) and not isinstance(value, Real | Decimal):
            remedy = "an array holds numbers; give text in dicts or a table"
            raise InvalidInput("contexts", value, remedy)
    return _floats("contexts", values).reshape(objects.shape)


def is_row(thing: Any) -> bool:
    """Whether it is one row with names."""
    return isinstance(thing, Mapping) or nw.dependencies.is_pandas_series(thing)


def is_missing(value: Any) -> bool:
    """Whether it is None, NaN or pandas' NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def _from_dicts(rows: list[dict[Name, Any]], one: bool) -> NamedColumns:
    first = rows[0]
    for i, row in enumerate(rows):
        if row.keys() != first.keys():
            odd = min(row.keys() ^ first.keys(), key=str)
            has = (
                "lacks a column that row 0 has" if odd in first else "has a column that row 0 lacks"
            )
            raise InvalidInput("column", odd, f"row {i} {has}; give the same columns in every row")
    columns = {name: _column_of(name, [row[name] for row in rows]) for name in _checked([*first])}
    return NamedColumns("dicts", one, columns)


def _from_frame(frame: "nw.DataFrame[Any]") -> NamedColumns:
    names = _checked(frame.columns)
    source = frame.implementation.value
    known = source if source in ("polars", "pyarrow") else "pandas"
    get: Any = frame.get_column  # typed for text, but takes the numbers that pandas has for names
    return NamedColumns(known, False, {name: _series(name, get(name)) for name in names})


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
        return _column_of(name, series.to_list())
    if dtype in (nw.Categorical, nw.Enum):
        column = _column_of(name, series.to_list())
        if column.kind not in (TEXT, None):
            raise InvalidInput(f"column {name!r}", dtype, "make its categories text")
        return Column(CATEGORY, column.values)
    raise InvalidInput(f"column {name!r}", dtype, f"{ALLOWED}; convert it to one of these")


def _column_of(name: Name, values: list[Any]) -> Column:
    if set(map(type, values)) == {str}:  # a shortcut for large tables
        return Column(TEXT, values)
    kinds = {_kind(name, value) for value in values if not is_missing(value)}
    if kinds <= {NUMBER, FLAG}:
        kind = NUMBER if NUMBER in kinds else FLAG if kinds else None
        return Column(kind, _floats(f"column {name!r}", values) if kinds else [None] * len(values))
    if kinds == {TEXT}:
        return Column(TEXT, [None if is_missing(value) else str(value) for value in values])
    odd = next(value for value in values if isinstance(value, str))
    raise InvalidInput(f"column {name!r}", odd, "text among numbers; give one or the other")


def _kind(name: Name, value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return FLAG
    if isinstance(value, Real | Decimal):
        return NUMBER
    if isinstance(value, str):
        return TEXT
    remedy = f"{ALLOWED}, one value in a row; convert {type(value).__name__} to one of these"
    raise InvalidInput(f"column {name!r}", value, remedy)


def _floats(where: str, values: list[Any]) -> Array:
    try:
        return np.array([np.nan if is_missing(value) else float(value) for value in values])
    except (OverflowError, ValueError) as error:
        raise InvalidInput(where, "a number", "too large for a double; scale it down") from error

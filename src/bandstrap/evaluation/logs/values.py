"""Cells of a column as numbers or times, and which of them are none."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bandstrap.arrays import Array
from bandstrap.tables.cells import doubles_of, plain, words_of
from bandstrap.tables.dates import seconds
from bandstrap.tables.numerals import POINT, number

NAN = ("nan", "NaN", "NAN", "-nan")  # as programs write a number that is none
UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))  # from which size on times are in which unit


class Parsed(NamedTuple):
    """Numbers, NaN where there are none; which cells are words, and which say NaN."""

    values: Array
    words: Array
    nan: Array


def numbers_in(column: pa.ChunkedArray, decimal: str = POINT) -> Parsed:
    """Every cell of a column as a number."""
    column = plain(column)
    values = doubles_of(column)
    if values is not None:
        return Parsed(values, np.zeros(len(values), np.bool_), says_nan(column, values))
    found = words_of(column)
    if found is None:  # dates, lists and so on
        nothing = np.full(len(column), np.nan)
        return Parsed(nothing, np.asarray(column.is_valid()), np.zeros(len(column), np.bool_))
    codes, levels = found
    known = [number(level, decimal) for level in levels]
    values = np.array([np.nan if each is None else each for each in (*known, None)])[codes]
    words = np.array([*(each is None for each in known), False])[codes]
    return Parsed(values, words, says_nan(column, values))


def says_nan(column: pa.ChunkedArray, values: Array) -> Array:
    """Which cells hold NaN, as opposed to nothing."""
    if pa.types.is_large_string(column.type):
        if not np.isnan(values).any():
            return np.zeros(len(values), np.bool_)
        words = pc.is_in(column, value_set=pa.array(NAN, column.type))
        return np.asarray(words.fill_null(False))
    if pa.types.is_floating(column.type):
        said: Array = np.isnan(values) & np.asarray(column.is_valid())
        return said
    return np.zeros(len(values), np.bool_)


def times_in(column: pa.ChunkedArray, order: str, unit: float) -> Array:
    """Seconds since 1970, NaN where they are missing or no dates of this order.

    `unit` is how many there are in a second where times are numbers.
    """
    column = plain(column)
    kind = column.type
    if is_dated(kind):
        return _of_timestamps(column)
    if not pa.types.is_large_string(kind) or not order:
        return numbers_in(column).values / unit
    for zone in ("UTC", None):
        try:
            return _of_timestamps(column.cast(pa.timestamp("us", zone)))
        except pa.ArrowInvalid:
            continue
    found = words_of(column)
    assert found is not None
    known = [seconds(level, order) for level in found[1]]
    times: Array = np.array([np.nan if each is None else each for each in (*known, None)])[found[0]]
    return times


def is_dated(kind: pa.DataType) -> bool:
    """Whether values of a type are dates, with a time or without."""
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def unit_of(values: Array) -> float:
    """How many there are in a second: as of now, milliseconds are at least a hundred billion."""
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    return next((unit for least, unit in UNITS if largest >= least), 1.0)


def _of_timestamps(column: pa.ChunkedArray) -> Array:
    stamps = column.cast(pa.timestamp("us", getattr(column.type, "tz", None)))
    whole = stamps.cast(pa.int64()).fill_null(0).to_numpy()
    times: Array = np.where(np.asarray(column.is_null()), np.nan, whole / 1e6)
    return times

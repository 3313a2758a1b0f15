"""Columns of Arrow as one of three kinds: numbers with NaN, words with None, or neither."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

MISSING = ("", "?", "NA", "N/A", "na", "n/a", "nan", "NaN", "NULL", "null", "None", "NONE", "#N/A")
LEVELS = 20  # categories of a column that get an indicator each; the rest share one
COVERED = 0.2  # of the rows that those must hold, or the column says little to a model


class Classes(NamedTuple):
    """Each row's place among the names of classes, -1 where it is missing."""

    codes: np.ndarray
    names: tuple[str, ...]


class Cells(ABC):
    """A column of one kind."""

    @abstractmethod
    def classes(self) -> Classes:
        """Every different value as a class."""

    def numbers(self) -> np.ndarray | None:
        """The column as numbers, if it is of such."""
        return None

    @abstractmethod
    def useless(self) -> str:
        """Why the column can tell a model nothing; empty if it can."""


@dataclass(frozen=True, eq=False)
class Numbers(Cells):
    """A column of doubles; what is missing or not finite is NaN."""

    values: np.ndarray

    def numbers(self) -> np.ndarray:
        return self.values

    def classes(self) -> Classes:
        gone = np.isnan(self.values)
        values, places = np.unique(self.values[~gone], return_inverse=True)
        codes = np.full(self.values.size, -1, np.int64)
        codes[~gone] = places
        return Classes(codes, tuple(f"{value:.12g}" for value in values))

    def useless(self) -> str:
        there = self.values[~np.isnan(self.values)]
        if there.size == 0:
            return "all missing"
        if there.size < self.values.size:
            return ""
        if (there == there[0]).all():
            return "constant"
        counts = there.size > 2 and (np.diff(there) == 1).all()
        return "it counts the rows" if counts else ""


@dataclass(frozen=True, eq=False)
class Words(Cells):
    """A column of words: the place of each in `levels`, -1 where it is missing."""

    codes: np.ndarray
    levels: tuple[str, ...]

    def classes(self) -> Classes:
        return Classes(self.codes, self.levels)

    def useless(self) -> str:
        there = self.codes[self.codes >= 0]
        if there.size == 0:
            return "all missing"
        if there.size == self.codes.size and len(self.levels) == 1:
            return "constant"
        if len(self.levels) == there.size and there.size > LEVELS:
            return "an identifier, different in every row"
        share = np.sort(np.bincount(there))[-LEVELS:].sum() / there.size
        if share >= COVERED:
            return ""
        return f"{len(self.levels):,} categories, the {LEVELS} most frequent hold {share:.0%}"


def cells_of(column: pa.ChunkedArray) -> Cells | None:
    """The column, with words that are all numbers read as such; None for dates, lists and so on."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_null(kind):
        return Numbers(np.full(len(column), np.nan))
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _numbers(column)
    if pa.types.is_decimal(kind):
        return _numbers(column.cast(pa.float64()))
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return _words_of_views(column)
    return _read(column)


def _words_of_views(column: pa.ChunkedArray) -> Cells | None:
    """Some frames hold text in a further type of Arrow's."""
    return _read(column.cast(pa.large_string())) if "string_view" in str(column.type) else None


def _read(column: pa.ChunkedArray) -> Cells:
    """Words as they are written in files: trimmed, with the usual signs for nothing."""
    call: Any = pc.call_function
    words = call("utf8_trim_whitespace", [column]).combine_chunks()
    gone = pc.is_in(words, value_set=pa.array(MISSING, words.type))
    words = pc.if_else(gone, pa.scalar(None, words.type), words)
    try:
        return _numbers(pa.chunked_array([words.cast(pa.float64())]))
    except pa.ArrowInvalid:
        return _words(words)


def _numbers(column: pa.ChunkedArray) -> Numbers:
    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return Numbers(np.where(np.isfinite(values), values, np.nan))


def _words(words: pa.Array) -> Words:
    """The levels in alphabetical order, so that codes do not depend on the order of rows."""
    coded = words.dictionary_encode()
    levels = coded.dictionary.to_pylist()
    order = sorted(range(len(levels)), key=levels.__getitem__)
    place = np.empty(len(levels) + 1, np.int64)
    place[order] = np.arange(len(levels))
    place[-1] = -1
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Words(place[codes], tuple(levels[i] for i in order))

"""Columns of Arrow as one of three kinds: numbers with NaN, words with None, or neither."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bandstrap.arrays import Array
from bandstrap.printable import called

MISSING = ("", "?", "NA", "N/A", "na", "n/a", "nan", "NaN", "NULL", "null", "#N/A")
NOTHING = ("None", "NONE")  # missing among numbers; among words it may be one of them
LEVELS = 20  # categories of a column that get an indicator each; the rest share one
COVERED = 0.2  # of the rows that those must hold, or the column says little to a model
THOUSANDS = r"^[+-]?\d{1,3}(,\d{3})+$"  # 1,234 is one thousand here and one and a bit there


class Cells(ABC):
    """A column of one kind."""

    def numbers(self) -> Array | None:
        """The column as numbers, if it is of such."""
        return None

    @abstractmethod
    def useless(self) -> str:
        """Why the column can tell a model nothing; empty if it can."""


@dataclass(frozen=True, eq=False)
class Numbers(Cells):
    """A column of doubles; what is missing or not finite is NaN."""

    values: Array

    def numbers(self) -> Array:
        return self.values

    def useless(self) -> str:
        there = self.values[~np.isnan(self.values)]
        if there.size == 0:
            return "all missing"
        if there.size < self.values.size:
            return ""
        if (there == there[0]).all():
            return "constant"
        return "it counts the rows" if _counts(there) else ""


@dataclass(frozen=True, eq=False)
class Words(Cells):
    """A column of words: the place of each in `levels`, -1 where it is missing."""

    codes: Array
    levels: tuple[str, ...]

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


@dataclass(frozen=True)
class Other(Cells):
    """A column that is neither: dates, lists and so on."""

    kind: str

    def useless(self) -> str:
        return f"of type {called(self.kind)}"


def cells_of(column: pa.ChunkedArray) -> Cells:
    """The column, with words that are all numbers, true or false read as such."""
    column = plain(column)
    kind = column.type
    if pa.types.is_null(kind):
        return Numbers(np.full(len(column), np.nan))
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _numbers(column)
    if pa.types.is_decimal(kind):
        return _numbers(column.cast(pa.float64()))
    return _read(column) if pa.types.is_large_string(kind) else Other(_called(kind))


def _called(kind: pa.DataType) -> str:
    return kind.extension_name if isinstance(kind, pa.BaseExtensionType) else str(kind)


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column without a dictionary, and text in one type of the several that Arrow has."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        try:
            column = column.cast(kind.value_type)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # as of pandas' intervals
            return column
        kind = column.type
    if pa.types.is_string(kind) or "string_view" in str(kind):
        column = column.cast(pa.large_string())
    return column


def trimmed(column: pa.ChunkedArray) -> pa.Array:
    """Words as they are written in files: without space around, null for the signs of nothing."""
    call: Any = pc.call_function
    words = _without(MISSING, call("utf8_trim_whitespace", [column]).combine_chunks())
    rest = _without(NOTHING, words)
    return rest if rest.null_count > words.null_count and _written(rest) is not None else words


def _without(signs: tuple[str, ...], words: pa.Array) -> pa.Array:
    gone = pc.is_in(words, value_set=pa.array(signs, words.type))
    return pc.if_else(gone, pa.scalar(None, words.type), words)


def encoded(words: pa.Array) -> tuple[Array, list[Any]]:
    """The place of each value among the different ones, -1 where it is missing."""
    coded = words.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64), coded.dictionary.to_pylist()


def ordered(codes: Array, order: list[int]) -> Array:
    """Codes after their levels were put into another order."""
    place = np.empty(len(order) + 1, np.int64)
    place[order] = np.arange(len(order))
    place[-1] = -1
    moved: Array = place[codes]
    return moved


def _counts(values: Array) -> bool:
    """Whether these number the rows: one after the other, or, as after rows were left out, whole
    numbers that only rise or only fall."""
    steps = np.diff(values)
    if values.size > LEVELS:
        whole = bool((values == np.rint(values)).all())
        return whole and bool((steps > 0).all() or (steps < 0).all())
    return values.size > 2 and bool((steps == 1).all() or (steps == -1).all())


def _read(column: pa.ChunkedArray) -> Cells:
    """Words that turn out to be something else, or stay words."""
    words = trimmed(column)
    numbers = _written(words)
    if numbers is not None:
        return numbers
    try:
        words.cast(pa.timestamp("us"))
        return Other("date")
    except pa.ArrowInvalid:
        return _words(words)


def _written(words: pa.Array) -> Numbers | None:
    """Words that are all numbers, or all true or false."""
    for kind in (pa.float64(), pa.bool_()):
        try:
            return _numbers(pa.chunked_array([words.cast(kind)]))
        except pa.ArrowInvalid:
            pass
    return _decimal_commas(words)


def _decimal_commas(words: pa.Array) -> Numbers | None:
    """Numbers as 1,5 of much of the world; not where the comma may be one of thousands."""
    call: Any = pc.call_function
    commas = words.filter(call("match_substring", [words], pc.MatchSubstringOptions(",")))
    options = pc.MatchSubstringOptions(THOUSANDS)
    if pc.all(call("match_substring_regex", [commas], options)).as_py():
        return None
    try:
        points = call("replace_substring", [words], pc.ReplaceSubstringOptions(",", "."))
        return _numbers(pa.chunked_array([points.cast(pa.float64())]))
    except pa.ArrowInvalid:
        return None


def _numbers(column: pa.ChunkedArray) -> Numbers:
    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return Numbers(np.where(np.isfinite(values), values, np.nan))


def _words(words: pa.Array) -> Words:
    """The levels in alphabetical order, so that codes do not depend on the order of rows."""
    codes, levels = encoded(words)
    order = sorted(range(len(levels)), key=levels.__getitem__)
    return Words(ordered(codes, order), tuple(levels[i] for i in order))

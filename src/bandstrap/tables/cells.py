"""Columns of an Arrow table: as numbers, as categories, or as the classes of a label."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bandstrap.arrays import Array
from bandstrap.printable import called
from bandstrap.tables.dates import orders_of

MISSING = ("", "?", "NA", "N/A", "na", "n/a", "nan", "NaN", "NULL", "null", "#N/A")
NOTHING = ("None", "NONE")  # missing among numbers; among words it may be one of them
LEVELS = 20  # categories that get an indicator each; the rest share one
COUNTABLE = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_decimal, pa.types.is_null)
COVERED = 0.2  # share of rows that those must hold, or the column says little to a model
THOUSANDS = r"^[+-]?\d{1,3}(,\d{3})+$"  # 1,234 may be a thousand or one and a bit


class Cells(ABC):
    """A column of one kind."""

    is_date: bool = False  # that nobody asked for

    def numbers(self) -> Array | None:
        """The values, if they are numbers."""
        return None

    def keys(self) -> Array:
        """What rows can be sorted by; of a useless column nothing."""
        return np.zeros(0)

    @abstractmethod
    def useless(self) -> str:
        """Why a model can learn nothing from the column; empty if it can."""


@dataclass(frozen=True, eq=False)
class Numbers(Cells):
    """A column of doubles; missing and infinite ones are NaN.

    Where a `decimal` mark was given, `lenient` tells whether words among them are missing values.
    """

    values: Array
    decimal: str = ""
    lenient: bool = False

    def numbers(self) -> Array:
        return self.values

    def keys(self) -> Array:
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
class Categories(Cells):
    """A column of words: the index of each in `levels`, -1 where it is missing."""

    codes: Array
    levels: tuple[str, ...]

    def keys(self) -> Array:
        return self.codes

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


@dataclass(frozen=True, eq=False)
class Dates(Cells):
    """A column of dates in seconds since 1970, NaN where missing; words have one `order`."""

    values: Array
    order: str

    def keys(self) -> Array:
        return self.values

    def useless(self) -> str:
        there = self.values[~np.isnan(self.values)]
        if there.size == 0:
            return "all missing"
        return "constant" if there.size == self.values.size and not np.ptp(there) else ""


@dataclass(frozen=True)
class Other(Cells):
    """A column of dates that are not asked for, lists and so on."""

    kind: str

    @property
    def is_date(self) -> bool:  # type: ignore[override]
        return self.kind.startswith(("date", "timestamp"))

    def useless(self) -> str:
        return f"of type {called(self.kind)}"


def cells_of(column: pa.ChunkedArray) -> Cells:
    """The column; words that are all numbers, or all true or false, become numbers."""
    column = plain(column)
    kind = column.type
    if pa.types.is_null(kind):
        return Numbers(np.full(len(column), np.nan))
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _numbers(column)
    if pa.types.is_decimal(kind):
        return _numbers(column.cast(pa.float64()))
    if not pa.types.is_large_string(kind):
        extension = isinstance(kind, pa.BaseExtensionType)
        return Other(kind.extension_name if extension else str(kind))
    words = _trimmed(column)
    numbers = _parsed(words)
    if numbers is not None:
        return numbers
    codes, levels = _encoded(words)
    if _are_dates(words, levels):
        return Other("date")
    return categories(codes, levels)


def doubles_of(column: pa.ChunkedArray) -> Array | None:
    """The numbers of a column as they are, also infinite ones; NaN where they are missing.

    None if some of them are no numbers.
    """
    column = plain(column)
    kind = column.type
    if pa.types.is_large_string(kind):
        return _parsed_doubles(_trimmed(column))
    if not (pa.types.is_floating(kind) or any(test(kind) for test in COUNTABLE)):
        return None
    if pa.types.is_decimal(kind) or pa.types.is_null(kind):
        column = column.cast(pa.float64())
    return _doubles(column)


def categories(codes: Array, levels: list[str]) -> Categories:
    """In alphabetical order, so that codes do not depend on the order of rows."""
    order = sorted(range(len(levels)), key=levels.__getitem__)
    return Categories(_reordered(codes, order), tuple(levels[i] for i in order))


def words_of(column: pa.ChunkedArray) -> tuple[Array, list[str]] | None:
    """The distinct words of a column and the index of each row's, -1 where it is missing; None if
    it does not hold words."""
    column = plain(column)
    return _encoded(_trimmed(column)) if pa.types.is_large_string(column.type) else None


def _are_dates(words: pa.Array, levels: list[str]) -> bool:
    if not levels:
        return False
    try:
        words.cast(pa.timestamp("us"))
        return True
    except pa.ArrowInvalid:
        return bool(orders_of(levels[:1]) and orders_of(levels))


class Classes(NamedTuple):
    """The class of each row as an index into `names`, -1 where it is missing."""

    codes: Array
    names: tuple[str, ...]


def classes_of(column: pa.ChunkedArray) -> Classes | None:
    """Every distinct value of a label under the name that it has in the table.

    None for dates, lists and so on. Names that are numbers come in numerical order, others in
    alphabetical order.
    """
    column = plain(column)
    kind = column.type
    if pa.types.is_large_string(kind):
        values = _trimmed(column)
    elif pa.types.is_floating(kind):
        numbers = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
        values = pa.array(numbers, mask=~np.isfinite(numbers))
    elif any(test(kind) for test in COUNTABLE):
        values = column.combine_chunks()
    else:
        return None
    codes, levels = _encoded(values)
    names = [_class_name(level) for level in levels]
    order = sorted(range(len(names)), key=_class_order(names))
    return Classes(_reordered(codes, order), tuple(names[i] for i in order))


def _class_name(level: Any) -> str:
    if isinstance(level, bool):
        return str(level).lower()
    whole = isinstance(level, float) and level.is_integer() and abs(level) < 2**53
    return str(int(level)) if whole else str(level)


def _class_order(names: list[str]) -> Any:
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return names.__getitem__
    return lambda i: (numbers[i], names[i])


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column without a dictionary, and with one of Arrow's several types of text."""
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


def _trimmed(column: pa.ChunkedArray) -> pa.Array:
    """Words without surrounding space; null for the marks of missing values."""
    call: Any = pc.call_function
    words = _without(MISSING, call("utf8_trim_whitespace", [column]).combine_chunks())
    rest = _without(NOTHING, words)
    return rest if rest.null_count > words.null_count and _parsed(rest) is not None else words


def _without(marks: tuple[str, ...], words: pa.Array) -> pa.Array:
    missing = pc.is_in(words, value_set=pa.array(marks, words.type))
    return pc.if_else(missing, pa.scalar(None, words.type), words)


def _encoded(words: pa.Array) -> tuple[Array, list[Any]]:
    """The index of each value among the distinct ones, -1 where it is missing."""
    coded = words.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64), coded.dictionary.to_pylist()


def _reordered(codes: Array, order: list[int]) -> Array:
    """The codes after their levels were put into this order."""
    place = np.empty(len(order) + 1, np.int64)
    place[order] = np.arange(len(order))
    place[-1] = -1
    moved: Array = place[codes]
    return moved


def _counts(values: Array) -> bool:
    """Whether these are row numbers: consecutive, or, since rows may have been removed, whole
    numbers that only rise or only fall."""
    steps = np.diff(values)
    if values.size > LEVELS:
        whole = bool((values == np.rint(values)).all())
        return whole and bool((steps > 0).all() or (steps < 0).all())
    return values.size > 2 and bool((steps == 1).all() or (steps == -1).all())


def _parsed(words: pa.Array) -> Numbers | None:
    values = _parsed_doubles(words)
    return None if values is None else Numbers(np.where(np.isfinite(values), values, np.nan))


def _parsed_doubles(words: pa.Array) -> Array | None:
    """Words that are all numbers, or all true or false."""
    for kind in (pa.float64(), pa.bool_()):
        try:
            return _doubles(pa.chunked_array([words.cast(kind)]))
        except pa.ArrowInvalid:
            pass
    return _decimal_commas(words)


def _decimal_commas(words: pa.Array) -> Array | None:
    """Numbers written as 1,5; not where every comma may separate thousands."""
    call: Any = pc.call_function
    commas = words.filter(call("match_substring", [words], pc.MatchSubstringOptions(",")))
    options = pc.MatchSubstringOptions(THOUSANDS)
    if pc.all(call("match_substring_regex", [commas], options)).as_py():
        return None
    try:
        points = call("replace_substring", [words], pc.ReplaceSubstringOptions(",", "."))
        return _doubles(pa.chunked_array([points.cast(pa.float64())]))
    except pa.ArrowInvalid:
        return None


def _numbers(column: pa.ChunkedArray) -> Numbers:
    values = _doubles(column)
    return Numbers(np.where(np.isfinite(values), values, np.nan))


def _doubles(column: pa.ChunkedArray) -> Array:
    values: Array = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return values

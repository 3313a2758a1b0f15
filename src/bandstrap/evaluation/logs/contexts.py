"""Columns of a log as contexts: numbers as they are, indicators for words and missing values."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.evaluation.feedback import Given
from bandstrap.evaluation.logs.faults import Faults, Places
from bandstrap.evaluation.logs.spill import Spill
from bandstrap.evaluation.logs.values import numbers_in, times_in
from bandstrap.printable import called
from bandstrap.tables import Columns
from bandstrap.tables.cells import Categories, Cells, Dates, Numbers, classes_of, words_of
from bandstrap.tables.columns import Vocabulary
from bandstrap.tables.contexts import NUMBER, TEXT, Name
from bandstrap.tables.features import CategoryFeature, DateFeature, NumberFeature, fitted
from bandstrap.tables.numerals import COMMA, POINT
from bandstrap.tables.reading import Reading
from bandstrap.tables.roles import IDENTIFIER, words_in
from bandstrap.validation import LARGEST

FINITE = f"give numbers up to {LARGEST:g}, or leave the cell empty where there is none"
ALL_MISSING = "all missing"  # as cells say it
SHOWN = 8  # names in a note


class Read(NamedTuple):
    """A column of a piece: for models, and as it was given."""

    encoded: Array  # (n, numbers)
    given: Array  # (n,)


@dataclass(frozen=True)
class NumberColumn:
    """Numbers, as they are; words among them are missing."""

    feature: NumberFeature
    decimal: str

    kind = NUMBER

    def read(
        self, column: pa.ChunkedArray, words: Vocabulary, faults: Faults, places: Places
    ) -> Read:
        values = numbers_in(column, self.decimal).values
        large = np.abs(values) > LARGEST
        faults.look(f"column {self.feature.name!r}", large, values, places, FINITE)
        return Read(self.feature.encoded_cells(Numbers(values)), values)

    @property
    def as_given(self) -> bool:
        """Whether the encoded column is the given one."""
        return not self.feature.missing


@dataclass(frozen=True)
class TextColumn:
    """Words, an indicator for each of the frequent ones."""

    feature: CategoryFeature

    kind = TEXT
    as_given = False

    def read(
        self, column: pa.ChunkedArray, words: Vocabulary, faults: Faults, places: Places
    ) -> Read:
        found = words_of(column)
        codes, levels = _classes(column) if found is None else found
        absent = [None] if (codes < 0).any() else []
        known = [words.setdefault(level, len(words)) for level in [*levels, *absent]]
        encoded = self.feature.encoded_cells(Categories(codes, tuple(levels)))
        return Read(encoded, np.array(known, np.float64)[codes])


@dataclass(frozen=True)
class DateColumn:
    """Dates, where a user says that a column of them is context."""

    feature: DateFeature

    kind = NUMBER
    as_given = False

    def read(
        self, column: pa.ChunkedArray, words: Vocabulary, faults: Faults, places: Places
    ) -> Read:
        times = times_in(column, self.feature.order, 1.0)
        return Read(self.feature.encoded_cells(Dates(times, self.feature.order)), times)


ContextColumn = NumberColumn | TextColumn | DateColumn


def _classes(column: pa.ChunkedArray) -> tuple[Array, list[str]]:
    """Numbers that are to be words."""
    found = classes_of(column)
    if found is None:
        return np.full(len(column), -1), []
    return found.codes, [*found.names]


class Fit(NamedTuple):
    """The columns that contexts come from, and what was done with the others."""

    columns: list[ContextColumn]
    notes: list[str]


def fit(
    sample: pa.Table, names: Iterable[str], reading: Reading, keep: bool, titles: Mapping[str, Name]
) -> Fit:
    """Look at a sample of the rows; `keep` columns, also those that say nothing to a model."""
    columns: list[ContextColumn] = []
    reasons: dict[str, list[Name]] = {}
    for name in names:
        cells = reading.cells(name, sample[name])
        reason = cells.useless() or _identifies(name, cells)
        if keep and cells.keys().size and reason != ALL_MISSING:
            reason = ""
        if reason:
            reasons.setdefault(reason, []).append(titles.get(name, name))
        else:
            columns.append(_column(name, cells, sample[name]))
    notes = [f"Left out of contexts: {_some(some)} ({why})." for why, some in reasons.items()]
    return Fit(columns, [*_described(columns, titles), *notes])


def _identifies(name: str, cells: Cells) -> str:
    """Why a column of whole numbers or words that is called an id is left out."""
    if not words_in(name) & IDENTIFIER:
        return ""
    numbers = cells.numbers()
    if numbers is not None and (numbers % 1)[~np.isnan(numbers)].any():
        return ""
    return "its name says that it identifies something; name it as context to keep it"


def _column(name: str, cells: Cells, column: pa.ChunkedArray) -> ContextColumn:
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # what is too large is refused when all rows are read
        feature = fitted(cells, name).feature
    return _KINDS[feature.kind](feature, column)


def _of_numbers(feature: Any, column: pa.ChunkedArray) -> ContextColumn:
    """Not standardised: rules and bandits know the numbers as they are."""
    plain = replace(feature, mean=0.0, deviation=1.0)
    return NumberColumn(plain, feature.decimal or _mark(column))


_KINDS: dict[str, Callable[[Any, pa.ChunkedArray], ContextColumn]] = {
    NumberFeature.kind: _of_numbers,
    CategoryFeature.kind: lambda feature, column: TextColumn(feature),
    DateFeature.kind: lambda feature, column: DateColumn(feature),
}


def _mark(column: pa.ChunkedArray) -> str:
    """The decimal mark of a column of numbers."""
    found = words_of(column)
    return COMMA if found is not None and any(COMMA in word for word in found[1]) else POINT


def _described(columns: list[ContextColumn], titles: Mapping[str, Name]) -> list[str]:
    if not columns:
        return []

    def those(which: Callable[[ContextColumn], bool]) -> list[Name]:
        names = [each.feature.name for each in columns if which(each)]
        return [titles.get(name, name) for name in names]

    texts, rest = those(lambda each: each.kind == TEXT), those(lambda each: each.kind != TEXT)
    parts = [f"numbers {_some(rest)}"] * bool(rest) + [f"text {_some(texts)}"] * bool(texts)
    missing = those(lambda each: bool(each.feature.missing))
    some = f"; missing values in {_some(missing)} have an indicator" if missing else ""
    return [f"Contexts: {' and '.join(parts)}{some}."]


def _some(names: list[Name]) -> str:
    shown = ", ".join(called(name) or "(no name)" for name in names[:SHOWN])
    return shown + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


class ContextStore:
    """Contexts of all rows, piece by piece."""

    def __init__(
        self, columns: list[ContextColumn], spill: Spill, titles: Mapping[str, Name]
    ) -> None:
        self._columns, self._titles = columns, titles
        width = sum(len(each.feature.columns) for each in columns)
        self._encoded = spill.column(np.float64, width)
        self._as_given = all(each.as_given for each in columns)
        self._given = spill.column(np.float64, len(columns))
        self._words: dict[str, Vocabulary] = {each.feature.name: {} for each in columns}

    def append(self, piece: pa.Table, faults: Faults, places: Places) -> None:
        if not self._columns:
            return
        read = [
            each.read(piece[each.feature.name], self._words[each.feature.name], faults, places)
            for each in self._columns
        ]
        self._encoded.append(np.concatenate([each.encoded for each in read], axis=1))
        if not self._as_given:
            self._given.append(np.stack([each.given for each in read], axis=1))

    def contexts(self) -> tuple[Array | None, Columns | None, Given | None]:
        """Encoded rows, their columns, and what was given where that differs."""
        if not self._columns:
            return None, None, None
        names = [
            self._title(each.feature.name, name[len(each.feature.name) :])
            for each in self._columns
            for name in each.feature.columns
        ]
        made = _columns(dict.fromkeys(names, NUMBER), {}, missing=False)
        if self._as_given:
            return self._encoded.array(), made, None
        kinds = {self._title(each.feature.name): each.kind for each in self._columns}
        words = {self._title(name): words for name, words in self._words.items()}
        given = _columns(kinds, words, missing=True)
        return self._encoded.array(), made, Given(self._given.array(), given)

    def _title(self, column: str, suffix: str = "") -> Name:
        """What a column, or one of its numbers, is called outside."""
        title = self._titles.get(column, column)
        return f"{title}{suffix}" if suffix else title


def _columns(kinds: dict[Name, str], words: dict[Name, Vocabulary], missing: bool) -> Columns:
    """Columns that are known without having read a context."""
    made = Columns(missing=missing)
    made.source, made.width = "dicts", len(kinds)
    made.kinds = {**kinds}
    made.words = {name: words[name] for name, kind in kinds.items() if kind == TEXT}
    return made

"""How each column of a table becomes numbers that a model sees."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from math import isfinite, nan
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.tables.cells import LEVELS, MISSING, NOTHING, Categories, Cells, Dates, Numbers
from bandstrap.tables.contexts import is_missing
from bandstrap.tables.dates import ORDERS, seconds_of
from bandstrap.tables.numerals import MARKS
from bandstrap.tables.numerals import number as numeral
from bandstrap.validation import is_finite, is_whole

FLAGS = {"true": 1.0, "false": 0.0}
ABSENT, OTHER = "(missing)", "(other)"
UNKNOWN = (*MISSING, *NOTHING)  # instead of a number or a date
DAY = 86400.0
CYCLES = {"year": 365.2425 * DAY, "week": 7 * DAY, "day": DAY}
WAVES = ("sine", "cosine")


class Feature(ABC):
    """A column of the table as one or more columns of numbers."""

    kind: ClassVar[str]
    name: str

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """The names of the columns of numbers."""

    @abstractmethod
    def numbers(self, value: Any) -> list[float]:
        """A value of the column, None or NaN where it is missing, as a number for each column."""

    def encoded(self, values: Sequence[Any]) -> Array:
        """Many of them, (n, columns)."""
        rows = np.array([self.numbers(value) for value in values], dtype=np.float64)
        return rows.reshape(len(values), len(self.columns))

    @abstractmethod
    def description(self) -> str:
        """What is done with the column, for the user."""


@dataclass(frozen=True)
class NumberFeature(Feature):
    """Standardised numbers; missing ones become the median, with an indicator if there were any."""

    name: str
    median: float
    mean: float
    deviation: float
    missing: int = 0
    decimal: str = ""  # of words; "" where 1,5 is all that may come
    lenient: bool = False  # words that are no numbers are missing

    kind: ClassVar[str] = "number"

    @classmethod
    def fit(cls, name: str, cells: Numbers) -> "NumberFeature":
        there = cells.values[~np.isnan(cells.values)]
        written = cells.values.size - there.size, cells.decimal, cells.lenient
        median = float(np.median(there))
        if np.isin(there, (0.0, 1.0)).all():  # standardised, a rare 1 would be in the hundreds
            return cls(name, median, 0.0, 1.0, *written)
        mean, deviation = _moments(np.where(np.isnan(cells.values), median, cells.values))
        return cls(name, median, mean, deviation, *written)

    @property
    def columns(self) -> list[str]:
        return [self.name, f"{self.name}={ABSENT}"] if self.missing else [self.name]

    def numbers(self, value: Any) -> list[float]:
        number = self._number(value)
        absent = not isfinite(number)
        scaled = ((self.median if absent else number) - self.mean) / self.deviation
        return [scaled, float(absent)] if self.missing else [scaled]

    def encoded_cells(self, cells: Numbers) -> Array:
        numbers = cells.values
        absent = np.isnan(numbers)
        scaled = (np.where(absent, self.median, numbers) - self.mean) / self.deviation
        return np.stack([scaled, absent] if self.missing else [scaled], axis=1)

    def _number(self, value: Any) -> float:
        if isinstance(value, str):
            value = self._read(value.strip())
        if is_missing(value):
            return nan
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"column {self.name!r}", value, "give a number") from error

    def _read(self, word: str) -> Any:
        """The number that a word is; the word itself if it is none."""
        if word in UNKNOWN:
            return nan
        if self.decimal:
            number = numeral(word, self.decimal)
            if number is not None or self.lenient:
                return number
        return FLAGS.get(word.lower(), word.replace(",", "."))  # as in 1,5

    def description(self) -> str:
        plain = (self.mean, self.deviation) == (0.0, 1.0)
        text = "zeros and ones, as they are" if plain else "numbers, standardised"
        if self.missing:
            text += f"; {self.missing:,} missing: the median {self.median:g}, and an indicator"
        return text


@dataclass(frozen=True)
class DateFeature(Feature):
    """When it is, standardised, and where that is in the year, the week and the day (sine, cosine).

    Times are in UTC. Missing dates become the median, with an indicator if there were any.

    >>> feature = DateFeature("when", "dmy", median=0.0, mean=0.0, deviation=DAY)
    >>> [round(each, 2) for each in feature.numbers("09.01.1970")]
    [8.0, 0.14, 0.99, 0.78, 0.62]
    """

    name: str
    order: str
    median: float
    mean: float
    deviation: float
    timed: bool = False  # whether dates have times of the day
    missing: int = 0

    kind: ClassVar[str] = "date"

    @classmethod
    def fit(cls, name: str, cells: Dates) -> "DateFeature":
        there = cells.values[~np.isnan(cells.values)]
        median, timed = float(np.median(there)), bool((there % DAY).any())
        mean, deviation = _moments(np.where(np.isnan(cells.values), median, cells.values))
        absent = cells.values.size - there.size
        return cls(name, cells.order, median, mean, deviation, timed, absent)

    @property
    def columns(self) -> list[str]:
        waves = [f"{self.name}={part}, {wave}" for part in self._cycles for wave in WAVES]
        return [self.name, *waves, *([f"{self.name}={ABSENT}"] if self.missing else [])]

    @property
    def _cycles(self) -> list[str]:
        return [*CYCLES][: 3 if self.timed else 2]

    def numbers(self, value: Any) -> list[float]:
        word = value.strip() if isinstance(value, str) else None
        if is_missing(value) or word in UNKNOWN:
            return [*self.encoded_cells(Dates(np.array([nan]), self.order))[0].tolist()]
        there = seconds_of(value, self.order)
        if there is None:
            raise InvalidInput(f"column {self.name!r}", value, "give a date, as 2024-01-31")
        return [*self.encoded_cells(Dates(np.array([there]), self.order))[0].tolist()]

    def encoded_cells(self, cells: Dates) -> Array:
        absent = np.isnan(cells.values)
        there = np.where(absent, self.median, cells.values)
        angles = [2 * np.pi * there / CYCLES[part] for part in self._cycles]
        waves = [wave(angle) for angle in angles for wave in (np.sin, np.cos)]
        scaled = (there - self.mean) / self.deviation
        return np.stack([scaled, *waves, *([absent] if self.missing else [])], axis=1)

    def description(self) -> str:
        parts = ", ".join(self._cycles)
        text = f"dates: when, standardised, and the time of the {parts} as sine and cosine"
        return text + (f"; {self.missing:,} missing, with an indicator" if self.missing else "")


@dataclass(frozen=True)
class CategoryFeature(Feature):
    """An indicator for each frequent category, one for all others, one for missing values."""

    name: str
    levels: tuple[str, ...]
    others: int = 0  # categories without an indicator of their own
    missing: int = 0

    kind: ClassVar[str] = "words"  # as encoder files say

    @classmethod
    def fit(cls, name: str, cells: Categories) -> "CategoryFeature":
        counts = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.levels))
        frequent = np.sort(np.argsort(-counts, kind="stable")[:LEVELS])
        levels = tuple(cells.levels[i] for i in frequent)
        absent = int((cells.codes < 0).sum())
        return cls(name, levels, len(cells.levels) - len(levels), absent)

    @property
    def columns(self) -> list[str]:
        extra = [OTHER] * bool(self.others) + [ABSENT] * bool(self.missing)
        return [f"{self.name}={level}" for level in [*self.levels, *extra]]

    def numbers(self, value: Any) -> list[float]:
        row = [0.0] * self._width
        place = self._place(value)
        if place >= 0:
            row[place] = 1.0
        return row

    @property
    def _width(self) -> int:
        return len(self.levels) + bool(self.others) + bool(self.missing)

    def encoded_cells(self, cells: Categories) -> Array:
        places = np.array([*map(self._place, cells.levels), self._place(None)])
        return self._indicators(places[cells.codes])

    def _place(self, value: Any) -> int:
        """The index of the value's indicator; -1 for a word never met, which sets none."""
        if is_missing(value) or str(value).strip() in MISSING:
            return self._width - 1 if self.missing else -1
        place = self._level(value)
        return len(self.levels) if place is None and self.others else -1 if place is None else place

    def _level(self, value: Any) -> int | None:
        """A product may pass numbers and flags where the compared file had words."""
        word = str(value).strip()
        if word in self.levels:
            return self.levels.index(word)
        if isinstance(value, bool | np.bool_):
            same = [level.lower() == word.lower() for level in self.levels]
        elif isinstance(value, Real):
            same = [_is(level, float(value)) for level in self.levels]
        else:
            return None
        return same.index(True) if any(same) else None

    def _indicators(self, places: Array) -> Array:
        indicators: Array = places[:, None] == np.arange(self._width)
        return indicators.astype(np.float64)

    def description(self) -> str:
        text = f"{len(self.levels)} categories, an indicator each"
        if self.others:
            text = (
                f"{len(self.levels) + self.others:,} categories: an indicator for each of the "
                f"{len(self.levels)} most frequent, one for the others"
            )
        return text + (f", one for {self.missing:,} missing" if self.missing else "")


def _is(word: str, number: float) -> bool:
    try:
        return float(word) == number
    except ValueError:
        return False


def _moments(values: Array) -> tuple[float, float]:
    """Mean and standard deviation, 1 instead of 0."""
    size = float(np.abs(values).max()) or 1.0  # keeps squares of large numbers finite
    deviation = size * float((values / size).std())
    return size * float((values / size).mean()), deviation or 1.0


KINDS: dict[str, Any] = {kind.kind: kind for kind in (NumberFeature, CategoryFeature, DateFeature)}


def _is_count(value: Any) -> bool:
    return is_whole(value) and value >= 0


_VALID: dict[str, Callable[[Any], bool]] = {
    "name": lambda value: isinstance(value, str),
    "median": is_finite,
    "mean": is_finite,
    "deviation": lambda value: is_finite(value) and value > 0,
    "levels": lambda value: (
        isinstance(value, list) and all(isinstance(word, str) for word in value)
    ),
    "missing": _is_count,
    "others": _is_count,
    "decimal": lambda value: value in ("", *MARKS),
    "lenient": lambda value: isinstance(value, bool),
    "timed": lambda value: isinstance(value, bool),
    "order": lambda value: isinstance(value, str) and value in ORDERS,
}


def feature_of(facts: Any) -> Feature:
    """The feature that a file stores; ValueError, KeyError or TypeError if `facts` is not one.

    >>> feature_of({"kind": "words", "name": "city", "levels": ["Oslo", "Rome"]})
    CategoryFeature(name='city', levels=('Oslo', 'Rome'), others=0, missing=0)
    """
    kind = KINDS[facts["kind"]]
    known = {field.name for field in fields(kind)}
    values = {name: value for name, value in facts.items() if name != "kind"}
    for name, value in values.items():
        if name not in known or not _VALID[name](value):
            raise ValueError(f"{name} = {value!r}")
    if "levels" in values:
        values["levels"] = tuple(values["levels"])
    feature: Feature = kind(**values)
    return feature


class Fitted(NamedTuple):
    """A feature, and the encoded column that it was fit to."""

    feature: Feature
    contexts: Array


def fitted(cells: Cells, name: str) -> Fitted:
    """Fit a feature to a column of numbers or categories."""
    kinds = {Numbers: NumberFeature, Categories: CategoryFeature, Dates: DateFeature}
    feature = kinds[type(cells)].fit(name, cells)  # type: ignore[attr-defined]
    return Fitted(feature, feature.encoded_cells(cells))

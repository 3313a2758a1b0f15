"""How each column of a table becomes numbers that a model sees."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.tables.cells import LEVELS, MISSING, NOTHING, Categories, Cells, Numbers
from bandstrap.tables.contexts import is_missing
from bandstrap.validation import is_finite, is_whole

FLAGS = {"true": 1.0, "false": 0.0}
ABSENT, OTHER = "(missing)", "(other)"


class Feature(ABC):
    """A column of the table as one or more columns of numbers."""

    kind: ClassVar[str]
    name: str

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """The names of the columns of numbers."""

    @abstractmethod
    def encoded(self, values: Sequence[Any]) -> Array:
        """Values of the column, None or NaN where missing, as numbers (n, columns)."""

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

    kind: ClassVar[str] = "number"

    @classmethod
    def fit(cls, name: str, cells: Numbers) -> "NumberFeature":
        there = cells.values[~np.isnan(cells.values)]
        absent = cells.values.size - there.size
        median = float(np.median(there))
        if np.isin(there, (0.0, 1.0)).all():  # standardised, a rare 1 would be in the hundreds
            return cls(name, median, 0.0, 1.0, absent)
        filled = np.where(np.isnan(cells.values), median, cells.values)
        size = float(np.abs(filled).max()) or 1.0  # keeps squares of large numbers finite
        mean, deviation = size * float((filled / size).mean()), size * float((filled / size).std())
        return cls(name, median, mean, deviation or 1.0, absent)

    @property
    def columns(self) -> list[str]:
        return [self.name, f"{self.name}={ABSENT}"] if self.missing else [self.name]

    def encoded(self, values: Sequence[Any]) -> Array:
        numbers = np.array([self._number(value) for value in values], dtype=np.float64)
        return self.encoded_cells(Numbers(numbers))

    def encoded_cells(self, cells: Numbers) -> Array:
        numbers = cells.values
        absent = np.isnan(numbers)
        scaled = (np.where(absent, self.median, numbers) - self.mean) / self.deviation
        return np.stack([scaled, absent] if self.missing else [scaled], axis=1)

    def _number(self, value: Any) -> float:
        word = value.strip() if isinstance(value, str) else None
        if is_missing(value) or word in (*MISSING, *NOTHING):
            return float("nan")
        if word is not None:
            value = FLAGS.get(word.lower(), word.replace(",", "."))  # as in 1,5
        try:
            number = float(value)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"column {self.name!r}", value, "give a number") from error
        return number if np.isfinite(number) else float("nan")

    def description(self) -> str:
        plain = (self.mean, self.deviation) == (0.0, 1.0)
        text = "zeros and ones, as they are" if plain else "numbers, standardised"
        if self.missing:
            text += f"; {self.missing:,} missing: the median {self.median:g}, and an indicator"
        return text


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

    def encoded(self, values: Sequence[Any]) -> Array:
        return self._indicators(np.array([self._place(value) for value in values]))

    def encoded_cells(self, cells: Categories) -> Array:
        places = np.array([*map(self._place, cells.levels), self._place(None)])
        return self._indicators(places[cells.codes])

    def _place(self, value: Any) -> int:
        """The index of the value's indicator; -1 for a word never met, which sets none."""
        if is_missing(value) or str(value).strip() in MISSING:
            return len(self.columns) - 1 if self.missing else -1
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
        indicators: Array = places[:, None] == np.arange(len(self.columns))
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


KINDS: dict[str, type[NumberFeature] | type[CategoryFeature]] = {
    kind.kind: kind for kind in (NumberFeature, CategoryFeature)
}


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
    return kind(**values)


class Fitted(NamedTuple):
    """A feature, and the encoded column that it was fit to."""

    feature: Feature
    contexts: Array


def fitted(cells: Cells, name: str) -> Fitted:
    """Fit a feature to a column of numbers or categories."""
    kinds: dict[type[Cells], Any] = {Numbers: NumberFeature, Categories: CategoryFeature}
    feature = kinds[type(cells)].fit(name, cells)
    return Fitted(feature, feature.encoded_cells(cells))

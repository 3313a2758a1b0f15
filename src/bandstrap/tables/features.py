"""Columns as numbers that models see: how each is turned, and in which words that is told."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.tables.cells import LEVELS, MISSING, NOTHING, Cells, Numbers, Words
from bandstrap.tables.values import is_missing

FLAGS = {"true": 1.0, "false": 0.0}
ABSENT, OTHER = "(missing)", "(other)"


class Feature(ABC):
    """A column of the table as one or more columns of numbers."""

    kind: ClassVar[str]
    name: str

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """The names of the columns that it becomes."""

    @abstractmethod
    def encoded(self, values: Sequence[Any]) -> Array:
        """Any values of the column, None or NaN for missing ones, as numbers (n, columns)."""

    @abstractmethod
    def told(self) -> str:
        """What is done with the column."""


@dataclass(frozen=True)
class NumberFeature(Feature):
    """Less the mean, over the deviation; missing ones are the median, marked if there were any."""

    name: str
    median: float
    mean: float
    deviation: float
    missing: int = 0

    kind: ClassVar[str] = "number"

    @classmethod
    def fit(cls, name: str, cells: Numbers) -> "NumberFeature":
        there = cells.values[~np.isnan(cells.values)]
        gone = cells.values.size - there.size
        median = float(np.median(there))
        if np.isin(there, (0.0, 1.0)).all():  # a rare indicator would reach into the hundreds
            return cls(name, median, 0.0, 1.0, gone)
        filled = np.where(np.isnan(cells.values), median, cells.values)
        size = float(np.abs(filled).max()) or 1.0  # or squares of large numbers would be infinite
        mean, deviation = size * float((filled / size).mean()), size * float((filled / size).std())
        return cls(name, median, mean, deviation or 1.0, gone)

    @property
    def columns(self) -> list[str]:
        return [self.name, f"{self.name}={ABSENT}"] if self.missing else [self.name]

    def encoded(self, values: Sequence[Any]) -> Array:
        numbers = np.array([self._number(value) for value in values], dtype=np.float64)
        return self.encoded_numbers(numbers)

    def encoded_numbers(self, numbers: Array) -> Array:
        gone = np.isnan(numbers)
        scaled = (np.where(gone, self.median, numbers) - self.mean) / self.deviation
        return np.stack([scaled, gone] if self.missing else [scaled], axis=1)

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

    def told(self) -> str:
        plain = (self.mean, self.deviation) == (0.0, 1.0)
        text = "zeros and ones, as they are" if plain else "numbers, standardised"
        if self.missing:
            text += f"; {self.missing:,} missing: the median {self.median:g}, and an indicator"
        return text


@dataclass(frozen=True)
class WordFeature(Feature):
    """An indicator for each frequent category, one for all others, one for missing values."""

    name: str
    levels: tuple[str, ...]
    others: int = 0  # categories without an indicator of their own
    missing: int = 0

    kind: ClassVar[str] = "words"

    @classmethod
    def fit(cls, name: str, cells: Words) -> "WordFeature":
        counts = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.levels))
        frequent = np.sort(np.argsort(-counts, kind="stable")[:LEVELS])
        levels = tuple(cells.levels[i] for i in frequent)
        gone = int((cells.codes < 0).sum())
        return cls(name, levels, len(cells.levels) - len(levels), gone)

    @property
    def columns(self) -> list[str]:
        extra = [OTHER] * bool(self.others) + [ABSENT] * bool(self.missing)
        return [f"{self.name}={level}" for level in [*self.levels, *extra]]

    def encoded(self, values: Sequence[Any]) -> Array:
        return self._indicators(np.array([self._place(value) for value in values]))

    def encoded_words(self, cells: Words) -> Array:
        places = np.array([*map(self._place, cells.levels), self._place(None)])
        return self._indicators(places[cells.codes])

    def _place(self, value: Any) -> int:
        """The indicator of a value; -1 where none is lit, as by a word never met."""
        if is_missing(value) or str(value).strip() in MISSING:
            return len(self.columns) - 1 if self.missing else -1
        place = self._level(value)
        return len(self.levels) if place is None and self.others else -1 if place is None else place

    def _level(self, value: Any) -> int | None:
        """A product has numbers and flags where the file that was compared had words."""
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
        lit: Array = places[:, None] == np.arange(len(self.columns))
        return lit.astype(np.float64)

    def told(self) -> str:
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


KINDS: dict[str, type[NumberFeature] | type[WordFeature]] = {
    kind.kind: kind for kind in (NumberFeature, WordFeature)
}


class Fitted(NamedTuple):
    """A feature and the column that it was fit to, encoded."""

    feature: Feature
    contexts: Array


@singledispatch
def fitted(cells: Cells, name: str) -> Fitted:
    """The feature that a column makes."""
    raise NotImplementedError(f"no feature for {type(cells).__name__}")


@fitted.register
def _(cells: Numbers, name: str) -> Fitted:
    feature = NumberFeature.fit(name, cells)
    return Fitted(feature, feature.encoded_numbers(cells.values))


@fitted.register
def _(cells: Words, name: str) -> Fitted:
    feature = WordFeature.fit(name, cells)
    return Fitted(feature, feature.encoded_words(cells))

"""Rows of a table as contexts, in a product as they were in a comparison."""

import json
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.storage.files import reading, write_text
from bandstrap.tables.contexts import is_row
from bandstrap.tables.features import Feature, feature_of

FORMAT = 1


@dataclass(frozen=True)
class Encoder:
    """Turns a row (a dict) into a context, and a table (a frame, or a list of dicts) into many.

    >>> from bandstrap.tables.features import CategoryFeature, NumberFeature
    >>> age = NumberFeature("age", median=30.0, mean=30.0, deviation=10.0)
    >>> city = CategoryFeature("city", ("Oslo", "Rome"))
    >>> encode = Encoder((age, city), {"age": 31, "city": "Oslo"})
    >>> encode({"age": 40, "city": "Rome"})
    array([1., 0., 1.])
    """

    features: tuple[Feature, ...]
    example: dict[str, Any]  # the first row

    @property
    def columns(self) -> tuple[str, ...]:
        """The name of each number of a context."""
        return tuple(name for feature in self.features for name in feature.columns)

    def __call__(self, rows: Any) -> Array:
        if type(rows) is dict:  # as almost always: in a product a row comes by itself
            return self._of_dict(rows)
        if is_row(rows):
            return self._of_dict({str(name): value for name, value in rows.items()})
        if isinstance(rows, list | tuple) and rows and all(map(is_row, rows)):
            return self._of_dicts(rows)
        frame = nw.from_native(rows, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            raise InvalidInput("rows", type(rows).__name__, "give a dict, or a table with names")
        get: Any = frame.get_column  # typed for text, but takes the numbers of pandas too
        used = {feature.name for feature in self.features}  # other columns may hold anything
        names = [name for name in frame.columns if str(name) in used]
        return self._of_columns({str(name): get(name).to_list() for name in names})

    def _of_dict(self, row: dict[Any, Any]) -> Array:
        encoded: list[float] = []
        for feature in self.features:
            if feature.name not in row:
                row = {str(name): value for name, value in row.items()}  # pandas has numbers
                self._check(row)
            encoded += feature.numbers(row[feature.name])
        return np.array(encoded)

    def _of_dicts(self, rows: Sequence[Any]) -> Array:
        named = [{str(name): value for name, value in row.items()} for row in rows]
        there = set(named[0]).intersection(*named)
        return self._of_columns({name: [row[name] for row in named] for name in there})

    def _of_columns(self, columns: dict[str, list[Any]]) -> Array:
        self._check(columns)
        parts = [feature.encoded(columns[feature.name]) for feature in self.features]
        return np.concatenate(parts, axis=1)

    def _check(self, names: Container[str]) -> None:
        for feature in self.features:
            if feature.name not in names:
                remedy = "is missing; give every column that was compared"
                raise InvalidInput("column", feature.name, remedy)

    def save(self, path: Path | str) -> None:
        """Write it as JSON, for `load`."""
        features = [{"kind": feature.kind, **vars(feature)} for feature in self.features]
        stored = {"format": FORMAT, "features": features, "example": self.example}
        text = json.dumps(stored, ensure_ascii=False, indent=1)
        write_text(Path(path), text + "\n", "choose another place")

    @classmethod
    def load(cls, path: Path | str) -> "Encoder":
        """Read a file that `save` has written."""
        with reading(Path(path), "run bandstrap compare") as file:
            content = file.read()
        try:
            stored = json.loads(content)
            features = tuple(feature_of(facts) for facts in stored["features"])
            return cls(features, dict(stored["example"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            problem = f"is not an encoder ({error})"
            raise OutputError(path, problem, "run bandstrap compare") from error

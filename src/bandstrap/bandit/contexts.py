"""Contexts as users give them, as a bandit keeps them, and as its policy sees them: joined to
features of arms if there are any."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.arms import Arms
from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput
from bandstrap.problem import Problem, Support
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import (
    ArrayOf,
    DictOf,
    Either,
    Flag,
    ListOf,
    Maybe,
    Name,
    Of,
    Real,
    Schema,
    Text,
    require,
)
from bandstrap.tables import Columns

BYTES = np.dtype(np.uint8)


@dataclass(frozen=True, init=False, eq=False)
class ArmFeatures:
    """A row of features for each arm, for a policy that has one model for all arms.

    The model sees an arm's features, the context's and, unless `interactions` is False, every
    product of one of each: without these a linear model would rank arms alike in every context.
    An object never changes: other arms have another.

    >>> ArmFeatures({"a": [1.0, 0.0], "b": [0.0, 1.0]}).rows(np.array([[5.0]]))
    array([[1., 0., 5., 5., 0.],
           [0., 1., 5., 0., 5.]])
    """

    interactions: bool
    names: list[Arm]
    columns: Columns = field(repr=False)
    matrix: Array = field(repr=False)  # (arms, features)

    schema = Schema(
        interactions=Flag(),
        names=ListOf(Name()),
        columns=Of(Columns),
        matrix=ArrayOf(np.float64, "arms", "features"),
    )

    def verify_saved(self) -> None:
        require(len(self.names) == len(self.matrix), "arms and rows of features differ")
        require(self.columns.width == self.matrix.shape[1], "features and columns differ")

    def __init__(self, features: Mapping[Arm, Any], interactions: bool = True) -> None:
        if not isinstance(features, Mapping):
            kind = type(features).__name__
            raise InvalidInput("arms", kind, "give features by name: {name: [...]}")
        if not features:
            raise InvalidInput("arms", dict(features), "a bandit needs at least one arm")
        columns = Columns()
        rows = [_row(each, columns) for each in features.values()]
        made = {"names": [*features], "columns": columns, "matrix": np.concatenate(rows)}
        for name, value in {"interactions": interactions, **made}.items():
            object.__setattr__(self, name, value)

    def added(self, name: Arm, features: Any) -> "ArmFeatures":
        """These and the features of one more arm."""
        if features is None:
            raise InvalidInput("features", None, "the other arms have features: give some")
        matrix = np.concatenate([self.matrix, _row(features, self.columns)])
        return self._with([*self.names, name], matrix)

    def told(self, place: int) -> Any:
        """The features of an arm, as JSON can hold them and `added` takes them."""
        row = self.matrix[place]
        return self.columns.record(row) if self.columns.kinds else row.tolist()

    def kept(self, before: ArmMap) -> "ArmFeatures":
        """The features of the arms that stay."""
        places = [place for place in before if place is not None]
        return self._with([self.names[place] for place in places], self.matrix[places])

    def _with(self, names: list[Arm], matrix: Array) -> "ArmFeatures":
        made = object.__new__(ArmFeatures)
        for name, value in {**vars(self), "names": names, "matrix": matrix}.items():
            object.__setattr__(made, name, value)
        return made

    def rows(self, context: Array | None, place: int | None = None) -> Array:
        """The features that a model sees of every arm, or of one, in a context (1, features)."""
        arms = self.matrix if place is None else self.matrix[place : place + 1]
        if context is None:
            return arms
        x, (n, m) = context[0], arms.shape
        made = np.empty((n, self.width(x.size)))
        made[:, :m] = arms
        made[:, m : m + x.size] = x
        if self.interactions:
            products = made[:, m + x.size :].reshape(n, x.size, m)  # a view
            np.multiply(x[None, :, None], arms[:, None, :], out=products)
        return made

    def width(self, n_features: int) -> int:
        """How many features a model sees."""
        own = int(self.matrix.shape[1])
        return own + n_features + (own * n_features if self.interactions else 0)


class ContextReader:
    """Reads contexts into rows (1, features), and joins features of arms to them if there are any.

    `keeps_bytes`: whether bytes stay bytes, which models read as fractions of 255. In files of
    earlier versions, which lack it, they do, and what is learnt from now on has to match.
    """

    keeps_bytes = True
    defaults: Mapping[str | int, Any] = MappingProxyType({})  # in files of earlier versions
    schema = Schema(
        features=Maybe(Of(ArmFeatures)),
        columns=Maybe(Of(Columns, shared=True)),
        keeps_bytes=Flag(),
        defaults=DictOf(Name(), Either(Flag(), Real(), Text())),
    )

    def __init__(self, features: ArmFeatures | None) -> None:
        self.features = features
        self.columns: Columns | None = None  # known after the first context
        self.keeps_bytes = False
        self.defaults = {}  # of columns that came later, for contexts that lack them

    def rows(self, context: Any) -> tuple[list[Array | None], bool]:
        """The contexts as rows, and whether it is a single context."""
        if context is None:
            return [None], True
        if self.defaults:
            context = self._filled(context)
        if self.columns is None:
            self.columns = Columns()
        rows, one = self.columns.read(context)
        if rows.dtype == BYTES and not self.keeps_bytes:
            rows = rows.astype(np.float64)
        if one:
            return [rows], True
        # Copies: a row that waits would keep all of them in memory.
        return [rows[i : i + 1].copy() for i in range(len(rows))], False

    def _filled(self, context: Any) -> Any:
        """Dicts with the columns that they lack."""
        if isinstance(context, Mapping):
            return {**self.defaults, **context}
        if isinstance(context, list | tuple) and context and isinstance(context[0], Mapping):
            return [{**self.defaults, **each} for each in context]
        return context

    def given(self, row: Array | None) -> Any:
        """A row as the context that it might have come as: see `Decision.context`."""
        if row is None or self.columns is None:
            return row
        return self.columns.record(row[0]) if self.columns.kinds else row.copy()

    def verify_arms(self, arms: Arms) -> None:
        """Refuse, in a file, features of other arms."""
        if self.features is not None:
            require([*arms.names] == self.features.names, "features belong to other arms")

    def mark(self) -> Any:
        """What is known of columns, for `back_to`."""
        return self.columns, {} if self.columns is None else self.columns.mark()

    def back_to(self, mark: Any) -> None:
        """Undo what refused contexts have added since the mark."""
        self.columns, words = mark
        if self.columns is not None:
            self.columns.back_to(words)

    def one_row(self, context: Any) -> Array | None:
        rows, one = self.rows(context)
        if not one:
            raise InvalidInput("context", f"{len(rows)} contexts", "give one")
        return rows[0]

    def seen(self, row: Array | None) -> Array | None:
        """A context as the policy sees it: with features of arms, a row for each arm."""
        return row if self.features is None else self.features.rows(row)[None]

    def learnt(self, row: Array | None, place: int) -> Array | None:
        """A context as the policy learns it: with features of arms, those of one arm."""
        return row if self.features is None else self.features.rows(row, place)

    def problem(self, n_arms: int, support: Support, row: Array | None) -> Problem:
        """The problem with contexts like this one."""
        width = 0 if row is None else row.shape[1]
        if self.features is None:
            return Problem(n_arms, width, support, self.columns)
        return Problem(n_arms, self.features.width(width), support, self.columns, per_arm=True)


def features_and_names(
    arms: Iterable[Arm] | Mapping[Arm, Any] | ArmFeatures,
) -> tuple[ArmFeatures | None, Iterable[Arm]]:
    """The features of arms, if there are any, and their names."""
    if isinstance(arms, Mapping):
        arms = ArmFeatures(arms)
    if isinstance(arms, ArmFeatures):
        return arms, arms.names
    return None, arms


def _row(features: Any, columns: Columns) -> Array:
    given = columns.read(features)
    if not given.one:
        raise InvalidInput("arms", f"{len(given.rows)} rows", "give one row for each arm")
    if columns.text:
        raise InvalidInput("arms", columns.text, "give arms numeric features")
    return given.rows.astype(np.float64)

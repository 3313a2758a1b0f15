"""Features of arms, and how they join those of a context."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import ArrayOf, Flag, ListOf, Name, Of, Schema, require
from bandstrap.tables import Columns


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

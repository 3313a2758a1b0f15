"""Features of arms, and how they meet those of a context."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bandstrap.bandit.decision import Arm
from bandstrap.columns import Columns
from bandstrap.errors import InvalidInput
from bandstrap.rearming import Before


class ArmFeatures:
    """A row of features for each arm, for a policy that has one model for all arms.

    What the model sees of an arm in a context is the arm's features, the context's, and, unless
    `interactions` is False, every product of one of each: without these a linear model would rank
    arms alike in every context.

    >>> ArmFeatures({"a": [1.0, 0.0], "b": [0.0, 1.0]}).rows(np.array([[5.0]]))
    array([[1., 0., 5., 5., 0.],
           [0., 1., 5., 0., 5.]])
    """

    def __init__(self, features: Mapping[Arm, Any], interactions: bool = True) -> None:
        if not features:
            raise InvalidInput("arms", dict(features), "a bandit needs at least one arm")
        self.interactions = interactions
        self.names = list(features)
        self.columns = Columns()
        self.matrix = np.concatenate([self._row(each) for each in features.values()])

    def _row(self, features: Any) -> np.ndarray:
        given = self.columns.read(features)
        if not given.one:
            raise InvalidInput("arms", f"{len(given.rows)} rows", "give one row for each arm")
        if self.columns.text:
            raise InvalidInput("arms", self.columns.text, "give arms features that are numbers")
        return given.rows.astype(np.float64)

    def added(self, features: Any) -> np.ndarray:
        """The matrix with one more arm."""
        if features is None:
            raise InvalidInput("features", None, "the other arms have features: give some")
        return np.concatenate([self.matrix, self._row(features)])

    def kept(self, before: Before) -> np.ndarray:
        """The matrix of the arms that stay."""
        return self.matrix[[place for place in before if place is not None]]

    def rows(self, context: np.ndarray | None, place: int | None = None) -> np.ndarray:
        """What a model sees of every arm, or of one, in a context (1, features)."""
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
        """How many numbers a model sees."""
        own = int(self.matrix.shape[1])
        return own + n_features + (own * n_features if self.interactions else 0)


def features_and_names(
    arms: Iterable[Arm] | Mapping[Arm, Any] | ArmFeatures,
) -> tuple[ArmFeatures | None, Iterable[Arm]]:
    """The features of arms, if they were given any, and their names."""
    if isinstance(arms, Mapping):
        arms = ArmFeatures(arms)
    if isinstance(arms, ArmFeatures):
        return arms, arms.names
    return None, arms

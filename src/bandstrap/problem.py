"""What a policy knows beforehand: the number of arms and the support of rewards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.storage.schema import Flag, Maybe, Named, Of, Schema, Whole, require
from bandstrap.validation import LARGEST, is_finite

if TYPE_CHECKING:  # few need it, and it imports Arrow
    from bandstrap.tables import Columns

__all__ = ["Problem", "Support"]

MOST = 10_000_000  # arms, or features


@dataclass(frozen=True)
class Support:
    """The set in which rewards lie: an interval, or a few values.

    >>> Support.binary().values
    (0.0, 1.0)
    >>> Support.interval(-1, 2).high
    2.0
    """

    low: float
    high: float
    values: tuple[float, ...] | None = None

    @classmethod
    def interval(cls, low: float = 0.0, high: float = 1.0) -> "Support":
        """Any number from `low` to `high`, by default from 0 to 1."""
        if not (is_finite(low) and is_finite(high) and low < high):
            raise InvalidInput("support", (low, high), "give finite ends with low < high")
        _check_size((low, high))
        return cls(float(low), float(high))

    @classmethod
    def categories(cls, values: Iterable[float]) -> "Support":
        """One of two or more known values."""
        given = list(values) if hasattr(values, "__iter__") else []
        finite = all(map(is_finite, given))
        ordered = tuple(sorted({float(value) for value in given})) if finite else ()
        if len(ordered) < 2:
            raise InvalidInput("values", values, "give at least two different finite values")
        _check_size(ordered)
        return cls(ordered[0], ordered[-1], ordered)

    @classmethod
    def binary(cls) -> "Support":
        """0 or 1."""
        return cls.categories((0.0, 1.0))

    @classmethod
    def real(cls) -> "Support":
        """Any finite number. Policies that need bounds refuse it."""
        return cls(-inf, inf)

    def verify_saved(self) -> None:
        known = [Support.real()] if self.values is None else [Support.categories(self.values)]
        if self.values is None and isfinite(self.low):
            known = [Support.interval(self.low, self.high)]
        require(self in known, "it is not a support")

    @property
    def scale(self) -> float:
        """The largest absolute reward; 0 if there is no bound."""
        largest = max(abs(self.low), abs(self.high))
        return largest if isfinite(largest) else 0.0

    def positions(self, rewards: Array) -> Array:
        """The index in `values` of each reward, which must be one of them."""
        assert self.values is not None
        return np.searchsorted(np.array(self.values), rewards)


def _check_size(values: Sequence[float]) -> None:
    """Refuse rewards whose squares, or those of their differences, overflow or vanish."""
    most, least = LARGEST, 1 / LARGEST
    if max(map(abs, values)) > most or values[-1] - values[0] < least:
        remedy = f"scale rewards: between {-most:g} and {most:g}, at least {least:g} wide"
        raise InvalidInput("support", (values[0], values[-1]), remedy)


@dataclass(frozen=True)
class Problem:
    """The number of arms and of features, and the support of rewards.

    With `per_arm` every arm has its own features: a context is a row for each arm. `columns` knows
    the table that contexts came from, and does not count in comparisons.

    >>> Problem(3).support.high
    1.0
    """

    n_arms: int
    n_features: int = 0
    support: Support = field(default_factory=Support.interval)
    columns: "Columns | None" = field(default=None, compare=False, repr=False)
    per_arm: bool = False

    schema = Schema(
        n_arms=Whole(1, MOST),
        n_features=Whole(0, MOST),
        support=Of(Support),
        columns=Maybe(Named("bandstrap.tables.columns:Columns")),
        per_arm=Flag(),
    )

    def __post_init__(self) -> None:
        if self.n_arms < 1:
            raise InvalidInput("n_arms", self.n_arms, "a bandit needs at least one arm")
        if self.n_features < 0:
            raise InvalidInput("n_features", self.n_features, "give 0 or more")

"""How much each row of a history counts, besides the bootstrap's weights."""

from math import log

import numpy as np

from bandstrap.arrays import Array
from bandstrap.history.fractions import FORGOTTEN
from bandstrap.storage.schema import ArrayOf, Grows, Schema, Whole, require

NOTHING = 1e-9  # smaller weights are zero
LEAST = -1e15  # lower bound of the logarithm of all discounts


class Importance:
    """The weight that each row came with, and what had been forgotten by then.

    Forgetting is one number for all rows, the logarithm of all discounts so far; so the weight of a
    row at any earlier time can be recomputed.

    >>> importance = Importance()
    >>> importance.add(1.0, 0.0)
    >>> importance.add(0.5, -np.log(4))
    >>> importance.at(-np.log(8), 2).round(6).tolist()
    [0.125, 0.25]
    """

    schema = Schema(count=Whole(), _rows=ArrayOf(np.float64, Grows(), 2, low=LEAST, high=1.0))

    def verify_saved(self) -> None:
        require(self.count <= len(self._rows), "count is beyond the rows")
        weights, births = self._rows[: self.count].T
        require((weights >= 0).all() and (births <= 0).all(), "a row counts for too much")

    def verify_since(self, fading: float, count: int) -> None:
        """Refuse a file whose first `count` rows came after `fading`."""
        require((self._rows[:count, 1] >= fading).all(), "a row came later than it was used")

    def __init__(self) -> None:
        self.count = 0
        self._rows = np.zeros((0, 2))

    def add(self, weight: float, fading: float) -> None:
        """One more row."""
        if self.count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros((max(64, self.count), 2))])
        self._rows[self.count] = weight, fading
        self.count += 1

    def own(self, place: int) -> float:
        """The weight that a row came with."""
        return float(self._rows[place, 0])

    def faded(self, fading: float) -> Array:
        """Which rows have faded to almost nothing, (count,)."""
        lost: Array = fading - self._rows[: self.count, 1] < log(FORGOTTEN)
        return lost

    def keep(self, kept: Array) -> None:
        """Keep only the rows marked in `kept`, (count,)."""
        rows = self._rows[: self.count][kept]
        self._rows[: len(rows)] = rows
        self.count = len(rows)

    def at(self, fading: float, count: int) -> Array:
        """The weights of the first `count` rows when `fading` has been forgotten."""
        weights, births = self._rows[:count].T
        counts: Array = weights * np.exp(fading - births)
        return np.where(counts > NOTHING, counts, 0.0)

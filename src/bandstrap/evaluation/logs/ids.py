"""Identifiers of decisions: none comes twice."""

from collections.abc import Callable, Iterable

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.logs.faults import Places
from bandstrap.evaluation.logs.spill import Spill, SpillColumn


def hashed(names: Iterable[object]) -> Array:
    """A number of 64 bits for each; of a hundred million, two agree once in some thousand logs."""
    return np.array([hash(str(name)) for name in names], np.int64)


class Ids:
    """The identifiers of all rows, as numbers of 64 bits each; rows may have none."""

    def __init__(self, column: str) -> None:
        self._column = column
        self._kept: SpillColumn | None = None
        self._rows = 0

    def append(self, column: pa.ChunkedArray, spill: Spill) -> None:
        if self._kept is None:
            self._kept = spill.column(np.int64)
        numbers = hashed(column.to_pylist())
        for row in np.flatnonzero(np.asarray(column.is_null())).tolist():
            numbers[row] = hash((self._rows + row, "none"))
        self._kept.append(numbers)
        self._rows += len(numbers)

    def check(self, lines: Callable[[], Array | None]) -> None:
        """Refuse a log in which one comes twice."""
        if self._kept is None:
            return
        found = self._kept.array()
        ordered = np.sort(found)
        again = np.flatnonzero(ordered[1:] == ordered[:-1])
        if again.size:
            first, second = np.flatnonzero(found == ordered[again[0]])[:2].tolist()
            place = Places(0, lines())
            raise InvalidInput(
                "id",
                self._column,
                f"{place(first)} and {place(second)} have the same, in all {again.size:,} of "
                f"{len(found):,} repeat an earlier one; remove copies, or name the column that "
                "identifies decisions",
            )

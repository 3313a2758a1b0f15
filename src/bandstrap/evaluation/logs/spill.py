"""Columns that grow, in memory as long as they are small and else in temporary files."""

import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import OutputError

LIMIT = 1 << 29  # bytes of all columns of a log that are kept in memory
CHUNK = 1 << 16  # rows that are moved at once


class Spill:
    """Room for columns: `limit` bytes of memory, and temporary files beyond that.

    The files have no names where the system allows that, and are gone with the last array that is
    mapped from them, also after a kill. They are in the folder that TMPDIR names.

    >>> column = Spill(limit=16).column(np.float64)
    >>> for start in (0.0, 2.0):
    ...     column.append(np.array([start, start + 1]))
    >>> column.array().tolist(), isinstance(column.array(), np.memmap)
    ([0.0, 1.0, 2.0, 3.0], True)
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.used = 0  # bytes in memory

    def column(self, dtype: Any, *shape: int) -> "SpillColumn":
        """A new column, of which every row has this shape."""
        return SpillColumn(self, np.dtype(dtype), shape)

    def ordered(self, array: Array, order: Array) -> Array:
        """The rows of an array in another order."""
        column = self.column(array.dtype, *array.shape[1:])
        for start in range(0, len(order), CHUNK):
            column.append(array[order[start : start + CHUNK]])
        return column.array()


class SpillColumn:
    """Rows that are appended, then read as one array."""

    def __init__(self, spill: Spill, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        self._spill, self._dtype, self._shape = spill, dtype, shape
        self._parts: list[Array] = []
        self._file: BinaryIO | None = None
        self._mapped: Array | None = None
        self._rows = 0
        self._single: list[Any] = []  # values that came alone

    def add(self, value: Any) -> None:
        """Append a single value."""
        self._single.append(value)
        if len(self._single) == CHUNK:
            self._flush()

    def _flush(self) -> None:
        if self._single:
            values, self._single = self._single, []
            self.append(np.array(values, self._dtype))

    def append(self, rows: Array) -> None:
        part = np.ascontiguousarray(rows, self._dtype)
        self._rows += len(part)
        if self._file is None:
            self._parts.append(part)
            self._spill.used += part.nbytes
            if self._spill.used > self._spill.limit:
                self._move()
        else:
            self._write(part)

    def array(self) -> Array:
        """All rows; the column is complete."""
        self._flush()
        shape = (self._rows, *self._shape)
        if self._file is None:
            whole = np.concatenate(self._parts) if self._parts else np.zeros(shape, self._dtype)
            self._parts = [whole]
            return whole
        if self._mapped is None:
            with explained(), self._file:  # the map outlives the file
                self._file.flush()
                self._mapped = np.memmap(self._file, self._dtype, "r", shape=shape)
        return self._mapped

    def _move(self) -> None:
        with explained():
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the column
            weakref.finalize(self, self._file.close)
        for part in self._parts:
            self._write(part)
            self._spill.used -= part.nbytes
        self._parts = []

    def _write(self, part: Array) -> None:
        assert self._file is not None
        with explained():
            self._file.write(part.data)


@contextmanager
def explained() -> Iterator[None]:
    """Errors of the system as `OutputError`."""
    try:
        yield
    except OSError as error:
        problem = f"cannot hold the log ({error.strerror or error})"
        remedy = "make room there, or name another folder by TMPDIR"
        raise OutputError(tempfile.gettempdir(), problem, remedy) from error


def slices(rows: int) -> Iterator[slice]:
    """Rows a chunk at a time."""
    for start in range(0, rows, CHUNK):
        yield slice(start, min(start + CHUNK, rows))

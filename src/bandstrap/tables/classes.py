"""The classes of a label: every different value of a column, by the name that it has there."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.tables.cells import encoded, ordered, plain, trimmed


class Classes(NamedTuple):
    """Each row's place among the names of classes, -1 where it is missing."""

    codes: Array
    names: tuple[str, ...]


def classes_of(column: pa.ChunkedArray) -> Classes | None:
    """Words and whole numbers as they are written, so that none is merged with another.

    None for dates, lists and so on. Names that are numbers are in their order, others in that of
    the alphabet.
    """
    column = plain(column)
    kind = column.type
    if pa.types.is_large_string(kind):
        values = trimmed(column)
    elif pa.types.is_floating(kind):
        values = _finite(column)
    elif _countable(kind):
        values = column.combine_chunks()
    else:
        return None
    codes, levels = encoded(values)
    names = [_name(level) for level in levels]
    order = sorted(range(len(names)), key=_order(names))
    return Classes(ordered(codes, order), tuple(names[i] for i in order))


def _countable(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_boolean(kind)
        or types.is_integer(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
    )


def _finite(column: pa.ChunkedArray) -> pa.Array:
    values = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return pa.array(values, mask=~np.isfinite(values))


def _name(level: Any) -> str:
    if isinstance(level, bool):
        return str(level).lower()
    whole = isinstance(level, float) and level.is_integer() and abs(level) < 2**53
    return str(int(level)) if whole else str(level)


def _order(names: list[str]) -> Any:
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return names.__getitem__
    return lambda i: (numbers[i], names[i])

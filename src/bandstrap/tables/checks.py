"""Checks of contexts against the first ones: names, kinds, widths, finite numbers."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.tables.contexts import FLAG, NUMBER, WORDS, Column, Name


def check_names(names: list[Name], expected: list[Name]) -> None:
    """The same names, in any order."""
    if names == expected:
        return
    have, want = set(names), set(expected)
    missing = [name for name in expected if name not in have]
    unknown = [name for name in names if name not in want]
    if missing and unknown:
        raise InvalidInput("column", missing[0], f"is missing; {unknown[0]!r} is not known")
    if missing:
        raise InvalidInput(
            "column", missing[0], "is missing; give every column of the first contexts"
        )
    if unknown:
        raise InvalidInput("column", unknown[0], "was not in the first contexts; leave it out")


def check_width(width: int, expected: int) -> None:
    """As many numbers as in the first contexts; 0 if these are the first."""
    if width == 0:
        raise InvalidInput("contexts", "no columns", "give at least one number per context")
    if expected not in (0, width):
        raise InvalidInput("contexts", f"{width} wide", f"give {expected} numbers, as at first")


def check_finite(rows: Array, one: bool, names: list[Name], missing: bool) -> None:
    """Numbers are finite, or NaN where values may be missing."""
    if rows.dtype.kind != "f":
        return
    bad = np.isinf(rows) if missing else ~np.isfinite(rows)
    if not bad.any():
        return
    i, j = np.argwhere(bad)[0].tolist()
    column = f"column {names[j]!r}" if names else f"position {j}"
    where = f"context, {column}" if one else f"contexts, row {i}, {column}"
    if np.isinf(rows[i, j]):
        raise InvalidInput(where, float(rows[i, j]), "give a finite number")
    remedy = "fill it in; a Bandit takes no missing values, Columns(missing=True) does"
    raise InvalidInput(where, "missing", remedy)


def first_kind(name: Name, column: Column) -> str:
    """The kind of a column in the first contexts."""
    if column.kind is None:
        raise InvalidInput(
            f"column {name!r}", "missing", "give a value at first, to tell numbers from text"
        )
    return column.kind


def as_kind(name: Name, column: Column, kind: str) -> Column:
    """The column, if it can be read as this kind."""
    if column.kind is None:
        return Column(kind, column.values)
    if (kind in WORDS) != (column.kind in WORDS):
        values = [value for value in column.values if value is not None and value == value]
        wanted = "text" if kind in WORDS else "numbers"
        value = values[0] if values else column.kind
        raise InvalidInput(f"column {name!r}", value, f"give {wanted}, as in the first contexts")
    if kind == FLAG and column.kind == NUMBER:
        numbers = column.values
        odd = numbers[~(np.isnan(numbers) | (numbers == 0) | (numbers == 1))]
        if odd.size:
            raise InvalidInput(f"column {name!r}", float(odd[0]), "give true or false, as at first")
    return column

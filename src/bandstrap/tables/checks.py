"""What is asked of contexts, and the words in which it is refused."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.tables.values import FLAG, NUMBER, WORDS, Column, Name


def check_names(given: list[Name], wanted: list[Name]) -> None:
    """The same names, in any order."""
    if given == wanted:
        return
    have, want = set(given), set(wanted)
    lacking = [name for name in wanted if name not in have]
    excess = [name for name in given if name not in want]
    if lacking and excess:
        raise InvalidInput("column", lacking[0], f"is missing; {excess[0]!r} is not known")
    if lacking:
        raise InvalidInput(
            "column", lacking[0], "is missing; give every column of the first contexts"
        )
    if excess:
        raise InvalidInput("column", excess[0], "was not in the first contexts; leave it out")


def check_width(given: int, wanted: int) -> None:
    """As many numbers as at first, where 0 means that there was no first."""
    if given == 0:
        raise InvalidInput("contexts", "no columns", "give at least one number a context")
    if wanted not in (0, given):
        raise InvalidInput("contexts", f"{given} wide", f"give {wanted} numbers, as at first")


def check_finite(rows: Array, one: bool, names: list[Name], missing: bool) -> None:
    """Numbers are finite, or NaN if values may be missing."""
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
    remedy = "fill it in beforehand; a Bandit takes no such values, Columns(missing=True) does"
    raise InvalidInput(where, "missing", remedy)


def check_known(name: Name, column: Column) -> str:
    """The kind of a column met for the first time."""
    if column.kind is None:
        raise InvalidInput(
            f"column {name!r}", "missing", "at first give a value, which tells numbers from text"
        )
    return column.kind


def as_kind(name: Name, column: Column, kind: str) -> Column:
    """A column if it can be read as one of that kind."""
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

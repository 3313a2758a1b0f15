"""Python values of one column: what kind they are of, and as numbers or words."""

from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput

Name = str | int  # pandas numbers the columns that nobody named

NUMBER, FLAG, TEXT, CATEGORY = "number", "flag", "text", "category"
WORDS = (TEXT, CATEGORY)
HOLDABLE = "a column holds numbers, booleans or text"


class Column(NamedTuple):
    """One column. What is missing is NaN among numbers, None among words."""

    kind: str | None  # None if nothing but missing values tells
    values: Any  # floats as an array, or words as a list


def column_of(name: Name, values: list[Any]) -> Column:
    """A column of any Python values."""
    if set(map(type, values)) == {str}:  # quick, as large tables want it
        return Column(TEXT, values)
    kinds = {_kind(name, value) for value in values if not is_missing(value)}
    if kinds <= {NUMBER, FLAG}:
        kind = NUMBER if NUMBER in kinds else FLAG if kinds else None
        return Column(kind, _floats(f"column {name!r}", values) if kinds else [None] * len(values))
    if kinds == {TEXT}:
        return Column(TEXT, [None if is_missing(value) else str(value) for value in values])
    odd = next(value for value in values if isinstance(value, str))
    raise InvalidInput(f"column {name!r}", odd, "text among numbers; give one or the other")


def _kind(name: Name, value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return FLAG
    if isinstance(value, Real | Decimal):
        return NUMBER
    if isinstance(value, str):
        return TEXT
    remedy = f"{HOLDABLE}, one value in a row; turn a {type(value).__name__} into one of these"
    raise InvalidInput(f"column {name!r}", value, remedy)


def is_missing(value: Any) -> bool:
    """Whether nothing is there: None, NaN, or what pandas has for it."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # pandas' own
        return True
    return isinstance(value, float) and value != value


def _floats(where: str, values: list[Any]) -> Array:
    try:
        return np.array([np.nan if is_missing(value) else float(value) for value in values])
    except (OverflowError, ValueError) as error:
        raise InvalidInput(where, "a number", "too large for a double; scale it down") from error


def numbers_of(array: Array) -> Array:
    """An array of objects, all of them numbers or missing."""
    values = array.ravel().tolist()
    for value in values:
        if not is_missing(value) and not isinstance(value, Real | Decimal):
            raise InvalidInput(
                "contexts", value, "an array holds numbers; give text in dicts or a table"
            )
    return _floats("contexts", values).reshape(array.shape)

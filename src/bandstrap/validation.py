"""Checks of parameters: one place, one wording."""

from math import isfinite
from numbers import Integral, Real

from bandstrap.errors import InvalidInput

LARGEST = 1e150  # reward: squares of sums are finite
LEAST_COUNT = 1e-6  # weight of a reward: for less, every weight drawn is 0


def is_finite(value: object) -> bool:
    """Whether it is a finite number, of Python or NumPy, that fits in a double."""
    try:
        return isinstance(value, Real) and isfinite(value)
    except OverflowError:
        return False


def is_whole(value: object) -> bool:
    """Whether it is an integer, of Python or NumPy, but not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def require_positive(**parameters: float | None) -> None:
    """Refuse anything but None or a finite number above 0."""
    for name, value in parameters.items():
        if value is not None and not (is_finite(value) and value > 0):
            raise InvalidInput(name, value, "give a positive number")


def require_up_to(most: float, /, **parameters: float) -> None:
    """Refuse anything but a number above 0 and at most `most`."""
    for name, value in parameters.items():
        if not (is_finite(value) and 0 < value <= most):
            raise InvalidInput(name, value, f"give a positive number, at most {most:g}")


def require_share(**parameters: float) -> None:
    """Refuse anything but a number strictly between 0 and 1."""
    for name, value in parameters.items():
        if not (is_finite(value) and 0 < value < 1):
            raise InvalidInput(name, value, "give a probability above 0 and below 1")


def require_number(least: float, most: float, /, **parameters: float) -> None:
    """Refuse anything but a number from `least` to `most`."""
    for name, value in parameters.items():
        if not (is_finite(value) and least <= value <= most):
            raise InvalidInput(name, value, f"give a number from {least:g} to {most:g}")


def require_whole(least: int, /, **parameters: int | None) -> None:
    """Refuse anything but None or a whole number of at least `least`."""
    for name, value in parameters.items():
        if value is not None and not (is_whole(value) and value >= least):
            raise InvalidInput(name, value, f"give a whole number, {least} or more")


def require_within(least: int, most: int, /, **parameters: int | None) -> None:
    """Refuse anything but None or a whole number from `least` to `most`."""
    for name, value in parameters.items():
        if value is not None and not (is_whole(value) and least <= value <= most):
            raise InvalidInput(name, value, f"give a whole number from {least} to {most:,}")

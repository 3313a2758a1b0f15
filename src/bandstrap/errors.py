"""What can go wrong, as one small tree.

    BandstrapError
    ├── InvalidInput   a parameter, a reward, a shape
    ├── UnknownName    a policy, an experiment, an environment
    └── OutputError    a directory or file that cannot be written or read

Every message names the thing, its value and what to do instead.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

__all__ = ["BandstrapError", "InvalidInput", "OutputError", "UnknownName"]

SHOWN = 100  # names in a message


class BandstrapError(Exception):
    """Base of all errors raised on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross from worker processes by their message, whatever they were made from.
        return _restored, (type(self), str(self))


def _restored(kind: type[BandstrapError], message: str) -> BandstrapError:
    error = kind.__new__(kind, message)
    Exception.__init__(error, message)
    return error


class InvalidInput(BandstrapError, ValueError):  # noqa: N818 - reads better than InvalidInputError
    """A value that cannot be used, with the remedy."""

    def __init__(self, parameter: str, value: object, remedy: str) -> None:
        super().__init__(f"{parameter} = {value!r}: {remedy}")


class UnknownName(BandstrapError, LookupError):  # noqa: N818
    """A name that is not registered, with the nearest one that is."""

    def __init__(self, kind: str, name: object, known: Iterable[Any]) -> None:
        by_text = {str(each): each for each in known}
        near = get_close_matches(str(name), by_text, n=1, cutoff=0.4)
        some = _some(sorted(by_text))
        hint = f"did you mean {by_text[near[0]]!r}?" if near else f"known are {some}"
        super().__init__(f"unknown {kind} {name!r}: {hint}")


def _some(names: list[str]) -> str:
    """All of them, unless nobody would read so many."""
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")


class OutputError(BandstrapError, OSError):
    """A directory or file that cannot be used, with the remedy."""

    def __init__(self, path: object, problem: str, remedy: str) -> None:
        super().__init__(f"{path}: {problem}; {remedy}")

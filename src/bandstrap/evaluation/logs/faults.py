"""What is wrong with a log: the first place of each fault, and how many there are."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


class Places(NamedTuple):
    """Where the rows of a piece were: after so many rows, or at these lines of a file."""

    before: int
    lines: Array | None = None

    def __call__(self, at: int) -> str:
        if self.lines is not None:
            return f"line {int(self.lines[at]):,}"
        return f"row {self.before + at + 1:,}"


class Fault:
    """Invalid rows; the first one is reported."""

    def __init__(self, parameter: str, value: Any, remedy: str) -> None:
        self.parameter, self.value, self.remedy = parameter, value, remedy
        self.count = 0


class Faults:
    """All faults of a log, in the order in which they are looked for.

    A log is read to its end before it is refused, so that the sentence can say how often.
    """

    def __init__(self) -> None:
        self._found: dict[str, Fault] = {}

    def look(
        self, name: str, bad: Array, values: Sequence[Any] | Array, places: Places, remedy: str
    ) -> None:
        """Note which rows of a piece are `bad`; `values` are what they hold."""
        if not bad.any():
            return
        at = int(np.flatnonzero(bad)[0])
        value = values[at]
        value = value.item() if isinstance(value, np.generic) else value
        fault = self._found.setdefault(
            f"{name} {remedy}", Fault(f"{name}, {places(at)}", value, remedy)
        )
        fault.count += int(bad.sum())

    def check(self, rows: int) -> None:
        """Refuse the log if anything is wrong with it."""
        for fault in self._found.values():
            share = f"{fault.count:,} of {counted(rows, 'row')}"
            raise InvalidInput(fault.parameter, fault.value, f"{fault.remedy} ({share})")

"""Which column of a log holds what: as a user says, and as it is read."""

from dataclasses import dataclass, fields
from typing import Any

from bandstrap.errors import UnknownName

NONE = ""  # a name that says that there is no such column


@dataclass(frozen=True)
class LogColumns:
    """The columns of a log, as far as a user names them.

    What is None is guessed from the names of columns; "" says that the log has no such column.
    `context` are the columns that a policy may look at, all that are left if None.

    >>> LogColumns(arm="variant", propensity="").given
    {'arm': 'variant', 'propensity': ''}
    """

    arm: str | None = None
    reward: str | None = None
    propensity: str | None = None
    weight: str | None = None  # inverse propensity without bias, where it is not 1 / propensity
    allowed: str | None = None
    time: str | None = None
    id: str | None = None
    count: str | None = None  # how many decisions a row stands for
    context: tuple[str, ...] | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What a user has said."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in told.items() if value is not None}

    def check(self, names: list[str]) -> None:
        """All columns exist."""
        told = [value for name, value in self.given.items() if name != "context"]
        for name in (*told, *(self.context or ())):
            if name != NONE and name not in names:
                raise UnknownName("column", name, names)


@dataclass(frozen=True)
class Layout:
    """Where everything is in a table; "" for what it does not have."""

    arm: str
    reward: str = NONE
    propensity: str = NONE
    weight: str = NONE
    allowed: str = NONE  # lists of arms
    probabilities: str = NONE  # lists of numbers, in the order of `allowed`
    time: str = NONE
    id: str = NONE
    count: str = NONE
    line: str = NONE  # where the row was in its file; without it rows are counted
    matrix: str = NONE  # lists of numbers: contexts without names
    context: tuple[str, ...] = ()  # columns that contexts may come from

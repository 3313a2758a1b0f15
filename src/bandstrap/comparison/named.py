"""Data sets by name where a table is expected."""

from pathlib import Path
from typing import Any, NamedTuple

from bandstrap.tables.source import SUFFIXES


class Found(NamedTuple):
    """A table; if it came by its name, that name, and the column of classes where it is known."""

    table: Any
    title: str | None = None
    label: str | None = None


def by_name(data: Any) -> Found:
    """The table itself or, where no file has this name, the data set of that name.

    >>> by_name("iris").label
    'y'
    >>> by_name("flowers.csv").table
    'flowers.csv'
    """
    if not isinstance(data, str | Path) or _is_file(str(data)):
        return Found(data)
    from bandstrap import datasets  # which takes long to import

    name = str(data)
    table, label = datasets.table(name)
    return Found(table, name, label)


def _is_file(name: str) -> bool:
    """Whether it is one, or could only be one: its error then says more."""
    path = Path(name)
    return path.exists() or path.name != name or name.lower().endswith(SUFFIXES)

"""Tables and contexts of any kind as rows of numbers, and back.

`Columns` is imported on first use: it needs the compiler, which reading a table does not.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bandstrap.tables.columns import Columns, ContextRows

__all__ = ["Columns", "ContextRows"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'bandstrap.tables' has no attribute {name!r}")
    from bandstrap.tables import columns

    return getattr(columns, name)

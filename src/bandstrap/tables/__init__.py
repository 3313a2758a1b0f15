"""Contexts of any kind as rows of numbers, and back.

`Columns` is imported when first used: it needs the compiler, which tables alone do not.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bandstrap.tables.columns import Columns, Given

__all__ = ["Columns", "Given"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'bandstrap.tables' has no attribute {name!r}")
    from bandstrap.tables import columns

    return getattr(columns, name)

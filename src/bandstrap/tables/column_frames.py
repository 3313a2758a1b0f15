"""Columns as a table that estimators read."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import pyarrow as pa

from bandstrap.errors import InvalidInput
from bandstrap.tables.values import Name


def frame_of(source: str, columns: Mapping[Name, Any]) -> Any:
    """A polars frame for what came as one, else a pandas frame, or whichever is installed.

    An Arrow table is made a frame too: scikit-learn's transformers take none apart.
    """
    table = pa.Table.from_arrays([*map(pa.array, columns.values())], [*map(str, columns)])
    wanted, other = ("polars", "pandas") if source == "polars" else ("pandas", "polars")
    kind = next(filter(_installed, (wanted, other)), None)
    if kind is None:
        raise InvalidInput("frame", wanted, f"is not installed: pip install {wanted}")
    return _polars(table) if kind == "polars" else _pandas(table, [*columns])


@cache
def _installed(library: str) -> bool:
    try:
        import_module(library)
    except ImportError:
        return False
    return True


def _polars(table: Any) -> Any:
    import polars

    return polars.from_arrow(table)


def _pandas(table: Any, names: list[Name]) -> Any:
    frame = table.to_pandas(use_threads=False)  # for a few rows threads cost more than they save
    frame.columns = names
    return frame

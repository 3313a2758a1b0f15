"""Columns as a table of the kind they came as."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from bandstrap.columns.values import Name
from bandstrap.errors import InvalidInput


def frame_of(source: str, columns: Mapping[Name, Any]) -> Any:
    """A pyarrow table, a polars or a pandas frame. The way leads through Arrow, which all read."""
    table = pa.Table.from_arrays([*map(pa.array, columns.values())], [*map(str, columns)])
    if source == "pyarrow":
        return table
    try:
        return _polars(table) if source == "polars" else _pandas(table, [*columns])
    except ModuleNotFoundError as error:
        needed = "polars" if source == "polars" else "pandas"
        raise InvalidInput("frame", needed, f"is not installed: pip install {needed}") from error


def _polars(table: Any) -> Any:
    import polars

    return polars.from_arrow(table)


def _pandas(table: Any, names: list[Name]) -> Any:
    frame = table.to_pandas(use_threads=False)  # for a few rows threads cost more than they save
    frame.columns = names
    return frame

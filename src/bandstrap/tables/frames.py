"""Frames of any library as Arrow tables: a column that Arrow refuses is no reason to refuse all."""

from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals as nw
import pyarrow as pa

from bandstrap.errors import InvalidInput
from bandstrap.tables.values import is_missing

WRITTEN = (str, Real, Decimal)  # what a file would hold as it is


class Unreadable(pa.ExtensionType):  # type: ignore[misc]
    """The type of a column that holds neither numbers nor words: only its name is known."""

    def __init__(self, kind: str) -> None:
        super().__init__(pa.null(), kind)

    def __arrow_ext_serialize__(self) -> bytes:
        return str(self.extension_name).encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, name: bytes) -> "Unreadable":
        return cls(name.decode())


def arrow_of(data: Any) -> pa.Table:
    """The frame as an Arrow table, without its index."""
    if isinstance(data, pa.Table):
        return data
    try:
        # An index says where rows were, as labels often do too: it is no column.
        frame = nw.maybe_reset_index(nw.from_native(data, eager_only=True))
        names = frame.columns
    except nw.exceptions.DuplicateError as error:
        said = " ".join(str(error).split())
        raise InvalidInput("data", "columns of one name", said) from error
    except TypeError as error:
        what = type(data).__name__
        raise InvalidInput("data", what, "give a path, a pandas, polars or Arrow table") from error
    get: Any = frame.get_column  # takes the numbers that pandas has for names, though typed text
    return pa.table([_column(get(name)) for name in names], names=[str(name) for name in names])


def _column(series: "nw.Series[Any]") -> pa.Array:
    """As Arrow has it; else dense; else as words, as in a file; else only that it is there."""
    for made in (_direct, _dense, _words):
        try:
            return made(series)
        except Exception:  # libraries differ in what they raise of a column
            continue
    return pa.ExtensionArray.from_storage(Unreadable(_kind(series)), pa.nulls(len(series)))


def _direct(series: "nw.Series[Any]") -> pa.Array:
    return series.to_arrow()


def _dense(series: "nw.Series[Any]") -> pa.Array:
    return pa.array(series.to_numpy(), from_pandas=True)


def _words(series: "nw.Series[Any]") -> pa.Array:
    values = [None if is_missing(value) else value for value in series.to_list()]
    if not all(value is None or isinstance(value, WRITTEN) for value in values):
        raise TypeError("not of words and numbers")
    return pa.array([None if value is None else str(value) for value in values], pa.large_string())


def _kind(series: "nw.Series[Any]") -> str:
    return str(getattr(series.to_native(), "dtype", "unknown"))

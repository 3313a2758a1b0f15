"""Reading a table from a file of any common kind or a frame, as a uniform sample of its rows."""

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from math import inf
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.seeding import generator
from bandstrap.storage.files import reading
from bandstrap.tables.contexts import is_missing
from bandstrap.tables.text import ANY_BYTE, REMEDY, NotUnicodeError, TextTable, check_names

TEXTS = (".csv", ".tsv", ".txt")
# Suffixes of tables, the longest first.
SUFFIXES = (*(f"{end}.gz" for end in TEXTS), *TEXTS, ".parquet", ".arrow", ".feather", ".ipc")
PIPED = "save what comes through the pipe to a file and give that: a table is read twice"
ROWS = 100_000  # rows kept at most
PIECE = 1 << 16  # rows read at once
CELLS = 20_000_000  # rows times columns kept at most
WRITTEN = (str, Real, Decimal)  # values that a file would hold as they are

Check = Callable[[list[str]], None]  # raises if the names of columns will not do


class Sample(NamedTuple):
    """Rows of a table, and how many there were."""

    table: pa.Table
    seen: int
    complete: bool = True  # whether the whole source was read


class Rows(NamedTuple):
    """All rows of a table in pieces, which can be asked for again."""

    schema: pa.Schema
    pieces: Callable[[], Iterator[pa.RecordBatch]]


def rows_of(data: Any, encoding: str | None = None) -> Rows:
    """All rows of what `read` samples; a file is read anew whenever pieces are asked for.

    `NotUnicodeError` means that a text file is to be read again, with the encoding ANY_BYTE.
    """
    if not isinstance(data, str | Path):
        return table_rows(_as_arrow(data))
    path = Path(data)
    magic = _magic(path)
    if magic[:4] == b"PAR1":
        return _parquet_rows(path)
    if magic == b"ARROW1" or magic[:4] == b"FEA1" or path.suffix in (".arrow", ".feather", ".ipc"):
        return table_rows(_arrow_file(path, magic))
    text = TextTable(path, encoding)
    return Rows(text.schema, lambda: text.pieces(inf))


def table_rows(table: pa.Table) -> Rows:
    """The rows of a table in memory."""
    check_names(table.column_names)
    table = table.replace_schema_metadata(None)
    return Rows(table.schema, lambda: iter(table.to_batches(max_chunksize=PIECE)))


def _parquet_rows(path: Path) -> Rows:
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow.remove_metadata()
    except (pa.ArrowException, OSError) as error:
        raise OutputError(path, "is damaged or cut off", REMEDY) from error
    check_names(schema.names)
    return Rows(schema, lambda: _parquet_pieces(path))


def _parquet_pieces(path: Path) -> Iterator[pa.RecordBatch]:
    try:
        with pq.ParquetFile(path) as file:
            for piece in file.iter_batches(PIECE):
                yield piece.replace_schema_metadata(None)
    except (pa.ArrowException, OSError) as error:
        raise OutputError(path, "is damaged or cut off", REMEDY) from error


def any_names(names: list[str]) -> None:
    """Accept all names."""


def read(data: Any, seed: int, check: Check = any_names) -> Sample:
    """A path, or a pyarrow, pandas or polars table. Names are checked before rows are read: the
    header of a large file is there at once, the rows are not."""
    if not isinstance(data, str | Path):
        return _of_table(_as_arrow(data), seed, check)
    path = Path(data)
    magic = _magic(path)  # the content counts, not the file's name
    if magic[:4] == b"PAR1":
        return _parquet(path, seed, check)
    if magic == b"ARROW1" or magic[:4] == b"FEA1" or path.suffix in (".arrow", ".feather", ".ipc"):
        return _of_table(_arrow_file(path, magic), seed, check)
    try:
        return _text(TextTable(path), seed, check)
    except NotUnicodeError:
        return _text(TextTable(path, ANY_BYTE), seed, check)


def title_of(data: Any) -> str:
    """The table's name in results."""
    if not isinstance(data, str | Path):
        return "table"
    name = Path(data).name
    known = next((end for end in SUFFIXES if name.lower().endswith(end)), "")
    return name[: len(name) - len(known)] or name


def sampled(schema: pa.Schema, pieces: Iterable[pa.RecordBatch], seed: int) -> Sample:
    """A uniform sample of rows, in their order, in memory that does not grow with the table.

    Every row draws a number and those with the smallest stay, so the sample depends on the seed
    and the rows, not on how they are split into pieces.
    """
    rng = generator(seed, "sample of rows")
    most = min(ROWS, max(1, CELLS // max(1, len(schema))))
    kept, marks, seen = schema.empty_table(), np.zeros(0), 0
    for piece in pieces:
        kept = pa.concat_tables([kept, pa.Table.from_batches([piece], schema)])
        marks = np.concatenate([marks, rng.random(piece.num_rows)])
        seen += piece.num_rows
        if marks.size > 2 * most:
            kept, marks = _smallest(kept, marks, most)
    kept, _ = _smallest(kept, marks, most)
    return Sample(kept, seen)


def _smallest(table: pa.Table, marks: Array, most: int) -> tuple[pa.Table, Array]:
    if marks.size <= most:
        return table, marks
    places = np.sort(np.argpartition(marks, most)[:most])
    return table.take(places).combine_chunks(), marks[places]


def _text(text: TextTable, seed: int, check: Check) -> Sample:
    check(text.names)
    sample = sampled(text.schema, text.pieces(), seed)
    return sample._replace(complete=text.complete)


def _magic(path: Path) -> bytes:
    with reading(path, PIPED if path.is_fifo() else REMEDY) as file:
        magic = file.read(6)
    if not magic:
        raise OutputError(path, "is empty", REMEDY)
    return magic


def _parquet(path: Path, seed: int, check: Check) -> Sample:
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow.remove_metadata()
            check_names(schema.names)
            check(schema.names)
            pieces = (piece.replace_schema_metadata(None) for piece in file.iter_batches())
            return sampled(schema, pieces, seed)
    except (pa.ArrowException, OSError) as error:
        raise OutputError(path, "is damaged or cut off", REMEDY) from error


def _arrow_file(path: Path, magic: bytes) -> pa.Table:
    """Memory-mapped, so that a sample of a large file does not fill the memory.

    Arrow trusts the offsets in a file: all of them are validated before any value is read.
    """
    try:
        if magic[:4] == b"FEA1":
            from pyarrow.feather import read_table

            table = read_table(path)
        else:
            reader = pa.ipc.open_file if magic == b"ARROW1" else pa.ipc.open_stream
            table = reader(pa.memory_map(str(path))).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise OutputError(path, "is damaged or not an Arrow file", REMEDY) from error
    return table


def _of_table(table: pa.Table, seed: int, check: Check) -> Sample:
    check_names(table.column_names)
    check(table.column_names)
    table = table.replace_schema_metadata(None)
    return sampled(table.schema, table.to_batches(), seed)


class Unreadable(pa.ExtensionType):  # type: ignore[misc]
    """The type of a column that holds neither numbers nor words: only its name is known."""

    def __init__(self, kind: str) -> None:
        super().__init__(pa.null(), kind)

    def __arrow_ext_serialize__(self) -> bytes:
        return str(self.extension_name).encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, name: bytes) -> "Unreadable":
        return cls(name.decode())


def _as_arrow(data: Any) -> pa.Table:
    """A frame of any library as an Arrow table. The index of a pandas frame is not a column."""
    if isinstance(data, pa.Table):
        return data
    try:
        frame = nw.maybe_reset_index(nw.from_native(data, eager_only=True))
        names = frame.columns
    except nw.exceptions.DuplicateError as error:
        problem = " ".join(str(error).split())
        raise InvalidInput("data", "columns of one name", problem) from error
    except TypeError as error:
        what = type(data).__name__
        raise InvalidInput("data", what, "give a path, a pandas, polars or Arrow table") from error
    get: Any = frame.get_column  # typed for text, but takes the numbers that pandas has for names
    return pa.table([_column(get(name)) for name in names], names=[str(name) for name in names])


def _column(series: "nw.Series[Any]") -> pa.Array:
    """As Arrow converts it; else dense; else as words, as in a file; else as unreadable."""
    for convert in (nw.Series.to_arrow, _dense, _words):
        try:
            return convert(series)
        except Exception:  # libraries differ in what they raise about a column
            continue
    kind = str(getattr(series.to_native(), "dtype", "unknown"))
    return pa.ExtensionArray.from_storage(Unreadable(kind), pa.nulls(len(series)))


def _dense(series: "nw.Series[Any]") -> pa.Array:
    return pa.array(series.to_numpy(), from_pandas=True)


def _words(series: "nw.Series[Any]") -> pa.Array:
    values = [None if is_missing(value) else value for value in series.to_list()]
    if not all(value is None or isinstance(value, WRITTEN) for value in values):
        raise TypeError("neither words nor numbers")
    return pa.array([None if value is None else str(value) for value in values], pa.large_string())

"""Where a table comes from: a file of any common kind, or a frame; as a sample of its rows."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from bandstrap.errors import OutputError
from bandstrap.storage.files import reading
from bandstrap.tables.frames import arrow_of
from bandstrap.tables.sample import Sample, sampled
from bandstrap.tables.text import ANY_BYTE, REMEDY, NotUnicodeError, TextTable, check_names

TEXTS = (".csv", ".tsv", ".txt")
# The longest first: what is taken off a name, and what a folder of tables is looked through for.
SUFFIXES = (*(f"{end}.gz" for end in TEXTS), *TEXTS, ".parquet", ".arrow", ".feather", ".ipc")

PIPED = "save what comes through it to a file, and give that: a table is read twice"

Check = Callable[[list[str]], None]  # raises where the names of columns will not do


def any_names(names: list[str]) -> None:
    """Every name will do."""


def read(data: Any, seed: int, check: Check = any_names) -> Sample:
    """A path, a pyarrow table, a pandas or a polars frame; names are checked before rows are read.

    Of a file of gigabytes the header is there at once, the rows are not.
    """
    if isinstance(data, str | Path):
        return read_file(Path(data), seed, check)
    return _of_table(arrow_of(data), seed, check)


def read_file(path: Path, seed: int, check: Check = any_names) -> Sample:
    """A file, by what it holds rather than by its name."""
    magic = _magic(path)
    if magic[:4] == b"PAR1":
        return _parquet(path, seed, check)
    if magic == b"ARROW1" or magic[:4] == b"FEA1" or path.suffix in (".arrow", ".feather", ".ipc"):
        return _of_table(_arrow_file(path, magic), seed, check)
    try:
        return _text(TextTable(path), seed, check)
    except NotUnicodeError:
        return _text(TextTable(path, ANY_BYTE), seed, check)


def title_of(data: Any) -> str:
    """What results call the table."""
    if not isinstance(data, str | Path):
        return "table"
    name = Path(data).name
    known = next((end for end in SUFFIXES if name.lower().endswith(end)), "")
    return name[: len(name) - len(known)] or name


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
            return sampled(schema, _without_metadata(file.iter_batches()), seed)
    except (pa.ArrowException, OSError) as error:
        raise OutputError(path, "is damaged or cut off", REMEDY) from error


def _without_metadata(pieces: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return (piece.replace_schema_metadata(None) for piece in pieces)


def _arrow_file(path: Path, magic: bytes) -> pa.Table:
    """Mapped into memory, so that a sample of a large file does not fill it.

    Arrow believes the offsets in a file: all of them are looked at before a value is.
    """
    try:
        table = _opened(path, magic)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise OutputError(path, "is damaged or no Arrow file", REMEDY) from error
    return table


def _opened(path: Path, magic: bytes) -> pa.Table:
    if magic[:4] == b"FEA1":
        from pyarrow.feather import read_table

        return read_table(path)
    source = pa.memory_map(str(path))
    reader = pa.ipc.open_file if magic == b"ARROW1" else pa.ipc.open_stream
    return reader(source).read_all()


def _of_table(table: pa.Table, seed: int, check: Check) -> Sample:
    check_names(table.column_names)
    check(table.column_names)
    table = table.replace_schema_metadata(None)
    return sampled(table.schema, table.to_batches(), seed)

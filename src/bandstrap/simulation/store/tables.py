"""Parquet tables that cannot change unnoticed.

Each page has a checksum, by which Parquet's readers notice damage. A digest in the metadata covers
all rows and our other metadata.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bandstrap.errors import OutputError
from bandstrap.storage.files import reading, replacing

OURS = b"bandstrap"  # the prefix of metadata that the digest covers
DIGEST = b"bandstrap-digest"
MOST_CELLS = 1 << 26  # of a table in a small file: half a gigabyte
MOST_TIMES = 50  # as many bytes as the file has may be in a larger one
CELL = 8  # bytes
REMEDY = "delete it and run again, or choose another --out"


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table with its digest, so that the file is either complete or not there."""
    facts = {**(table.schema.metadata or {}), DIGEST: digest_of(table)}
    _make_folder(path)
    with replacing(path, "choose another --out") as file:
        signed = table.replace_schema_metadata(facts)
        pq.write_table(signed, file, compression="zstd", write_page_checksum=True)


def read_table(path: Path) -> pa.Table:
    """Read a table exactly as it was written, or say which file is damaged."""
    with _opened(path) as file:
        _check_size(file.metadata, path)
        table = file.read()
        table.validate(full=True)
        given = (table.schema.metadata or {}).get(DIGEST)
        intact = given is None or given == digest_of(table)
    if given is None:
        raise OutputError(path, "has no digest: an earlier version wrote it", REMEDY)
    if not intact:
        raise damaged(path, "(its digest does not match)")
    return table


def _check_size(footer: pq.FileMetaData, path: Path) -> None:
    """Refuse what takes far more memory than its file: a run of equal values may be any length."""
    groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
    rows = max(footer.num_rows, sum(group.num_rows for group in groups))
    cells = rows * max(footer.num_columns, 1)
    if cells > max(MOST_CELLS, MOST_TIMES * path.stat().st_size // CELL):
        raise damaged(path, f"(it claims {rows:,} rows of {footer.num_columns} columns)")


def facts_of(path: Path) -> dict[bytes, bytes]:
    """The metadata of a file, not checked against its digest."""
    with _opened(path) as file:
        return file.metadata.metadata or {}


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    """The file; what fails while it is read means that it is damaged."""
    try:
        with reading(path, REMEDY) as file:
            yield pq.ParquetFile(file, page_checksum_verification=True)
    except OutputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged(path, "or cut off") from error


def digest_of(table: pa.Table) -> bytes:
    """Of all rows, in order, and of our metadata."""
    facts = table.schema.metadata or {}
    ours = [(key.hex(), facts[key].hex()) for key in sorted(facts) if _covered(key)]
    digest = sha256(json.dumps([table.num_rows, ours]).encode())
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count:
            raise ValueError(f"{name} has missing values")
        digest.update(json.dumps([name, str(column.type)]).encode())
        for piece in _pieces(column):
            digest.update(piece)
    return digest.hexdigest().encode()


def damaged(path: Path, how: str) -> OutputError:
    """The error for a file that has changed since it was written."""
    return OutputError(path, f"is damaged {how}", REMEDY)


def _covered(key: bytes) -> bool:
    return key.startswith(OURS) and key != DIGEST


def _pieces(column: pa.ChunkedArray) -> Iterator[Any]:
    """The values as bytes, the same for any chunks; of text each word once."""
    if not pa.types.is_string(column.type):
        yield from (chunk.to_numpy() for chunk in column.chunks)
        return
    words = column.unique()
    yield json.dumps(words.to_pylist()).encode()
    yield from (pc.index_in(chunk, words).to_numpy() for chunk in column.chunks)


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise OutputError(path, problem, "choose another --out") from error

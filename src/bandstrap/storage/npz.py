"""Arrays from an untrusted .npz file."""

from functools import lru_cache
from io import BytesIO
from math import prod
from typing import IO, Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from bandstrap.arrays import Array

ENDING = ".npy"
PIECE = 1 << 20  # bytes
PACKED = (ZIP_STORED, ZIP_DEFLATED)  # zipfile unpacks other methods without a limit
LONGEST = 10_000  # bytes of a header
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}

Header = tuple[tuple[int, ...], bool, np.dtype[Any]]  # shape, whether by columns, type


class NoArrays(ValueError):  # noqa: N818 - not always an error
    """A file that holds no valid arrays, or too many."""


class TooLarge(NoArrays):
    """A file that would take more memory than it may."""


def read_arrays(file: BinaryIO, most: int) -> dict[str, Array]:
    """The arrays by name, if they take at most `most` bytes; memory is allocated after that check.

    Anything else that is wrong with the file is `NoArrays`, with the reason.
    """
    try:
        with ZipFile(file) as archive:
            members = archive.infolist()
            _check(members, most)
            return {member.filename[: -len(ENDING)]: _array(archive, member) for member in members}
    except (NoArrays, OSError, MemoryError):
        raise
    except Exception as error:  # a zip file may be broken in many ways
        raise NoArrays(f"{error}" or type(error).__name__) from error


def _check(members: list[ZipInfo], most: int) -> None:
    """By the zip's directory; no more than it says is ever unpacked."""
    total = sum(member.file_size for member in members)
    if total > most:
        raise TooLarge(f"its arrays take {total:,} bytes, where {most:,} are allowed")
    if len({member.filename for member in members}) < len(members):
        raise NoArrays("two arrays have the same name")
    for member in members:
        if not member.filename.endswith(ENDING) or member.compress_type not in PACKED:
            raise NoArrays("it holds something other than arrays")


def _array(archive: ZipFile, member: ZipInfo) -> Array:
    with archive.open(member) as stream:
        shape, by_columns, dtype = _header(stream)
        if dtype.hasobject or min(shape, default=0) < 0:
            raise NoArrays("an array holds something other than numbers or text")
        if prod(shape) * dtype.itemsize > member.file_size:  # memory is allocated by the header
            raise NoArrays("an array is cut off")
        flat = np.ndarray(prod(shape), dtype)
        _fill(flat, stream)
        if stream.read(1):
            raise NoArrays("an array has bytes after its end")
    return flat.reshape(shape[::-1]).T if by_columns else flat.reshape(shape)


def _header(stream: IO[bytes]) -> Header:
    version = npy.read_magic(stream)
    if version not in HEADERS:
        raise NoArrays(f"an array is of version {version}")
    length = stream.read(2 if version == (1, 0) else 4)
    size = int.from_bytes(length, "little")
    if size > LONGEST:
        raise NoArrays("an array has too long a header")
    return _parsed(version, length + stream.read(size))


@lru_cache(maxsize=1000)
def _parsed(version: tuple[int, int], header: bytes) -> Header:
    """Cached: many arrays have equal headers, and parsing is slow."""
    parsed: Header = HEADERS[version](BytesIO(header))
    return parsed


def _fill(flat: Array, stream: IO[bytes]) -> None:
    """In pieces: zipfile unpacks about as much at once as is asked for."""
    memory = flat.view(np.uint8).data if flat.nbytes else memoryview(b"")
    for start in range(0, flat.nbytes, PIECE):
        piece = stream.read(min(PIECE, flat.nbytes - start))
        memory[start : start + len(piece)] = piece
        if len(piece) < min(PIECE, flat.nbytes - start):
            raise NoArrays("an array is cut off")

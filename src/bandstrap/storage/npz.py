"""Arrays from an .npz, none of which is believed before it is looked at."""

from math import prod
from typing import IO, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

ENDING = ".npy"
PACKED = (ZIP_STORED, ZIP_DEFLATED)  # zipfile unpacks others without a limit
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class NoArrays(ValueError):  # noqa: N818 - not always an error
    """A file that holds no arrays, or more than it may."""


class TooLarge(NoArrays):
    """A file that would take more memory than it may."""


def read_arrays(file: BinaryIO, most: int) -> dict[str, np.ndarray]:
    """The arrays by name, if they take at most so many bytes: memory is taken after that is known.

    Whatever else is wrong with the file is `NoArrays` too, with what it is.
    """
    try:
        with ZipFile(file) as archive:
            members = archive.infolist()
            _check(members, most)
            return {member.filename[: -len(ENDING)]: _array(archive, member) for member in members}
    except (NoArrays, OSError, MemoryError):
        raise
    except Exception as error:  # a zip file can be wrong in many ways
        raise NoArrays(f"{error}" or type(error).__name__) from error


def _check(members: list[ZipInfo], most: int) -> None:
    """By what the zip's directory says; no more than that is ever unpacked."""
    total = sum(member.file_size for member in members)
    if total > most:
        raise TooLarge(f"its arrays take {total:,} bytes, where {most:,} are allowed")
    if len({member.filename for member in members}) < len(members):
        raise NoArrays("two arrays have one name")
    for member in members:
        if not member.filename.endswith(ENDING) or member.compress_type not in PACKED:
            raise NoArrays("it holds something that is no array")


def _array(archive: ZipFile, member: ZipInfo) -> np.ndarray:
    with archive.open(member) as stream:
        _check_header(stream, member.file_size)
    with archive.open(member) as stream:
        array: np.ndarray = npy.read_array(stream, allow_pickle=False)
        if stream.read(1):
            raise NoArrays("an array goes on after its end")
    return array


def _check_header(stream: IO[bytes], size: int) -> None:
    """NumPy takes as much memory as the header asks for, whatever comes after it."""
    shape, _, dtype = HEADERS[npy.read_magic(stream)](stream)
    if dtype.hasobject or min(shape, default=0) < 0:
        raise NoArrays("an array holds no plain numbers or text")
    if prod(shape) * dtype.itemsize > size:
        raise NoArrays("an array is cut off")

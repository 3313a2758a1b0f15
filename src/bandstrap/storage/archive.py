"""Arrays and text in one file: a zip of .npy members that any NumPy reads, with a digest.

Files are not trusted: sizes of members are added up before memory is allocated, and what is read is
compared with the digest before it is used.
"""

import json
from hashlib import sha256
from os import SEEK_END
from pathlib import Path
from typing import IO, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
from numpy.lib import format as npy

from bandstrap.arrays import Array
from bandstrap.errors import OutputError
from bandstrap.storage.files import reading, replacing
from bandstrap.storage.npz import TooLarge, read_arrays
from bandstrap.storage.packing import Packed
from bandstrap.storage.schema import require
from bandstrap.version import __version__

MOST_BYTES = 2**28  # that any file may unpack to
MOST_TIMES = 50  # its own size, if that is more
HEADER, TEXT = "header", "text"
WIDE = 4  # bytes of a character
BLOCK = 1 << 16  # characters that are written at once


def write(packed: Packed, path: Path, form: int, compressed: bool = True) -> None:
    """Write a file; it appears under its name only when it is complete."""
    with replacing(path) as file:
        write_to(file, packed, form, compressed)


def write_to(file: BinaryIO, packed: Packed, form: int, compressed: bool = True) -> None:
    """Write what a file holds."""
    header = {"format": form, "version": __version__, "digest": digest_of(packed)}
    texts = {HEADER: json.dumps(header), TEXT: packed.text}
    # Much of it is unused room. Large files are not compressed, so that ours never unpack to more
    # than they may.
    size = sum(WIDE * len(text) for text in texts.values())
    size += sum(array.nbytes for array in packed.arrays.values())
    method = ZIP_DEFLATED if compressed and size <= MOST_BYTES else ZIP_STORED
    with ZipFile(file, "w", method) as made:
        for name, text in texts.items():
            with made.open(f"{name}.npy", "w", force_zip64=True) as member:
                _write_text(member, text)
        for name, array in packed.arrays.items():
            with made.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, np.asanyarray(array), allow_pickle=False)


def _write_text(member: IO[bytes], text: str) -> None:
    """As `npy.write_array`, in blocks: that would copy the text, and stop all other threads."""
    header = {"descr": f"<U{len(text)}", "fortran_order": False, "shape": ()}
    npy.write_array_header_1_0(member, header)
    for start in range(0, len(text), BLOCK):
        member.write(text[start : start + BLOCK].encode("utf-32-le"))


def read(path: Path, newest: int, most_bytes: int | None = None) -> Packed:
    """Read a file of any format up to the newest; refuse one that is damaged, or unpacks to more
    than `most_bytes`."""
    with reading(path) as file:
        return read_from(file, path, newest, most_bytes)


def read_from(file: BinaryIO, path: object, newest: int, most_bytes: int | None) -> Packed:
    """Read what a file holds; errors name it by `path`."""
    try:
        return _packed(path, file, newest, most_bytes)
    except OSError:  # ours, or the system's
        raise
    except Exception as error:  # a zip or its headers may be broken in many ways
        raise damaged(path) from error


def damaged(path: object, problem: str = "") -> OutputError:
    """The error for a file that has changed, or never was a bandit."""
    what = f"is damaged or no saved bandit{problem and f' ({problem})'}"
    return OutputError(path, what, "take another copy of it")


def _packed(path: object, file: BinaryIO, newest: int, most_bytes: int | None) -> Packed:
    own = file.seek(0, SEEK_END)
    most = max(MOST_BYTES, MOST_TIMES * own) if most_bytes is None else most_bytes
    try:
        arrays = read_arrays(file, most)
    except TooLarge as error:
        remedy = "if it is yours, allow it by Bandit.load(path, most_bytes=…)"
        raise OutputError(path, f"is too large: {error}", remedy) from error
    header = json.loads(_text(arrays.pop(HEADER)))
    number = header["format"]
    require(type(number) is int, "its format is not a number")
    if number > newest:
        problem = f"has format {number}, from bandstrap {header.get('version')!s:.40}"
        raise OutputError(path, problem, "upgrade bandstrap")
    packed = Packed(arrays, _text(arrays.pop(TEXT)))
    if header["digest"] != digest_of(packed):
        raise damaged(path)
    return packed


def _text(array: Array) -> str:
    require(array.shape == () and array.dtype.kind == "U", "a text is malformed")
    return str(array[()])


def digest_of(packed: Packed) -> str:
    """Of everything in the file."""
    digest = sha256(packed.text.encode())
    for name in sorted(packed.arrays):
        array = packed.arrays[name]
        digest.update(f"{name} {array.dtype.descr} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()

"""A bandit in one file, without pickle: arrays, and a text that says how they hang together."""

import json
import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from bandstrap.packing import CannotPack, CannotRestore, Packed, find, is_ours, pack, unpack
from bandstrap.version import __version__

FORMAT = 1  # raise when files can no longer be read as before, and keep reading the old ones


def save(thing: object, path: Path) -> None:
    """Write a file; it appears under its name only when it is complete."""
    try:
        packed = pack(thing)
    except CannotPack as error:
        raise OutputError(path, f"cannot be written: {error}", "save without it") from error
    header = {"format": FORMAT, "version": __version__, "digest": _digest(packed)}
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            texts = {"header": np.array(json.dumps(header)), "text": np.array(packed.text)}
            arrays: dict[str, Any] = {**texts, **packed.arrays}
            np.savez_compressed(file, **arrays)  # much of it is room not used yet
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OutputError(
            path, f"cannot be written ({error.strerror})", "choose another"
        ) from error


def load(path: Path, trusted: Iterable[Any] = ()) -> Any:
    """Read a file; classes and functions that are not ours must be among the trusted ones."""
    known = _by_name(trusted)
    packed = _read(path)

    def found(name: str) -> Any:
        if name in known:
            return known[name]
        if is_ours(name):
            thing = find(name)
            if is_ours(str(getattr(thing, "__module__", ""))):  # not what a module of ours imports
                return thing
        remedy = "if you trust it: Bandit.load(path, trusted=[that])"
        raise OutputError(path, f"asks for {name}", remedy)

    try:
        return unpack(packed, found)
    except CannotRestore as error:
        remedy = "load it with the versions of the libraries that it was saved with"
        raise OutputError(path, f"holds what cannot be used: {error}", remedy) from error
    except BandstrapError:  # a class that is not trusted, an estimator that is none
        raise
    except ImportError as error:
        raise OutputError(path, f"needs {error.name or error}", "install it") from error
    except Exception as error:  # whatever a file of another shape leads to
        raise _damaged(path) from error


def _by_name(trusted: Any) -> dict[str, Any]:
    """Classes and functions by the names that files have for them."""
    remedy = "give a list of classes and functions, such as [MyPolicy]"
    if isinstance(trusted, type) or not hasattr(trusted, "__iter__"):
        raise InvalidInput("trusted", trusted, remedy)
    given = list(trusted)
    for each in given:
        if not hasattr(each, "__qualname__"):
            raise InvalidInput("trusted", each, remedy)
    return {f"{each.__module__}:{each.__qualname__}": each for each in given}


def _read(path: Path) -> Packed:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        header = json.loads(str(arrays.pop("header")))
        number = int(header["format"])
    except OSError as error:
        raise OutputError(path, f"cannot be read ({error.strerror})", "check the path") from error
    except Exception as error:  # NumPy raises many kinds
        raise _damaged(path) from error
    if number > FORMAT:
        raise OutputError(
            path,
            f"has format {number}, from bandstrap {header.get('version')}",
            "upgrade bandstrap",
        )
    try:
        packed = Packed(arrays, str(arrays.pop("text")))
        intact = header["digest"] == _digest(packed)
    except Exception as error:  # NumPy raises many kinds
        raise _damaged(path) from error
    if not intact:
        raise _damaged(path)
    return packed


def _digest(packed: Packed) -> str:
    """Of everything that is read."""
    digest = sha256(packed.text.encode())
    for name in sorted(packed.arrays):
        array = packed.arrays[name]
        digest.update(f"{name} {array.dtype.descr} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _damaged(path: Path) -> OutputError:
    return OutputError(path, "is damaged or no saved bandit", "take another copy of it")

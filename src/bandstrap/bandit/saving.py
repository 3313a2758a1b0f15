"""A bandit in one file, without pickle: only what its classes declare is ever read."""

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from bandstrap.storage.archive import damaged, read, read_from, write, write_to
from bandstrap.storage.packing import CannotPack, Packed, Snapshot
from bandstrap.storage.schema import Refused
from bandstrap.storage.unpacking import CannotRestore, NotTrusted, unpack

FORMAT = 2  # raise when files can no longer be read as before, and keep reading the old ones
SHOWN = 100  # characters of a name in a file


def taken(thing: object, path: object = "it") -> Snapshot:
    """The thing as it is now, to be written later."""
    try:
        return Snapshot(thing)
    except CannotPack as error:
        raise OutputError(path, f"cannot be written: {error}", "save without it") from error


def save(snapshot: Snapshot, path: Path) -> None:
    """Write a file; it appears under its name only when it is complete."""
    write(_packed(snapshot, path), path, FORMAT)


def to_bytes(snapshot: Snapshot) -> bytes:
    """What a file would hold."""
    file = BytesIO()
    write_to(file, _packed(snapshot, "it"), FORMAT)
    return file.getvalue()


def load(path: Path, trusted: Iterable[Any] = (), most_bytes: int | None = None) -> Any:
    """Read a file; classes and functions that are not ours must be trusted."""
    known = _by_name(trusted)
    return _unpacked(read(path, FORMAT, most_bytes), path, known)


def from_bytes(
    data: bytes, where: object, trusted: Iterable[Any] = (), most_bytes: int | None = None
) -> Any:
    """Read what a file would hold; errors name it by `where`."""
    known = _by_name(trusted)
    return _unpacked(read_from(BytesIO(data), where, FORMAT, most_bytes), where, known)


def _packed(snapshot: Snapshot, path: object) -> Packed:
    try:
        return snapshot.packed()
    except CannotPack as error:
        raise OutputError(path, f"cannot be written: {error}", "save without it") from error


def _unpacked(packed: Packed, path: object, known: dict[str, Any]) -> Any:
    try:
        return unpack(packed, known)
    except NotTrusted as error:
        remedy = "if you trust it: Bandit.load(path, trusted=[that])"
        raise OutputError(path, f"asks for {_short(error.name)}", remedy) from error
    except Refused as error:
        raise damaged(path, str(error)) from error
    except CannotRestore as error:
        remedy = "load it with the versions of the libraries that it was saved with"
        raise OutputError(path, f"cannot be restored: {error}", remedy) from error
    except BandstrapError as error:  # a constructor that refuses the file's values
        raise damaged(path, str(error)) from error
    except ImportError as error:
        raise OutputError(path, f"needs {error.name or error}", "install it") from error
    except Exception as error:  # whatever a file of another shape leads to
        raise damaged(path) from error


def _by_name(trusted: Any) -> dict[str, Any]:
    """Classes and functions by their names in files."""
    remedy = "give a list of classes and functions, such as [MyPolicy]"
    if isinstance(trusted, type) or not hasattr(trusted, "__iter__"):
        raise InvalidInput("trusted", trusted, remedy)
    given = list(trusted)
    for each in given:
        if not hasattr(each, "__qualname__"):
            raise InvalidInput("trusted", each, remedy)
    return {f"{each.__module__}:{each.__qualname__}": each for each in given}


def _short(name: str) -> str:
    shown = name if name.isprintable() else repr(name)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"

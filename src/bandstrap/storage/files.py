"""Writing files, so that there is the old one or the new one, and opening them safely."""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from bandstrap.errors import OutputError

PART = ".part"  # the suffix of unfinished files
STALE = 3600.0  # seconds after which a part is abandoned
PREFIX = 50  # characters of a name in the names of its parts, which may not get too long
KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)


@contextmanager
def replacing(path: Path, remedy: str = "choose another") -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` when the block ends without an error.

    Readers see the old content or the new, also after a kill. Each writer has its own file until
    then, so several may write at once and the last one wins. A link stays a link: its target is
    replaced.
    """
    with _explained(path, "written", remedy):
        target, mode = _target(path, remedy)
        part = target.with_name(f"{target.name[:PREFIX]}.{uuid4().hex}{PART}")
        try:
            with open(part, "xb", opener=partial(_private, mode)) as file:
                if mode is not None:
                    part.chmod(mode)  # the process' umask may have removed some
                yield file
                file.flush()
                os.fsync(file.fileno())
            _tidy(target, part)
            os.replace(part, target)
        finally:
            with suppress(OSError):  # it was renamed, or never made
                part.unlink()
        _sync(target.parent)


def write_text(path: Path, text: str, remedy: str = "choose another") -> None:
    """Write text, so that there is the old file or the new one."""
    content = text.encode()
    with replacing(path, remedy) as file:
        file.write(content)


def write_json(path: Path, value: Any, remedy: str = "choose another") -> None:
    """Write a value as JSON, so that there is the old file or the new one."""
    write_text(path, json_text(value), remedy)


def json_text(value: Any) -> str:
    """A value as the JSON of a file."""
    return json.dumps(json_value(value), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def json_value(value: Any) -> Any:
    """The value as JSON can hold it: numbers that are not finite become null."""
    if isinstance(value, Mapping):
        return {str(key): json_value(each) for key, each in value.items()}
    if isinstance(value, str | Path):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy's
        return json_value(value.tolist())
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, list | tuple):
        return [json_value(each) for each in value]
    return value


def regular(path: Path, remedy: str = "check the path") -> None:
    """Refuse all but regular files: reading a pipe may block, and a device may never end."""
    with _explained(path, "read", remedy):
        _check(path, _mode(path), remedy)


@contextmanager
def reading(path: Path, remedy: str = "check the path") -> Iterator[BinaryIO]:
    """The file, open for reading; refused at once if it is a pipe, a device or a folder."""
    regular(path, remedy)
    with _explained(path, "read", remedy), open(path, "rb", opener=_without_waiting) as file:
        _check(path, os.fstat(file.fileno()).st_mode, remedy)  # it may have been replaced
        yield file


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _target(path: Path, remedy: str) -> tuple[Path, int | None]:
    """Where links lead, and the permissions of the file there, if there is one."""
    with _odd_names():
        target = Path(os.path.realpath(path))
    try:
        mode = _mode(target)
    except FileNotFoundError:
        return target, None
    _check(path, mode, remedy)
    if not os.access(target, os.W_OK):  # a rename would succeed all the same
        raise OutputError(_shown(path), "is read-only", remedy)
    return target, stat.S_IMODE(mode) & 0o777


def _mode(path: Path) -> int:
    """The type of the file and its permissions."""
    with _odd_names():
        return path.stat().st_mode


def _check(path: Path, mode: int, remedy: str) -> None:
    for test, problem in KINDS:
        if test(mode):
            raise OutputError(_shown(path), f"{problem}, not a file", remedy)


def _private(mode: int | None, path: str, flags: int) -> int:
    """Opened with no more permissions than the file that it replaces."""
    return os.open(path, flags, 0o666 if mode is None else mode)


def _tidy(target: Path, part: Path) -> None:
    """Remove what killed writers of the same file left long ago."""
    ours = re.compile(re.escape(target.name[:PREFIX]) + r"\.[0-9a-f]{32}" + re.escape(PART))
    now = part.stat().st_mtime  # by the clock of the machine that holds the folder
    with suppress(OSError):  # another writer tidies too, or the folder cannot be listed
        for left in filter(ours.fullmatch, os.listdir(target.parent)):
            path = target.with_name(left)
            if now - path.stat().st_mtime > STALE:
                path.unlink()


def _sync(folder: Path) -> None:
    """Make the new name survive a power cut, where folders can be synced."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def _odd_names() -> Iterator[None]:
    """Report names with NUL, or that cannot be encoded, like other errors."""
    try:
        yield
    except ValueError as error:
        raise OSError(None, str(error)) from error


@contextmanager
def _explained(path: Path, done: str, remedy: str) -> Iterator[None]:
    """Errors of the system as `OutputError`."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        problem = f"cannot be {done} ({error.strerror or error})"
        raise OutputError(_shown(path), problem, remedy) from error


def _shown(path: Path) -> str:
    """The path as a terminal can show it."""
    text = str(path)
    return text if text.isprintable() else repr(text)

"""Output folders: writable, and locked so that one command at a time writes to them."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile

from bandstrap.errors import OutputError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

NAME = ".lock"
LONGEST = 200  # bytes read of a lock file
BEYOND = 1 << 30  # the byte that Windows locks, past the text: locked bytes cannot be read


def writable(folder: Path) -> Path:
    """The folder, created if it is missing; refused before anything is computed for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder
    except (OSError, ValueError) as error:  # names with NUL are a ValueError
        problem = f"cannot be written ({getattr(error, 'strerror', error)})"
        raise OutputError(folder, problem, "choose another --out") from error


@contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """The folder, created if it is missing, for this process alone until the block ends.

    Two commands in one folder would take each other's unfinished batches for leftovers. The system
    releases the lock of a process that dies.
    """
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    held = _taken(writable(folder) / NAME)
    try:
        yield folder
    finally:
        with suppress(OSError):  # removed while we hold it; Windows keeps open files
            (folder / NAME).unlink()
        os.close(held)
        with suppress(OSError):  # a refused command leaves no empty folders
            for each in made:
                each.rmdir()


def _taken(path: Path) -> int:
    while True:
        held = _opened(path)
        try:
            if not _locks(held):
                remedy = "wait until it is done, end it, or choose another --out"
                raise OutputError(path.parent, f"is in use by {_holder(held)}", remedy)
            if _is(held, path):
                _sign(held)
                return held
        except BaseException:
            os.close(held)
            raise
        os.close(held)  # its holder has removed it since we opened it


def _opened(path: Path) -> int:
    only = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # regular files only
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | only, 0o666)
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise OutputError(path, problem, "delete it, or choose another --out") from error


def _locks(held: int) -> bool:
    """Whether it is ours now; file systems without locks grant every one."""
    try:
        if sys.platform == "win32":
            os.lseek(held, BEYOND, os.SEEK_SET)
            msvcrt.locking(held, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError | PermissionError)
    return True


def _is(held: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(held), path.stat())
    except FileNotFoundError:
        return False


def _sign(held: int) -> None:
    since = f"{datetime.now():%Y-%m-%d %H:%M}"
    os.ftruncate(held, 0)
    os.lseek(held, 0, os.SEEK_SET)
    os.write(held, f"process {os.getpid()} on {socket.gethostname()} since {since}".encode())


def _holder(held: int) -> str:
    os.lseek(held, 0, os.SEEK_SET)
    said = os.read(held, LONGEST).decode(errors="replace")
    return said if said and said.isprintable() else "another process"

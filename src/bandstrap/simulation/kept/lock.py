"""A folder that one command at a time writes to."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from bandstrap.errors import OutputError
from bandstrap.simulation.kept.folder import writable

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

NAME = ".lock"
LONGEST = 200  # bytes of a lock that are read
BEYOND = 1 << 30  # where Windows locks a byte: what is locked there cannot be read


@contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """The folder, made if it is not there, for this process alone as long as the block runs.

    Two commands in one folder would take each other's batches in progress for leftovers. The system
    gives the lock back when a process dies, however it does, so that nothing hinders the next one.
    """
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    held = _taken(writable(folder) / NAME)
    try:
        yield folder
    finally:
        with suppress(OSError):  # removed while it is ours; Windows keeps a file that is open
            (folder / NAME).unlink()
        os.close(held)
        with suppress(OSError):  # a refused command leaves no folder, if nothing was put in there
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
        os.close(held)  # whoever had it has removed it since we opened it


def _opened(path: Path) -> int:
    only = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # nothing but a file
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | only, 0o666)
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise OutputError(path, problem, "delete it, or choose another --out") from error


def _locks(held: int) -> bool:
    """Whether nobody else has it; where a file system knows no locks, nobody has."""
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

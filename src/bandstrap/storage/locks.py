"""A lock on an open file, among processes; the system releases that of a process that dies."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

BEYOND = 1 << 40  # the byte that Windows locks, past any content: locked bytes cannot be read


@contextmanager
def locked(opened: int) -> Iterator[None]:
    """Wait until the file is ours; file systems without locks grant every one."""
    with suppress(OSError):
        _lock(opened)
    try:
        yield
    finally:
        with suppress(OSError):
            _release(opened)


@contextmanager
def locked_if_free(opened: int) -> Iterator[bool]:
    """Whether the file is ours now, without waiting; file systems without locks grant every one."""
    try:
        _lock_at_once(opened)
    except (BlockingIOError, PermissionError):  # somebody else's
        yield False
        return
    except OSError:
        yield True
        return
    try:
        yield True
    finally:
        with suppress(OSError):
            _release(opened)


if sys.platform == "win32":

    def _lock_at_once(opened: int) -> None:
        os.lseek(opened, BEYOND, os.SEEK_SET)
        msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)

    def _lock(opened: int) -> None:
        os.lseek(opened, BEYOND, os.SEEK_SET)
        while True:
            with suppress(PermissionError):  # after ten seconds
                msvcrt.locking(opened, msvcrt.LK_LOCK, 1)
                return

    def _release(opened: int) -> None:
        os.lseek(opened, BEYOND, os.SEEK_SET)
        msvcrt.locking(opened, msvcrt.LK_UNLCK, 1)

else:

    def _lock_at_once(opened: int) -> None:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _lock(opened: int) -> None:
        fcntl.flock(opened, fcntl.LOCK_EX)

    def _release(opened: int) -> None:
        fcntl.flock(opened, fcntl.LOCK_UN)

"""Rewards on disk while the server is away; lines are synced before the call returns."""

import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple

from bandstrap.errors import OutputError
from bandstrap.storage.files import write_text
from bandstrap.storage.locks import locked, locked_if_free
from bandstrap.validation import is_finite

__all__ = ["DAMAGED", "Batch", "Buffer", "Line"]

Line = dict[str, Any]
DAMAGED = "damaged"  # the only field of a line that is no reward
LONGEST = 10_000_000  # bytes of a line
DIGITS = 20  # of a position
REMEDY = "make room or choose another buffer"


class Batch(NamedTuple):
    """Lines from the beginning of a buffer, and where each of them ends."""

    lines: list[Line]
    ends: list[int]


class Buffer:
    """A file of JSON lines. Several threads and processes append to it; one at a time sends it.

    Next to it are `.lock`, `.sending`, `.sent` (the position up to which lines have been sent) and
    `.refused` (lines that the server rejects for good). The file is emptied when all of it has been
    sent. After a crash some lines may be sent again, which is harmless, and none is lost.

    >>> from tempfile import mkdtemp
    >>> buffer = Buffer(Path(mkdtemp()) / "rewards")
    >>> buffer.append([{"id": "a", "reward": 1.0}])
    >>> buffer.waiting()
    1
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._threads = Lock()  # where the file system has no locks
        with self._held():
            self._size()

    def __repr__(self) -> str:
        return f"Buffer({str(self.path)!r})"

    def append(self, lines: Sequence[Line]) -> None:
        """Store lines; when this returns they are on the disk."""
        encoded = [_encoded(line) for line in lines]
        longest = max(map(len, encoded), default=0)
        if longest > LONGEST:
            problem = f"takes lines of up to {LONGEST} bytes, not {longest}"
            raise OutputError(self.path, problem, "send fewer metrics")
        with self._held():
            _write(self.path, self._size(), b"".join(encoded), follow=True)

    def first(self, most: int, most_bytes: int) -> Batch:
        """Some lines that wait, the oldest first."""
        batch = Batch([], [])
        with self._held():
            start = end = self._start()
            if not self.path.exists():
                return batch
            with _reading(self.path) as file:
                file.seek(start)
                for line, length in _lines(file):
                    end += length
                    full = len(batch.lines) == most or end - start > most_bytes
                    if full and batch.lines:
                        break
                    batch.lines.append(_decoded(line))
                    batch.ends.append(end)
        return batch

    def done(self, end: int) -> None:
        """All lines up to `end` need not be sent again."""
        with self._held():
            if end < self._size():
                if self._beside("sent").is_symlink():  # it would be followed
                    raise OutputError(self._beside("sent"), "is a link", REMEDY)
                write_text(self._beside("sent"), str(end), REMEDY)
                return
            # In this order: if we are stopped in between all is sent again, and none is left out.
            with suppress(FileNotFoundError):
                self._beside("sent").unlink()
            _write(self.path, 0, b"", follow=True)

    def refuse(self, lines: Sequence[Line]) -> None:
        """Keep what the server rejects for good, so that nothing is lost."""
        path = self._beside("refused")
        with self._held():
            size = path.stat().st_size if path.exists() else 0
            _write(path, size, b"".join(_encoded(line) for line in lines))

    def waiting(self) -> int:
        """How many lines wait."""
        with self._held():
            if not self.path.exists():
                return 0
            with _reading(self.path) as file:
                file.seek(self._start())
                return sum(1 for _ in _lines(file))

    @contextmanager
    def sending(self) -> Iterator[bool]:
        """Whether it is ours to send; others append meanwhile."""
        with _opened(self._beside("sending")) as file, locked_if_free(file) as ours:
            yield ours

    @contextmanager
    def _held(self) -> Iterator[None]:
        try:
            with self._threads, _opened(self._beside("lock")) as file, locked(file):
                yield
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            problem = f"cannot be used ({error.strerror or error})"
            raise OutputError(self.path, problem, REMEDY) from error

    def _beside(self, what: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{what}")

    def _start(self) -> int:
        """The position up to which lines have been sent; 0 if it is not the start of a line."""
        try:
            with _reading(self._beside("sent"), follow=False) as file:
                start = int(file.read(DIGITS).decode("ascii"))
        except (FileNotFoundError, ValueError):
            return 0
        if not 0 < start <= self._size():
            return 0
        with _reading(self.path) as file:
            file.seek(start - 1)
            return start if file.read(1) == b"\n" else 0

    def _size(self) -> int:
        """Where the last whole line ends; what follows was never acknowledged."""
        if not self.path.exists():
            return 0
        with _reading(self.path) as file:
            size = end = file.seek(0, os.SEEK_END)
            while end:
                begin = max(end - (1 << 16), 0)
                file.seek(begin)
                found = file.read(end - begin).rfind(b"\n")
                if found >= 0:
                    return begin + found + 1
                end = begin
        return 0 if size else size


def _lines(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Whole lines and how long they are; of one that is too long, the beginning."""
    while line := file.readline(LONGEST):
        last, length = line, len(line)
        while not last.endswith(b"\n"):
            last = file.readline(LONGEST)
            if not last:
                return
            length += len(last)
        yield line, length


def _write(path: Path, start: int, data: bytes, follow: bool = False) -> None:
    """These bytes from `start` on, nothing after them, and all of it on the disk; or an error and
    the file as it was."""
    new = not path.exists()
    file = _open(path, os.O_RDWR | os.O_CREAT, follow)
    try:
        os.ftruncate(file, start)
        try:
            os.lseek(file, start, os.SEEK_SET)
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]
            os.fsync(file)
        except BaseException:  # the caller takes it as not written
            os.ftruncate(file, start)
            raise
    finally:
        os.close(file)
    if new:
        _sync(path.parent)


def _sync(folder: Path) -> None:
    """Make a new file's name survive a power cut, where folders can be synced."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    file = _open(path, os.O_RDWR | os.O_CREAT, follow=False)
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def _reading(path: Path, follow: bool = True) -> Iterator[BinaryIO]:
    with os.fdopen(_open(path, os.O_RDONLY, follow), "rb") as file:
        yield file


def _open(path: Path, flags: int, follow: bool) -> int:
    """A regular file; a pipe would block, and a link may lead to somebody else's file."""
    flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    flags |= 0 if follow else getattr(os, "O_NOFOLLOW", 0)
    try:
        file = os.open(path, flags, 0o600)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise OutputError(path, f"cannot be opened ({error.strerror or error})", REMEDY) from error
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OutputError(path, "is not a regular file", REMEDY)
    return file


def _encoded(line: Line) -> bytes:
    return json.dumps(line, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _decoded(line: bytes) -> Line:
    """A reward; or the text of a line that is none."""
    try:
        told = json.loads(line)
        _encoded(told)  # refuses NaN, and numbers that are too large
    except (ValueError, RecursionError):
        told = None
    return told if _is_reward(told) else {DAMAGED: line.decode("latin-1")}


def _is_reward(told: Any) -> bool:
    if not isinstance(told, dict) or not isinstance(told.get("id"), str):
        return False
    metrics = told.get("metrics", {})
    numbers = [told.get("reward"), *(metrics.values() if isinstance(metrics, dict) else [None])]
    return all(is_finite(each) and not isinstance(each, bool) for each in numbers)

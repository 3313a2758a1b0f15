"""Rewards on disk while the server is away: lines that are synced before anybody is told."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from bandstrap.errors import OutputError
from bandstrap.storage.files import write_text
from bandstrap.storage.locks import locked, locked_if_free

__all__ = ["DAMAGED", "Batch", "Buffer", "Line"]

Line = dict[str, Any]
DAMAGED = "damaged"  # the only field of a line that is none
REMEDY = "make room or choose another buffer"


class Batch(NamedTuple):
    """Lines from the beginning of a buffer, and where each of them ends."""

    lines: list[Line]
    ends: list[int]


class Buffer:
    """A file of JSON lines that several threads and processes append to and one at a time sends.

    Beside it lie `.lock`, `.sending`, `.sent` (how far it has been sent) and `.refused`, with what
    the server will never take. Sent lines leave the file when all of it has been sent. After a
    crash lines may be sent again, which does no harm, and none is left out.

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
        data = b"".join(_encoded(line) for line in lines)
        with self._held():
            _write(self.path, self._size(), data)

    def first(self, most: int, most_bytes: int) -> Batch:
        """Some lines that wait, the oldest first."""
        batch = Batch([], [])
        with self._held():
            start = end = self._start()
            if not self.path.exists():
                return batch
            with open(self.path, "rb") as file:
                file.seek(start)
                for line in file:
                    end += len(line)
                    full = len(batch.lines) == most or end - start > most_bytes
                    if not line.endswith(b"\n") or (full and batch.lines):
                        break
                    batch.lines.append(_decoded(line))
                    batch.ends.append(end)
        return batch

    def done(self, end: int) -> None:
        """All lines up to `end` need not be sent again."""
        with self._held():
            if end < self._size():
                write_text(self._beside("sent"), str(end), REMEDY)
                return
            # In this order: if we are stopped in between all is sent again, and none is left out.
            with suppress(FileNotFoundError):
                self._beside("sent").unlink()
            _write(self.path, 0, b"")

    def refuse(self, lines: Sequence[Line]) -> None:
        """Keep what the server will never take, so that nothing is lost."""
        path = self._beside("refused")
        with self._held():
            size = path.stat().st_size if path.exists() else 0
            _write(path, size, b"".join(_encoded(line) for line in lines))

    def waiting(self) -> int:
        """How many lines wait."""
        with self._held():
            if not self.path.exists():
                return 0
            with open(self.path, "rb") as file:
                file.seek(self._start())
                return sum(line.endswith(b"\n") for line in file)

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
        """How far it has been sent."""
        try:
            start = int(self._beside("sent").read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return 0
        return start if start <= self._size() else 0

    def _size(self) -> int:
        """Where the last whole line ends: nobody was told of what is after it."""
        if not self.path.exists():
            return 0
        with open(self.path, "rb") as file:
            size = end = file.seek(0, os.SEEK_END)
            while end:
                begin = max(end - (1 << 16), 0)
                file.seek(begin)
                found = file.read(end - begin).rfind(b"\n")
                if found >= 0:
                    return begin + found + 1
                end = begin
        return 0 if size else size


def _write(path: Path, start: int, data: bytes) -> None:
    """These bytes from `start` on, nothing after them, and all of it on the disk; or an error and
    the file as it was."""
    new = not path.exists()
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.ftruncate(file, start)
        try:
            os.lseek(file, start, os.SEEK_SET)
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]
            os.fsync(file)
        except BaseException:  # the caller will not know that it was written
            os.ftruncate(file, start)
            raise
    finally:
        os.close(file)
    if new:
        _sync(path.parent)


def _sync(folder: Path) -> None:
    """A new file is there after a power cut only if its folder says so; not all systems can."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def _encoded(line: Line) -> bytes:
    return json.dumps(line, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _decoded(line: bytes) -> Line:
    """A line, or what is left of it if somebody has damaged it."""
    try:
        told = json.loads(line)
    except ValueError:
        told = None
    whole = isinstance(told, dict) and {"id", "reward"} <= told.keys()
    return told if whole else {DAMAGED: line.decode("latin-1")}

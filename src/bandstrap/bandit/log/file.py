"""A log in a file of JSON lines, which several processes may append to."""

import json
import os
import stat
import warnings
import weakref
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any, NoReturn, Protocol

from bandstrap.errors import InvalidInput, OutputError
from bandstrap.storage.files import reading, regular
from bandstrap.storage.locks import locked
from bandstrap.validation import require_whole

Record = dict[str, Any]

FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
REMEDY = "make room or choose another log; the bandit goes on where it is"
PIECE = 1 << 16  # bytes read at once, from the end
LONGEST = 1 << 29  # bytes of a line, which may hold a bandit's state


class Log(Protocol):
    """Where a bandit writes what it does. `LogFile` is one; anything with these two methods is."""

    def append(self, records: Sequence[Record]) -> None:
        """Store records, all of them or none; they are stored when this returns."""

    def read(self) -> Iterable[Record]:
        """All records, in the order in which they were appended."""


class LogFile:
    """A log in a file: a JSON object a line, appended and never changed.

    A line is written when the call that it tells of returns, so that killing the process loses
    nothing that was answered. A power cut may: `sync` is after how many appends the file is synced
    to the disk, 1 for each, 0 for never.

    Several bandits, of several processes, may append to one file. The last line of a killed writer
    may be cut off: readers leave it out and say so, and the next writer removes it.

    >>> from tempfile import mkdtemp
    >>> from bandstrap import Bandit, Bootstrap
    >>> log = LogFile(Path(mkdtemp()) / "colours.log", sync=1)
    >>> bandit = Bandit(Bootstrap(), ["red", "green"], seed=1, log=log)
    >>> bandit.learn(bandit.decide(), reward=1.0)
    >>> [record["event"] for record in log.read()]
    ['start', 'decision', 'reward']
    """

    def __init__(self, path: str | Path, sync: int = 0) -> None:
        require_whole(0, sync=sync)
        self.path, self.sync = Path(path), sync
        self._lock = Lock()
        self._since = 0  # appends since the last sync
        self._open()

    def __repr__(self) -> str:
        return f"LogFile({str(self.path)!r}, sync={self.sync})"

    def append(self, records: Sequence[Record]) -> None:
        """Write a line for each record: all of them, or none and an `OutputError`."""
        data = b"".join(map(_line, records))
        with self._lock:
            if self._process != os.getpid():  # a lock is shared with whom the file was opened by
                self._open()
            try:
                with locked(self._file):
                    self._append(data)
            except OSError as error:
                if isinstance(error, OutputError):
                    raise
                problem = f"cannot be written ({error.strerror or error})"
                raise OutputError(self.path, problem, REMEDY) from error

    def read(self) -> Iterator[Record]:
        """All records; a line that is none is an `OutputError` with its number."""
        with reading(self.path) as file:
            number = 0
            while line := file.readline(LONGEST + 1):
                number += 1
                if line.endswith(b"\n"):
                    yield _record(line, self.path, number)
                elif len(line) > LONGEST:
                    raise damaged(self.path, number, f"it is longer than {LONGEST:,} bytes")
                else:
                    self._warn(f"line {number}", "left out")

    def _open(self) -> None:
        try:
            self._file = os.open(self.path, FLAGS, 0o666)
        except (OSError, ValueError) as error:
            problem = f"cannot be written ({getattr(error, 'strerror', None) or error})"
            raise OutputError(repr(str(self.path))[1:-1], problem, "choose another log") from error
        weakref.finalize(self, os.close, self._file)
        self._process = os.getpid()
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            raise OutputError(self.path, "is not a regular file", "choose another log")

    def _append(self, data: bytes) -> None:
        if os.fstat(self._file).st_nlink == 0:
            remedy = "put it back, or start the bandit anew with another log"
            raise OutputError(self.path, "was deleted while a bandit wrote to it", remedy)
        end = self._whole_end()
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(self._file, left) :]
            self._since += 1
            if self.sync and self._since >= self.sync:
                os.fsync(self._file)
                self._since = 0
        except BaseException:  # also an interrupt: the caller will not know that it was written
            os.ftruncate(self._file, end)
            raise

    def _whole_end(self) -> int:
        """Where the last whole line ends; what a killed writer has left after it is removed."""
        size = end = os.lseek(self._file, 0, os.SEEK_END)
        if not size or self._bytes(size - 1, size) == b"\n":
            return size
        while end and (found := self._bytes(max(end - PIECE, 0), end).rfind(b"\n")) < 0:
            end = max(end - PIECE, 0)
        end = max(end - PIECE, 0) + found + 1 if end else 0
        self._warn("the last line", "removed")
        os.ftruncate(self._file, end)
        return end

    def _bytes(self, start: int, end: int) -> bytes:
        os.lseek(self._file, start, os.SEEK_SET)
        return os.read(self._file, end - start)

    def _warn(self, line: str, done: str) -> None:
        why = "its writer was stopped before anybody was told"
        warnings.warn(f"{self.path}: {line} is cut off and {done}: {why}", stacklevel=3)


def as_log(given: Any) -> Log | None:
    """A path as a `LogFile`; a log, or None, as it is."""
    if isinstance(given, str | os.PathLike):
        return LogFile(Path(given))
    if given is None or all(callable(getattr(given, each, None)) for each in ("append", "read")):
        log: Log | None = given
        return log
    remedy = "give a path, LogFile(path, sync=…), or an object with append and read"
    raise InvalidInput("log", given, remedy)


def log_to_read(given: Any) -> Log:
    """A path as a `LogFile`, if there is a file; a log as it is."""
    if isinstance(given, str | os.PathLike):
        regular(Path(given))
    log = as_log(given)
    if log is None:
        raise InvalidInput("log", None, "give a path or a log")
    return log


def _line(record: Record) -> bytes:
    return json.dumps(record, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _record(line: bytes, path: object, number: int) -> Record:
    try:
        return parsed(line)
    except ValueError as error:
        raise damaged(path, number, f"{error}") from error


def parsed(text: bytes) -> Record:
    """An object of JSON with finite numbers, or a `ValueError`."""
    try:
        found = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("it is too deep") from error
    if type(found) is not dict:
        raise ValueError("it is not an object")
    return found


def damaged(path: object, number: int, why: str) -> OutputError:
    """The error for a line that no log has."""
    return OutputError(path, f"line {number} is no record ({why:.200})", "take another copy of it")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if abs(number) == inf:
        raise ValueError(f"{text:.40} is too large")
    return number

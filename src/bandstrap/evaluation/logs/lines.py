"""Objects of JSON, one in a line, with the numbers of their lines."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

from bandstrap.errors import OutputError
from bandstrap.evaluation.logs.faults import counted
from bandstrap.printable import brief
from bandstrap.storage.files import reading

Record = dict[str, Any]

GZIP = b"\x1f\x8b"
LONGEST = 1 << 26  # bytes of a line
NAMED = 3  # bad lines in a note
REMEDY = "correct or remove the line, or allow for some: bad_lines=…"


class Line(NamedTuple):
    """A record and the number of its line."""

    number: int
    record: Record


class BadLine(ValueError):  # noqa: N818 - it is an error only if there are too many
    """An invalid line and the reason."""


# What a record of another shape leads to.
FAULTS = (BadLine, AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)


class Lines:
    """The records of a file of JSON lines.

    Up to `most` bad lines are left out, more are refused. A last line that was cut off, by a copy
    or a kill, is left out; where lines are `whole`, also one that lacks only its end: it was not
    acknowledged. `notes` say so once all lines are read.
    """

    def __init__(self, path: Path, most: int = 0, whole: bool = False) -> None:
        self.path, self.most, self.whole = path, most, whole
        self.bad: list[str] = []
        self.cut = 0  # the number of the line that was cut off

    def __iter__(self) -> Iterator[Line]:
        self.bad, self.cut = [], 0
        with opened(self.path) as file:
            for number, line in _lines(file, self.path):
                if self.whole and not line.endswith(b"\n"):
                    self.cut = number
                    return
                try:
                    record = parsed(line)
                except BadLine as error:
                    if not line.endswith(b"\n"):
                        self.cut = number
                    else:
                        self.refuse(number, f"{error}")
                    continue
                if record is not None:
                    yield Line(number, record)

    def refuse(self, number: int, why: str) -> None:
        """Note a bad line, or refuse the file if there are too many."""
        self.bad.append(f"line {number:,}: {why}")
        if len(self.bad) > self.most:
            problem = f"line {number:,} cannot be read ({brief(why, 200)})"
            if self.most:
                problem += f", nor can {counted(self.most, 'line')} before"
            raise OutputError(self.path, problem, REMEDY)

    @property
    def notes(self) -> list[str]:
        told = []
        if self.bad:
            some = "; ".join(brief(each, 120) for each in self.bad[:NAMED])
            told.append(f"Left out: {counted(len(self.bad), 'bad line')} ({some}).")
        if self.cut:
            told.append(f"Line {self.cut:,}, the last, is cut off and left out.")
        return told


def _lines(file: BinaryIO, path: Path) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        while line := file.readline(LONGEST):
            number += 1
            if len(line) == LONGEST:
                problem = f"line {number:,} is longer than {LONGEST >> 20} megabytes"
                raise OutputError(path, problem, "give a file of JSON, one object in a line")
            yield number, line
    except (EOFError, gzip.BadGzipFile) as error:  # of a compressed file
        problem = f"is damaged after line {number:,} ({error})"
        raise OutputError(path, problem, "take another copy of it") from error


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file, unpacked if it is compressed."""
    with reading(path) as file:
        packed = file.read(2) == GZIP
        file.seek(0)
        if not packed:
            yield file
        else:
            with gzip.open(file) as unpacked:
                yield unpacked  # type: ignore[misc]


def parsed(line: bytes) -> Record | None:
    """The record of a line; None for an empty one."""
    try:
        found = _DECODER.decode(line.decode("utf-8-sig"))
        if b"\\u" in line:
            json.dumps(found, ensure_ascii=False).encode()  # half a letter is none
    except (ValueError, RecursionError) as error:
        if not line.strip():
            return None
        raise BadLine(f"{error}") from error
    if type(found) is not dict:
        raise BadLine("it is not an object")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)

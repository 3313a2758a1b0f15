"""Tables in text files: separator, encoding, header, and the rows in pieces."""

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from bandstrap.errors import InvalidInput, OutputError
from bandstrap.printable import brief

SEPARATORS = ",;\t|"
QUOTED = r'"[^"]*"'
HEAD = 1 << 16  # bytes to guess the format from
BLOCK = 1 << 24  # bytes parsed at once; no row may be longer
ANY_BYTE = "latin-1"  # an encoding in which every byte is a letter
MOST = 1 << 30  # bytes read at most
LONGEST = 1000  # characters in the name of a column or class: some are whole questions
REMEDY = "give a CSV file with a header, a Parquet or an Arrow file"
UNEVEN = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")  # as Arrow says it
FAULTS = (pa.ArrowInvalid, OSError, UnicodeError)
# Byte-order marks, the longest first.
MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
         codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}  # fmt: skip


class NotUnicodeError(Exception):
    """A file that began as UTF-8 is not UTF-8 later on."""


class TextTable:
    """A CSV file, compressed or not. All cells are read as text; types are inferred later."""

    def __init__(self, path: Path, encoding: str | None = None) -> None:
        self.path = path
        head = _head(path)
        self.encoding = encoding or _encoding(head)
        text = head.decode(self.encoding, errors="ignore").strip("\ufeff \t\r\n")
        if not text:
            raise OutputError(path, "is empty", REMEDY)
        # Quoted names may contain separators and newlines.
        first = re.sub(QUOTED, "", text).splitlines() or [""]
        self.separator = max(SEPARATORS, key=first[0].count)
        self._written = self._names()
        self.names = [name.strip() for name in self._written]
        check_names(self.names)
        self.complete = True

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(name, pa.string()) for name in self.names])

    def pieces(self, most: float | None = None) -> Iterator[pa.RecordBatch]:
        """The rows, up to `most` bytes or a little more; MOST bytes if that is None."""
        read, most = 0, MOST if most is None else most
        try:
            with self._open(self._written) as reader:
                for piece in reader:
                    yield pa.RecordBatch.from_arrays(piece.columns, self.names)
                    read += piece.nbytes
                    if read > most:
                        self.complete = False
                        return
        except FAULTS as error:
            if self.encoding == "utf-8" and "invalid UTF8" in str(error):
                raise NotUnicodeError from error
            raise _refused(self.path, error) from error

    def _names(self) -> list[str]:
        """The header, of at least two names."""
        try:
            with self._open([]) as reader:
                names = list(reader.schema.names)
        except FAULTS as error:
            raise _refused(self.path, error) from error
        if len(names) < 2:
            raise OutputError(
                self.path,
                f"is not a table with columns (its first line is {names[0].strip()[:40]!r})",
                "separate columns by commas, semicolons, tabs or |",
            )
        return names

    def _open(self, names: Iterable[str]) -> Any:
        read = pyarrow.csv.ReadOptions(encoding=self.encoding, use_threads=False, block_size=BLOCK)
        convert = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=True,
            null_values=[""],
            quoted_strings_can_be_null=True,
        )
        parse = pyarrow.csv.ParseOptions(delimiter=self.separator, newlines_in_values=True)
        stream = pa.input_stream(str(self.path), compression="detect")
        return pyarrow.csv.open_csv(stream, read, parse, convert)


def check_names(names: list[str]) -> None:
    """Names are unique and not too long."""
    for name in names:
        if len(name) > LONGEST:
            remedy = f"{len(name):,} characters are too many for a name; give at most {LONGEST:,}"
            raise InvalidInput("column", name, remedy)
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise InvalidInput("column", name, f"{count} columns have this name; rename them")


def _head(path: Path) -> bytes:
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            head = bytes(stream.read(HEAD))
    except (OSError, pa.ArrowException) as error:
        raise OutputError(path, f"cannot be read ({_brief(error)})", REMEDY) from error
    if head[:4] == b"PK\3\4":
        raise OutputError(path, "is a zip archive or a workbook", "unpack it, or export it as CSV")
    if b"\0" in head and _marked(head) is None:
        remedy = f"{REMEDY}; save text as UTF-8"
        raise OutputError(path, "is not a text, Parquet or Arrow file", remedy)
    return head


def _marked(head: bytes) -> str | None:
    return next((name for mark, name in MARKS.items() if head.startswith(mark)), None)


def _encoding(head: bytes) -> str:
    """From its byte-order mark; else UTF-8 if it can be."""
    if (marked := _marked(head)) is not None:
        return marked
    try:
        head[: len(head) - 4].decode("utf-8") if len(head) == HEAD else head.decode("utf-8")
    except UnicodeDecodeError as error:
        cut = len(head) == HEAD and error.start > len(head) - 8
        return "utf-8" if cut else ANY_BYTE
    return "utf-8"


def _refused(path: Path, error: Exception) -> OutputError:
    """Our words where Arrow's are about its internals."""
    message = str(error)
    if "Empty CSV" in message:
        return OutputError(path, "has a header but no rows", "add rows below it")
    if "straddling" in message:
        problem = f"has a row of more than {BLOCK >> 20} megabytes, or an unclosed quote"
        return OutputError(path, problem, "fix or remove that row")
    if uneven := UNEVEN.search(message):
        line, expected, found = uneven.groups()
        problem = f"is not a table: line {line} has {found} columns, the header {expected}"
        return OutputError(path, problem, "correct or remove that line")
    return OutputError(path, f"is not a table ({_brief(error)})", REMEDY)


def _brief(error: Exception) -> str:
    text = "".join(each if each.isprintable() else " " for each in str(error))
    return brief(" ".join(text.split()), 120)

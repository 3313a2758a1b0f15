"""Records on their way to a table: columns are known only when all of them have been read."""

import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.ipc

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.logs.spill import Spill, explained
from bandstrap.tables.source import Rows

ROWS = 1 << 13  # of a piece
MOST = 5000  # columns
LINE = "#line"  # the column of line numbers; no JSON has such a name here
NUMBERS = pa.list_(pa.float64())


class Stage:
    """Collects flat records and gives them back as the rows of a table.

    `types` are those of columns that must not be guessed. All others hold numbers if all of their
    values are, else text. Pieces are kept in memory as long as the spill has room.
    """

    def __init__(self, spill: Spill, types: Mapping[str, Any]) -> None:
        self._spill = spill
        self.types: dict[str, Any] = {**types}
        self._fixed = frozenset(types)
        self._waiting: list[dict[str, Any]] = []
        self._pieces: list[Callable[[], pa.RecordBatch]] = []
        self._file: BinaryIO | None = None
        self.rows = 0

    def append(self, record: dict[str, Any]) -> None:
        self._waiting.append(record)
        self.rows += 1
        if len(self._waiting) == ROWS:
            self._flush()

    def table(self) -> Rows:
        """All rows, with all columns that any of them has."""
        self._flush()
        schema = pa.schema([*self.types.items()])
        return Rows(schema, lambda: self._read(schema))

    def _read(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        for piece in self._pieces:
            batch = piece()
            columns = [_as(batch, name, kind) for name, kind in self.types.items()]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def _flush(self) -> None:
        if not self._waiting:
            return
        rows, self._waiting = self._waiting, []
        names = dict.fromkeys(chain.from_iterable(rows))
        batch = pa.RecordBatch.from_pydict(
            {name: self._column(name, [row.get(name) for row in rows]) for name in names}
        )
        if len(self.types) > MOST:
            remedy = f"more than {MOST:,} features cannot be columns; keep fewer"
            raise InvalidInput("log", f"{len(self.types):,} columns", remedy)
        self._keep(batch)

    def _column(self, name: str, values: list[Any]) -> pa.Array:
        if name in self._fixed:
            return pa.array(values, self.types[name])
        text = any(type(value) is str for value in values)
        if text or self.types.get(name) == pa.string():
            self.types[name] = pa.string()
            return pa.array([None if each is None else _word(each) for each in values], pa.string())
        self.types.setdefault(name, pa.float64())
        return pa.array(values, pa.float64())

    def _keep(self, batch: pa.RecordBatch) -> None:
        self._spill.used += batch.nbytes
        if self._spill.used <= self._spill.limit:
            self._pieces.append(lambda: batch)
            return
        self._spill.used -= batch.nbytes
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        self._pieces.append(self._stored(memoryview(sink.getvalue())))

    def _stored(self, data: memoryview) -> Callable[[], pa.RecordBatch]:
        with explained():
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the stage
                weakref.finalize(self, self._file.close)
            file = self._file
            start = file.seek(0, 2)
            file.write(data)
        size = len(data)

        def load() -> pa.RecordBatch:
            file.seek(start)
            return pa.ipc.open_stream(file.read(size)).read_next_batch()

        return load


def _as(batch: pa.RecordBatch, name: str, kind: Any) -> pa.Array:
    """A column of a piece in the type that it has in the whole table."""
    if name not in batch.schema.names:
        return pa.nulls(batch.num_rows, kind)
    column = batch.column(name)
    if column.type == kind:
        return column
    return pa.array([None if each is None else _word(each) for each in column.to_pylist()], kind)


def _word(value: Any) -> str:
    """A value among text: whole numbers without a decimal point."""
    whole = type(value) is float and value.is_integer()
    return str(int(value)) if whole else str(value)


def flattened(value: Any, name: str, found: dict[str, Any]) -> None:
    """The numbers and words inside of a value, each under its path, as in user.age.

    True and false are 1 and 0; what is null is left out.
    """
    kind = type(value)
    if kind is str or kind is float:
        found[name] = value
    elif kind is int or kind is bool:
        found[name] = float(value)
    elif kind is dict:
        for key, each in value.items():
            if not key.startswith("_"):
                flattened(each, f"{name}.{key}" if name else key, found)
    elif kind is list:
        _flattened_list(value, name, found)


def _flattened_list(values: list[Any], name: str, found: dict[str, Any]) -> None:
    """Objects in a list are parts of one, words are features, and numbers have their places."""
    for place, each in enumerate(values):
        if type(each) is dict:
            flattened(each, name, found)
        elif type(each) is str:
            found[f"{name}.{each}"] = 1.0
        else:
            flattened(each, f"{name}.{place}", found)

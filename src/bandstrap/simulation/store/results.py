"""Results in a folder: the tidy tables of traces, with their provenance.

What was played before is read, not played again.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bandstrap.arrays import Array
from bandstrap.errors import OutputError
from bandstrap.simulation.store.checkpoint import FORMAT, Checkpoint
from bandstrap.simulation.store.folder import writable
from bandstrap.simulation.store.tables import (
    DIGEST,
    REMEDY,
    damaged,
    digest_of,
    facts_of,
    read_table,
    write_table,
)
from bandstrap.simulation.trace import CELL, RESULTS, TIMINGS, Trace
from bandstrap.version import __version__

PROVENANCE = b"bandstrap"  # the key of what a results file was made from
RESULTS_DIGEST = b"bandstrap-results"  # the key, in a timings file, of the results it belongs to


@dataclass(frozen=True)
class Results:
    """`results.parquet` and, beside it, `timings.parquet`."""

    folder: Path

    @property
    def table(self) -> Path:
        return self.folder / "results.parquet"

    @property
    def timings(self) -> Path:
        return self.folder / "timings.parquet"

    def load(self) -> list[Trace]:
        """The stored traces, whatever their provenance."""
        results, timings = read_table(self.table), read_table(self.timings)
        if not _belong(timings.schema.metadata, results.schema.metadata):
            raise OutputError(self.timings, "belongs to other results", REMEDY)
        try:
            return traces_from(results, timings)
        except ValueError as error:
            raise damaged(self.table, f"({error})") from error

    def stored(self, provenance: bytes) -> list[Trace] | None:
        """The traces of an earlier call, if it finished and has this provenance."""
        if not (self.table.exists() and self.timings.exists()):
            return None
        results, timings = facts_of(self.table), facts_of(self.timings)
        same = results.get(PROVENANCE) == provenance and _belong(timings, results)
        return self.load() if same and DIGEST in results and DIGEST in timings else None

    def keep(self, traces: list[Trace], provenance: bytes) -> None:
        """Write both tables, the results last: if they exist, all is written."""
        table = pa.concat_tables([trace.table() for trace in traces])
        results = table.replace_schema_metadata({PROVENANCE: provenance})
        timings = pa.concat_tables([trace.timings() for trace in traces])
        belongs = {RESULTS_DIGEST: digest_of(results)}
        write_table(timings.replace_schema_metadata(belongs), self.timings)
        write_table(results, self.table)


class Store:
    """The results of one call in `out / name`, and in `out / "batches"` those that calls share."""

    def __init__(self, out: Path, name: str = "") -> None:
        self.folder = writable(out / name)
        self.checkpoint = Checkpoint(out / "batches")

    def traces(
        self, facts: dict[str, Any], play: Callable[[], list[Trace]], reusable: bool = True
    ) -> list[Trace]:
        """The results of an earlier call with the same facts, else those of `play`, saved.

        Facts are all that results depend on, besides our version, and nothing that varies from
        machine to machine. If they cannot be complete, results are not `reusable`.
        """
        stated = {**facts, "version": __version__, "format": FORMAT}
        provenance = json.dumps(stated, sort_keys=True).encode()
        results = Results(self.folder)
        traces = results.stored(provenance) if reusable else None
        if traces is None:
            traces = play()
            results.keep(traces, provenance)
        self.checkpoint.tidy()
        return traces


def traces_from(results: pa.Table, timings: pa.Table) -> list[Trace]:
    """Traces from their tidy tables; a ValueError says what is wrong with these."""
    _check_columns(results, RESULTS)
    _check_columns(timings, TIMINGS)
    cells = _cells(results)
    if not cells or cells != _cells(timings):
        raise ValueError("results and timings are of different cells")
    return [_trace(cell, _rows(results, cell), _rows(timings, cell)) for cell in cells]


def _belong(timings: dict[bytes, bytes] | None, results: dict[bytes, bytes] | None) -> bool:
    """Whether timings are those of these results: a kill may come between the two files."""
    said = (timings or {}).get(RESULTS_DIGEST)
    return said is None or said == (results or {}).get(DIGEST)


def _check_columns(table: pa.Table, schema: pa.Schema) -> None:
    """Rounds and decisions are integers, or floats where horizons exceed all integers."""
    if table.column_names != schema.names:
        raise ValueError(f"its columns are not {', '.join(schema.names)}")
    for field in schema:
        types = {field.type} | ({pa.float64()} if field.name in ("round", "decisions") else set())
        if table.schema.field(field.name).type not in types:
            raise ValueError(f"{field.name} is not {field.type}")


def _cells(table: pa.Table) -> list[dict[str, str]]:
    """In the order of their first rows, which Arrow's groups do not always have."""
    if not len(table):
        return []
    differ: Callable[..., pa.ChunkedArray] = pc.not_equal
    begins = np.ones(len(table), dtype=bool)
    begins[1:] = np.any(
        [_filled(differ(table[name][1:], table[name][:-1])) for name in CELL], axis=0
    )
    rows = table.select(CELL).filter(pa.array(begins)).to_pylist()
    return [dict(cell) for cell in dict.fromkeys(tuple(row.items()) for row in rows)]


def _filled(changes: pa.ChunkedArray) -> Array:
    """Missing names are refused elsewhere."""
    return np.asarray(changes.fill_null(True))


def _trace(cell: dict[str, str], part: pa.Table, times: pa.Table) -> Trace:
    """One cell: the same rounds for each run, in order."""
    rounds = times["round"].to_numpy()
    runs = len(part) // len(rounds)
    complete = (
        np.array_equal(part["run"], np.repeat(np.arange(runs), rounds.size))
        and np.array_equal(part["round"], np.tile(rounds, runs))
        and np.array_equal(times["decisions"], rounds * runs)
        and (np.diff(rounds, prepend=0) > 0).all()
    )
    if not complete:
        raise ValueError(f"{' '.join(cell.values())!r} is not complete")
    return Trace(
        **cell,
        rounds=rounds,
        regret=part["regret"].to_numpy().reshape(runs, rounds.size),
        reward=part["reward"].to_numpy().reshape(runs, rounds.size),
        seconds=np.asarray(times["seconds"].to_numpy()),
    )


def _rows(table: pa.Table, cell: dict[str, str]) -> pa.Table:
    equal: Callable[..., pa.ChunkedArray] = pc.equal
    return table.filter(reduce(pc.and_, (equal(table[name], cell[name]) for name in CELL)))

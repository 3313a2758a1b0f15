"""Results in a folder: the tidy tables of traces, and what they were made from."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bandstrap.simulation.trace import Trace, read_table, write_table

PROVENANCE = b"bandstrap"  # the key under which a results file says what it holds


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
        """The traces that are there, whatever they were made from."""
        return traces_from(read_table(self.table), read_table(self.timings))

    def stored(self, provenance: bytes) -> list[Trace] | None:
        """The traces of an earlier call, if it finished and was made from the same."""
        if not (self.table.exists() and self.timings.exists()):
            return None
        metadata = read_table(self.table).schema.metadata or {}
        return self.load() if metadata.get(PROVENANCE) == provenance else None

    def keep(self, traces: list[Trace], provenance: bytes) -> None:
        """Write both tables, the results last: where they are, everything is."""
        write_table(pa.concat_tables([trace.timings() for trace in traces]), self.timings)
        table = pa.concat_tables([trace.table() for trace in traces])
        write_table(table.replace_schema_metadata({PROVENANCE: provenance}), self.table)


def traces_from(results: pa.Table, timings: pa.Table) -> list[Trace]:
    """Traces back from their tidy tables."""
    traces = []
    names = ["experiment", "environment", "policy"]
    for cell in results.select(names).group_by(names, use_threads=False).aggregate([]).to_pylist():
        part, times = _rows(results, cell), _rows(timings, cell)
        rounds = times["round"].to_numpy()
        shape = (-1, rounds.size)
        traces.append(
            Trace(
                **cell,
                rounds=rounds,
                regret=part["regret"].to_numpy().reshape(shape),
                reward=part["reward"].to_numpy().reshape(shape),
                seconds=np.asarray(times["seconds"].to_numpy()),
            )
        )
    return traces


def _rows(table: pa.Table, cell: dict[str, str]) -> pa.Table:
    mask: Callable[..., pa.ChunkedArray] = pc.equal
    keep = pc.and_(
        pc.and_(
            mask(table["experiment"], cell["experiment"]), mask(table["policy"], cell["policy"])
        ),
        mask(table["environment"], cell["environment"]),
    )
    return table.filter(keep)

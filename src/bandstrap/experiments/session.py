"""Running experiments into a directory, so that what is done is never done again."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bandstrap.errors import OutputError
from bandstrap.experiments.base import Claim, Experiment, Settings
from bandstrap.simulation import Runner, Trace
from bandstrap.simulation.checkpoint import FORMAT, Checkpoint
from bandstrap.simulation.engines import Engine
from bandstrap.simulation.progress import ProgressLike
from bandstrap.simulation.trace import read_table, write_table
from bandstrap.version import __version__

PROVENANCE = b"bandstrap"  # the key under which a results file says what it holds


@dataclass(frozen=True)
class Session:
    """Experiments run with one seed into one directory."""

    out: Path
    settings: Settings
    seed: int = 0
    workers: int = 1
    engine: Engine | None = None  # processes of this machine, `workers` of them, if not given

    def run(self, experiment: Experiment, progress: ProgressLike) -> list[Claim]:
        """Run an experiment, or read what an earlier call left; draw and check it.

        Finished batches are kept: a later call with other policies plays only what is new.
        """
        directory = self.out / experiment.name
        checkpoint = Checkpoint(directory / "batches")
        results = directory / "results.parquet"
        provenance = self._provenance(experiment)
        traces = _stored(results, directory / "timings.parquet", provenance)
        if traces is None:
            runner = Runner(self.seed, self.workers, checkpoint, progress, engine=self.engine)
            traces = experiment.run(self.settings, runner)
            timings = pa.concat_tables([trace.timings() for trace in traces])
            write_table(timings, directory / "timings.parquet")
            table = pa.concat_tables([trace.table() for trace in traces])
            write_table(table.replace_schema_metadata({PROVENANCE: provenance}), results)
        experiment.plot(self.settings, traces, directory / "plot.png")
        claims = experiment.check(self.settings, traces)
        checkpoint.tidy()
        return claims

    def write_claims(self, claims: list[Claim]) -> None:
        """Write the claims as one JSON list."""
        text = json.dumps([claim.as_dict() for claim in claims], ensure_ascii=False, indent=2)
        try:
            (self.out / "claims.json").write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise OutputError(
                self.out, f"cannot be written ({error.strerror})", "choose another --out"
            ) from error

    def _provenance(self, experiment: Experiment) -> bytes:
        """Everything the results depend on, and nothing that varies from machine to machine."""
        facts = {
            "experiment": experiment.name,
            "seed": self.seed,
            "settings": asdict(self.settings),
            "version": __version__,
            "format": FORMAT,
        }
        return json.dumps(facts, sort_keys=True).encode()


def _stored(results: Path, timings: Path, provenance: bytes) -> list[Trace] | None:
    """The traces of an earlier call with the same settings, if it finished."""
    if not (results.exists() and timings.exists()):
        return None
    table = read_table(results)
    if (table.schema.metadata or {}).get(PROVENANCE) != provenance:
        return None
    return traces_from(table, read_table(timings))


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

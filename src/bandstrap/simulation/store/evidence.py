"""Results of long runs that a repository keeps, with their sources, so that others can go on.

A kept run counts as long as its first rounds, played again, come out the same: code changes in many
ways that do not matter, and a version number would not tell them from one that does.
"""

import json
import os
import platform
import shlex
import subprocess
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from itertools import count, takewhile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bandstrap.arrays import Array
from bandstrap.simulation.batch import Batch, BatchResult, recorded_rounds, run_batch
from bandstrap.simulation.store.checkpoint import BatchKey
from bandstrap.simulation.store.tables import damaged, read_table, write_table
from bandstrap.simulation.trace import Trace
from bandstrap.version import __version__

SOURCES = b"bandstrap-sources"  # the key of where each run came from
REPLAYED = 30  # rounds that are played again
_TEXT, _WHOLE, _REAL = pa.string(), pa.int64(), pa.float64()
COLUMNS = pa.schema(
    [
        *(("batch", _TEXT), ("seed", _WHOLE), ("run", _WHOLE), ("horizon", _WHOLE)),
        *(("round", _WHOLE), ("regret", _REAL), ("reward", _REAL), ("seconds", _REAL)),
    ]
)


@dataclass(frozen=True)
class Source:
    """Where a run came from; the tree outlives commits that are made again, as by a rebase."""

    command: str
    commit: str
    date: str
    machine: str
    tree: str = ""  # of src/bandstrap, as git names it; early runs lack it

    @classmethod
    def here(cls, command: str) -> "Source":
        """This code on this machine, today."""
        today = f"{datetime.now(UTC):%Y-%m-%d}"
        return cls(anywhere(command), commit(), today, machine(), tree())


def anywhere(command: str) -> str:
    """A command that others can repeat: files and folders by name, not by their place here.

    >>> anywhere("bandstrap reproduce runtime --out /home/me/runs --kept evidence/runs")
    'bandstrap reproduce runtime --out runs --kept evidence/runs'
    """
    words = shlex.split(command)
    return shlex.join(Path(word).name if os.path.isabs(word) else word for word in words)


@cache
def commit() -> str:
    """The commit of this code, or the version if it is not in a repository."""
    return _named("HEAD") or f"bandstrap {__version__}"


@cache
def tree() -> str:
    """The name of what that commit has in src/bandstrap; empty if it is not in a repository."""
    return _named("HEAD:src/bandstrap")


def _named(what: str) -> str:
    """Git's name of an object, empty if there is none."""
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=10", what]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()


@cache
def machine() -> str:
    """The processor, how many cores it has, and the system."""
    cores = os.cpu_count() or 1
    return f"{_processor()}, {cores} core{'s' * (cores > 1)}, {platform.system()}"


def _processor() -> str:
    """The processor's name; Linux keeps it in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@dataclass(frozen=True)
class KeptRun:
    """One run of a policy, up to its horizon."""

    batch: str  # the name of its `BatchKey`, a digest of all that it depends on
    seed: int
    run: int
    horizon: int
    result: BatchResult
    source: Source

    @property
    def rounds(self) -> Array:
        return recorded_rounds(self.horizon)

    def table(self) -> pa.Table:
        """A row for each recorded round."""
        size = self.rounds.size
        same = [pa.repeat(pa.scalar(it), size) for it in self._names]
        kept = self.result
        return pa.table([*same, self.rounds, kept.regret[0], kept.reward[0], kept.seconds], COLUMNS)

    @property
    def _names(self) -> tuple[str, int, int, int]:
        return self.batch, self.seed, self.run, self.horizon


class Evidence:
    """Runs with contexts, in `folder / environment / policy.parquet`.

    With a `source` runs are added, by one command at a time. Files of different policies come
    together by copying.
    """

    def __init__(self, folder: Path, source: Source | None = None) -> None:
        self.folder, self.source = folder, source
        self._holds: dict[tuple[Path, str], bool] = {}  # by file and commit

    def result(self, policy: str, batch: Batch, key: BatchKey) -> BatchResult | None:
        """The kept result of a batch, if there is one that still holds."""
        path = self._path(batch.environment.name, policy)
        found = next((each for each in self._runs(path) if each.batch == key.name), None)
        return None if found is None or not self._checked(path, batch, found) else found.result

    def keep(self, policy: str, batch: Batch, key: BatchKey, result: BatchResult) -> None:
        """Add a run, or replace one that no longer holds."""
        # Runs without contexts play in minutes, and are many.
        if self.source is None or not batch.environment.contextual:
            return
        path = self._path(batch.environment.name, policy)
        earlier = self._runs(path)
        known = next((each.result for each in earlier if each.batch == key.name), None)
        if known is not None and _same(known, result):
            return
        run = KeptRun(key.name, batch.seed, batch.index, batch.horizon, result, self.source)
        _write(path, [run, *(each for each in earlier if each.batch != key.name)])

    def environments(self) -> list[str]:
        """The names of environments of which runs are kept."""
        return sorted({path.parent.name for path in self.folder.glob("*/*.parquet")})

    def runs(self, environment: str) -> dict[str, list[KeptRun]]:
        """By policy: its runs, by horizon and number."""
        paths = sorted((self.folder / environment).glob("*.parquet"))
        return {path.name.removesuffix(".parquet"): self._runs(path) for path in paths}

    def traces(self, experiment: str, environment: str, seed: int = 0) -> list[Trace]:
        """A trace for each policy: of the runs that have the most rounds.

        More runs that are shorter do not hide them: `shorter` has those.
        """
        traces = []
        for policy, runs in self.runs(environment).items():
            longest = _first_runs(runs, seed, max((each.horizon for each in runs), default=0))
            if longest:
                results = [each.result for each in longest]
                names = experiment, environment, policy
                traces.append(Trace.join(*names, longest[0].horizon, results))
        return traces

    def shorter(self, experiment: str, environment: str, seed: int = 0) -> list[Trace]:
        """Traces over fewer rounds where these have more runs.

        A run's first rounds are those of a shorter run, so that longer ones count too.
        """
        return [
            _up_to(horizon, some, (experiment, environment, policy))
            for policy, runs in self.runs(environment).items()
            for horizon, some in _shorter(runs, seed)
        ]

    def _path(self, environment: str, policy: str) -> Path:
        return self.folder / environment / f"{policy}.parquet"

    def _runs(self, path: Path) -> list[KeptRun]:
        return list(_read(path)) if path.exists() else []

    def _checked(self, path: Path, batch: Batch, kept: KeptRun) -> bool:
        """Whether the runs of one file and one commit still hold, by the first that is needed."""
        place = path, kept.source.commit
        if place not in self._holds:
            self._holds[place] = _plays_the_same(batch, kept.result)
            if not self._holds[place]:
                warnings.warn(
                    f"{path.stem} of commit {kept.source.commit} no longer plays what was kept: "
                    "its runs are played again",
                    stacklevel=2,
                )
        return self._holds[place]


def _shorter(runs: Iterable[KeptRun], seed: int) -> Iterator[tuple[int, list[KeptRun]]]:
    """Horizons with the runs of at least as many rounds, where there are more of these."""
    known = sorted((each for each in runs if each.seed == seed), key=lambda each: each.horizon)
    horizons = sorted({each.horizon for each in known}, reverse=True)
    most = len(_first_runs(known, seed, horizons[0])) if horizons else 0
    for horizon in horizons[1:]:
        found = {each.run: each for each in known if each.horizon >= horizon}
        first = [found[run] for run in takewhile(found.__contains__, count())]
        if len(first) > most:
            yield horizon, first
            most = len(first)


def _up_to(horizon: int, runs: list[KeptRun], names: tuple[str, str, str]) -> Trace:
    """A trace of the rounds up to the horizon that all of the runs have recorded."""
    rounds = recorded_rounds(horizon)
    for each in runs:
        rounds = np.intersect1d(rounds, each.rounds)
    parts = [_at(each, rounds) for each in runs]
    regret, reward = (np.stack([part[i] for part in parts]) for i in range(2))
    return Trace(*names, rounds, regret, reward, np.sum([part[2] for part in parts], axis=0))


def _at(run: KeptRun, rounds: Array) -> tuple[Array, Array, Array]:
    """Regret, reward and seconds at some of a run's recorded rounds."""
    places = np.searchsorted(run.rounds, rounds)
    return run.result.regret[0, places], run.result.reward[0, places], run.result.seconds[places]


def _first_runs(runs: Iterable[KeptRun], seed: int, horizon: int) -> list[KeptRun]:
    """The runs 0, 1, 2 … up to the first that is missing: policies are compared run by run."""
    found = {each.run: each for each in runs if (each.seed, each.horizon) == (seed, horizon)}
    return [found[run] for run in takewhile(found.__contains__, count())]


def _plays_the_same(batch: Batch, kept: BatchResult) -> bool:
    """Whether the first rounds of a batch come out as they were kept."""
    rounds = min(REPLAYED, batch.horizon)
    again = run_batch(replace(batch, horizon=rounds))
    points, known = recorded_rounds(rounds), recorded_rounds(batch.horizon)
    both, mine, theirs = np.intersect1d(points, known, return_indices=True)
    pairs = ((again.regret, kept.regret), (again.reward, kept.reward))
    return bool(both.size) and all(
        np.array_equal(own[:, mine], other[:, theirs]) for own, other in pairs
    )


def _same(one: BatchResult, other: BatchResult) -> bool:
    """Whether two results are equal but for the time they took."""
    return np.array_equal(one.regret, other.regret) and np.array_equal(one.reward, other.reward)


def _write(path: Path, runs: Iterable[KeptRun]) -> None:
    ordered = sorted(runs, key=lambda each: (each.seed, each.horizon, each.run))
    sources = {each.batch: asdict(each.source) for each in ordered}
    table = pa.concat_tables([each.table() for each in ordered])
    facts = {SOURCES: json.dumps(sources, sort_keys=True).encode()}
    write_table(table.replace_schema_metadata(facts), path)


def _read(path: Path) -> Iterator[KeptRun]:
    table = read_table(path)
    if table.schema.remove_metadata() != COLUMNS:
        raise damaged(path, f"(its columns are not {', '.join(COLUMNS.names)})")
    try:
        sources = json.loads(table.schema.metadata[SOURCES])
        for name in table["batch"].unique().to_pylist():
            yield _run(table.filter(pc.equal(table["batch"], name)), Source(**sources[name]))
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, f"({error})") from error


def _run(rows: pa.Table, source: Source) -> KeptRun:
    first = rows.slice(0, 1).to_pylist()[0]
    regret, reward, seconds = (rows[name].to_numpy() for name in ("regret", "reward", "seconds"))
    result = BatchResult(regret[None], reward[None], seconds)
    run = KeptRun(first["batch"], first["seed"], first["run"], first["horizon"], result, source)
    if not np.array_equal(rows["round"].to_numpy(), run.rounds):
        raise ValueError(f"run {run.run} is not complete")
    return run

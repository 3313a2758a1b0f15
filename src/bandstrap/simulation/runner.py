"""Batches played on one core or many, in any order, with the same result."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, overload

from joblib import delayed, parallel_config

from bandstrap.environments import Environment
from bandstrap.environments.rules import check_rounds
from bandstrap.errors import InvalidInput
from bandstrap.models.cost import no_cost_warnings
from bandstrap.policies import Policy
from bandstrap.policies.registry import stream
from bandstrap.printable import called
from bandstrap.simulation.batch import Batch, BatchResult, Play, Watch, run_batch
from bandstrap.simulation.engines import Engine, Local
from bandstrap.simulation.interrupts import played
from bandstrap.simulation.progress import Bar, Board, ProgressLike, Quiet, RoundCounter
from bandstrap.simulation.sending import Sent
from bandstrap.simulation.store.checkpoint import Checkpoint, Slot
from bandstrap.simulation.store.evidence import Evidence
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete
from bandstrap.simulation.trace import Trace
from bandstrap.storage.packing import CannotPack
from bandstrap.version import __version__

BATCH = 500  # runs: enough to make a round's fixed costs small, few enough to share the work
SAVE_EVERY = 30.0  # seconds between two saves of a batch in progress
SHOW_EVERY = 0.2  # seconds between two updates of progress
SHARE = 20  # saving takes at most one part in this many of the time


@dataclass(frozen=True)
class Cell:
    """One curve of a figure: a policy in an environment, by name.

    >>> from bandstrap import UCB1
    >>> from bandstrap.environments import Bernoulli
    >>> cell = Cell("mine", "bernoulli", "ucb1", Bernoulli(n_arms=2), UCB1(), 20, runs=1200)
    >>> [batch.runs for batch in cell.batches(seed=0)]
    [500, 500, 200]
    """

    experiment: str
    environment_name: str
    policy_name: str
    environment: Environment
    policy: Policy[Any]
    horizon: int
    runs: int

    def batches(self, seed: int) -> list[Batch]:
        """The cell cut into batches, always in the same way."""
        world, label = self.environment.stream, stream(self.policy_name)
        # With contexts a round costs the same for each run, so every run is a batch of its own.
        most = 1 if self.environment.contextual else BATCH
        sizes = [min(most, self.runs - start) for start in range(0, self.runs, most)]
        return [
            Batch(self.policy, self.environment, self.horizon, size, seed, world, label, index)
            for index, size in enumerate(sizes)
        ]


class Job(NamedTuple):
    """A batch of the cell at place `cell`, and its files."""

    cell: int
    batch: Batch
    slot: Slot | None

    @property
    def place(self) -> tuple[int, int]:
        return self.cell, self.batch.index

    @property
    def rounds(self) -> int:
        return self.batch.horizon * self.batch.runs

    def shown(self, mark: Path | None) -> Slot | None:
        """The slot as workers get it."""
        return self.slot.shown(mark) if self.slot and mark else None


@dataclass
class Runner:
    """Plays cells on an engine, by default `Local(workers)`.

    With a `checkpoint` it saves finished batches there and, every `save_every` seconds, batches in
    progress on workers that see its directory; batches kept as `evidence` are not played again.

    >>> from bandstrap import UCB1
    >>> from bandstrap.environments import Bernoulli
    >>> cell = Cell("mine", "bernoulli", "ucb1", Bernoulli(n_arms=2), UCB1(), 20, runs=3)
    >>> [trace] = Runner(seed=1).run([cell])
    >>> trace.policy, trace.runs
    ('ucb1', 3)
    """

    seed: int = 0
    workers: int = 1
    checkpoint: Checkpoint | None = None
    progress: ProgressLike = field(default_factory=Quiet)
    save_every: float = SAVE_EVERY
    engine: Engine | None = None
    evidence: Evidence | None = None

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise InvalidInput("workers", self.workers, "give at least one worker")
        if self.seed < 0:
            raise InvalidInput("seed", self.seed, "give 0 or more")
        if not self.save_every >= 0:
            raise InvalidInput("save_every", self.save_every, "give a number of seconds")

    def run(self, cells: list[Cell]) -> list[Trace]:
        """Play all cells; traces do not depend on the workers or their order."""
        jobs = [
            Job(i, batch, self.checkpoint.slot(batch) if self.checkpoint else None)
            for i, cell in enumerate(cells)
            for batch in cell.batches(self.seed)
        ]
        self.progress.add(sum(job.rounds for job in jobs))
        results: dict[tuple[int, int], BatchResult] = {}
        missing = []
        for job in jobs:
            found = self._known(cells[job.cell], job)
            if found is None:
                missing.append(job)
            else:
                results[job.place] = found
                self.progress.done(job.rounds)
        for job, result in self._play(missing):
            if job.slot:
                job.slot.save(result)
                self._keep(cells[job.cell], job.batch, job.slot, result)
            results[job.place] = result
        return [
            Trace.join(
                cell.experiment,
                cell.environment_name,
                cell.policy_name,
                cell.horizon,
                [results[i, batch.index] for batch in cell.batches(self.seed)],
            )
            for i, cell in enumerate(cells)
        ]

    def _known(self, cell: Cell, job: Job) -> BatchResult | None:
        """The result of a batch that was played before."""
        if job.slot is None:
            return None
        found = job.slot.load()
        if found is not None:
            self._keep(cell, job.batch, job.slot, found)
        elif self.evidence is not None:
            found = self.evidence.result(cell.policy_name, job.batch, job.slot.key)
        return found

    def _keep(self, cell: Cell, batch: Batch, slot: Slot, result: BatchResult) -> None:
        if self.evidence is not None:
            self.evidence.keep(cell.policy_name, batch, slot.key, result)

    def _play(self, todo: list[Job]) -> Iterator[tuple[Job, BatchResult]]:
        """The results of batches as they come, while progress is shown."""
        if not todo:
            return
        # The longest first, so that no worker ends alone with a long one.
        todo = sorted(todo, key=lambda job: -job.batch.environment.problem.n_arms * job.rounds)
        counter = RoundCounter(self.progress, len(todo))
        engine = self.engine or Local(self.workers)
        marked = self.checkpoint.shown() if self.checkpoint else nullcontext()
        with Board.posted(len(todo)) as board, marked as mark, engine.pool(len(todo)) as pool:
            calls = (
                delayed(_at_work)(
                    place, Sent(job.batch), job.shown(mark), self.save_every, board, __version__
                )
                for place, job in enumerate(todo)
            )
            with played(lambda: pool(calls)) as results, counter.reading(board):
                for place, result in results:
                    job = todo[place]
                    yield job, result
                    counter.reached(place, job.rounds)


class Observer(Watch):
    """Saves a batch every `save_every` seconds and tells how many rounds have been played."""

    def __init__(
        self, batch: Batch, slot: Slot | None, save_every: float, tell: Callable[[int], None]
    ) -> None:
        self.batch = batch
        self.slot = slot
        self.save_every = save_every
        self.tell = tell
        now = monotonic()
        self._show_at = now + SHOW_EVERY
        self._save_at = now + save_every if slot is not None else inf
        self.due = min(self._show_at, self._save_at)

    def resumed(self) -> Play | None:
        return self.slot.load_midway(self.batch) if self.slot else None

    def look(self, play: Play) -> None:
        now = monotonic()
        if now >= self._show_at:
            self.tell(play.played * self.batch.runs)
            self._show_at = now + SHOW_EVERY
        if now >= self._save_at:
            self._save(play, now)
        self.due = min(self._show_at, self._save_at)

    def _save(self, play: Play, now: float) -> None:
        assert self.slot is not None
        try:
            self.slot.save_midway(play)
        except CannotPack:  # a user's policy: the batch is saved when it is finished
            self._save_at = inf
            return
        took = monotonic() - now
        self._save_at = monotonic() + max(self.save_every, SHARE * took)


def _at_work(
    place: int, sent: Sent, slot: Slot | None, save_every: float, board: Board, version: str
) -> tuple[int, BatchResult]:
    """Play a batch, here or on a machine that may not see the checkpoint or the board."""
    if version != __version__:
        remedy = f"the cluster's workers have {__version__}: install the same version everywhere"
        raise InvalidInput("bandstrap", version, remedy)
    batch, seen = sent.batch, slot if slot and slot.seen() else None
    watch = Observer(batch, seen, save_every, partial(board.tell, place))
    with no_cost_warnings(), parallel_config(backend="sequential"):  # estimators stay on their core
        return place, run_batch(batch, watch)


def check_world(environment: Environment, rounds: int) -> None:
    """Refuse an environment that breaks the rules in its first rounds, or that changes itself."""
    check_rounds(environment, rounds)  # it may fill caches
    before = fingerprint(environment)
    check_rounds(environment, rounds)
    if is_complete(before) and fingerprint(environment) != before:
        remedy = "it changes as it is played: keep what changes in the world that start returns"
        raise InvalidInput("environment", type(environment).__name__, remedy)


@overload
def simulate(
    policy: Policy[Any],
    environment: Environment,
    horizon: int,
    runs: int = ...,
    seed: int = ...,
    workers: int = ...,
    checkpoint: Path | str | None = ...,
    progress: bool = ...,
    name: str | None = ...,
) -> Trace: ...


@overload
def simulate(
    policy: Mapping[str, Policy[Any]],
    environment: Environment,
    horizon: int,
    runs: int = ...,
    seed: int = ...,
    workers: int = ...,
    checkpoint: Path | str | None = ...,
    progress: bool = ...,
) -> dict[str, Trace]: ...


def simulate(
    policy: Policy[Any] | Mapping[str, Policy[Any]],
    environment: Environment,
    horizon: int,
    runs: int = 1000,
    seed: int = 0,
    workers: int = 1,
    checkpoint: Path | str | None = None,
    progress: bool = False,
    name: str | None = None,
) -> Trace | dict[str, Trace]:
    """Play a policy in an environment, `runs` times over `horizon` rounds.

    Policies simulated with the same seed meet the same arms; several by name, as `sweep` returns
    them, are played at once and come back by name. With a `checkpoint` directory a killed
    simulation resumes where it was.

    >>> from bandstrap import Bootstrap, simulate
    >>> from bandstrap.environments import Bernoulli
    >>> trace = simulate(Bootstrap(), Bernoulli(n_arms=2), horizon=100, runs=10)
    >>> trace.regret.shape[0]
    10
    """
    if horizon < 1:
        raise InvalidInput("horizon", horizon, "give at least one round")
    if runs < 1:
        raise InvalidInput("runs", runs, "give at least one run")
    named = _named(policy, name)
    check_world(environment, horizon)
    for each in named.values():
        each.start(environment.problem)  # warns and refuses here, not in workers
    cells = [
        Cell("simulate", environment.name, label, environment, each, horizon, runs)
        for label, each in named.items()
    ]
    store = Checkpoint(Path(checkpoint)) if checkpoint is not None else None
    with Bar(called(cells[0].policy_name)) if progress else nullcontext(Quiet()) as shown:
        traces = Runner(seed, workers, store, shown).run(cells)
    several = isinstance(policy, Mapping)
    return dict(zip(named, traces, strict=True)) if several else traces[0]


def _named(
    policy: Policy[Any] | Mapping[str, Policy[Any]], name: str | None
) -> dict[str, Policy[Any]]:
    if not isinstance(policy, Mapping):
        return {name or type(policy).__name__.lower(): policy}
    if name is not None:
        raise InvalidInput("name", name, "leave it out: several policies have their own")
    if not policy:
        raise InvalidInput("policy", {}, "give at least one")
    return dict(policy)

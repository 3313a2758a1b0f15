"""A table played by many policies: the ranking, a recommendation, and its code."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from bandstrap.comparison.advice import Rehearsal, advice
from bandstrap.comparison.candidates import QUICK, USUAL, Selection, about, affordable
from bandstrap.comparison.ceiling import TOLD
from bandstrap.comparison.checks import Finding
from bandstrap.comparison.measured import Measured, kept, measure
from bandstrap.comparison.options import Size, split_names, split_policies
from bandstrap.comparison.plot import draw
from bandstrap.comparison.ranking import Gap, Standing, gap, ranked
from bandstrap.comparison.rewards import RewardScale, reward_source
from bandstrap.comparison.snippet import ENCODER, WARM_START, snippet
from bandstrap.comparison.table import PreparedTable, by_name, prepare
from bandstrap.comparison.warm_start import WarmStart
from bandstrap.errors import BandstrapError, InvalidInput
from bandstrap.policies import Policy
from bandstrap.simulation import Cell, Runner, Trace
from bandstrap.simulation.engines import engine_named
from bandstrap.simulation.progress import ProgressLike, Quiet
from bandstrap.simulation.store.evidence import machine
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete
from bandstrap.simulation.store.results import Store
from bandstrap.storage.files import write_json
from bandstrap.tables.encoder import Encoder
from bandstrap.tables.reading import Reading
from bandstrap.version import __version__

UNIT = RewardScale()
# Why a comparison can tell little, by the check that finds it.
CAUSES = {
    "few-rows": "the table has too few rows to tell",
    "outlier": "an outlier sets the scale of rewards",
    "heavy-tails": "rewards have heavy tails, so that few rounds decide every mean",
}


class Output:
    """OUT/results.parquet, timings.parquet, costs.json, plot.png, ranking.json, and what the
    printed code reads: encoder.json and warm_start.parquet."""

    def __init__(self, out: Path) -> None:
        self.out = out

    def run(self, runner: Runner, cells: list[Cell], scale: RewardScale = UNIT) -> list[Trace]:
        """Play the cells, or read the results of an earlier call with the same ones."""
        store = Store(self.out)
        runner.checkpoint = store.checkpoint
        facts, reusable = _facts(runner, cells, scale)
        play = partial(_play, runner, cells, scale)
        return store.traces(facts, play, reusable=reusable)

    def measured(
        self, runner: Runner, cells: list[Cell], scale: RewardScale, measure: Callable[[], Measured]
    ) -> Measured:
        """What was measured on this machine by an earlier call with the same cells, or is now."""
        facts, reusable = _facts(runner, cells, scale)
        if not reusable:
            return measure()
        stated = json.dumps({**facts, "version": __version__, "on": machine()}, sort_keys=True)
        digest = sha256(stated.encode()).hexdigest()
        return kept(self.out / "costs.json", digest, [each.policy_name for each in cells], measure)

    def write(self, found: "Comparison") -> None:
        """Write the encoder, the warm start, the figure and the ranking."""
        found.encoder.save(self.out / ENCODER)
        found.warm_start.save(self.out / WARM_START)
        title = f"{found.title}: {found.rounds:,} rounds, {found.runs} runs"
        draw(title, found.ranking, found.bounds, found.traces, self.out / "plot.png")
        write_json(self.out / "ranking.json", summary(found), "choose another --out")


def _facts(runner: Runner, cells: list[Cell], scale: RewardScale) -> tuple[dict[str, Any], bool]:
    """All that results depend on, and whether that is known completely."""
    played = [*map(fingerprint, cells)]
    facts = {"cells": played, "units": repr(scale), "seed": runner.seed}
    return facts, all(map(is_complete, played))


def _play(runner: Runner, cells: list[Cell], scale: RewardScale) -> list[Trace]:
    return [scale.restored(trace) for trace in runner.run(cells)]


def summary(found: "Comparison") -> dict[str, Any]:
    """The result as plain data, as --json prints it."""
    return {
        "table": found.title,
        "rounds": found.rounds,
        "runs": found.runs,
        "seed": found.seed,
        "checks": [asdict(finding) for finding in found.findings],
        "recommended": found.recommended,
        "recommendation": found.recommendation,
        "code": found.code,
        "ranking": [
            {**asdict(standing), "tied": standing.tied, "what": found.about[standing.policy]}
            for standing in found.ranking
        ],
        "baselines": found.baselines,
        "ceilings": found.ceilings,
        "gap": asdict(found.gap) if found.gap else None,
        "decisions": list(found.decisions),
    }


@dataclass(frozen=True)
class Comparison:
    """The result of `compare`.

    `findings` are what is odd about the table, `ranking` is best first, `about` says what a policy
    is, `baselines` are rewards per round without contexts and `ceilings`, by kind of model, those
    of who is told every arm's reward; `gap` is the paired difference between the first two,
    `reasons` are the sentences of the recommendation, and `decisions` tell what was done with each
    column.

    >>> import pyarrow as pa
    >>> table = pa.table({"x": [0.1, 0.9] * 30, "y": ["low", "high"] * 30})
    >>> found = compare(table, label="y", policies=["eg-lin"], rounds=40, runs=2)
    >>> found.recommended, found.rounds, found.runs
    ('eg-lin', 40, 2)
    """

    title: str
    rounds: int
    runs: int
    seed: int
    ranking: tuple[Standing, ...]
    baselines: dict[str, float]
    gap: Gap | None
    recommended: str
    reasons: tuple[str, ...]
    code: str
    decisions: tuple[str, ...]
    encoder: Encoder
    traces: tuple[Trace, ...]
    findings: tuple[Finding, ...]
    about: dict[str, str]
    ceilings: dict[str, float]
    warm_start: WarmStart

    @property
    def recommendation(self) -> str:
        return " ".join(self.reasons)

    @property
    def bounds(self) -> dict[str, float]:
        """Baselines and ceilings, for tables and figures."""
        told = {f"{TOLD}: {kind}": value for kind, value in self.ceilings.items()}
        return {**self.baselines, **told}


def compare(
    data: Any,
    label: str | None = None,
    rewards: str | Sequence[str] | None = None,
    *,
    policies: str | Sequence[str] = (),
    models: str | Sequence[str] = (),
    own: Sequence[Any] | Mapping[str, Any] = (),
    rounds: int | None = None,
    runs: int | None = None,
    quick: bool = False,
    seed: int = 0,
    workers: int = 1,
    out: Path | str | None = None,
    decimal: str = "",
    read_as: Mapping[str, str] | None = None,
    drop: str | Sequence[str] = (),
    distinct: bool = False,
) -> Comparison:
    """Play the rows of a table as a bandit with many policies, and say which one to use.

    `data` is a path, a pandas, polars or Arrow table, or the name of a data set. Either `label`
    names the column of classes, each of which is an arm (data sets of arrays know theirs), or
    `rewards` names one column of rewards for each arm. `policies` and
    `models` are names, as a list or separated by commas: each of the policies eg, npb and wb is
    joined with each of the models lin, log, nn and so on; any policy can be given by its full name.
    `own` are policies of yours: objects, or `module:Class(parameter=value)` as text, which may also
    stand among `policies`; or by name, as `sweep` returns them. `workers=0` means one per core.
    With `out`, results are written to that folder, and a killed comparison continues.

    `decimal` is the decimal mark of numbers that are written as text, `read_as` says which columns
    hold a number, text or date, as in `{"price": "number"}`, `drop` names columns to leave out, and
    `distinct` leaves out rows that repeat another.

    >>> import pyarrow as pa
    >>> table = pa.table({"x": [0.1, 0.9, 0.2, 0.8] * 25, "y": ["low", "high"] * 50})
    >>> compare(table, label="y", policies=["eg-lin"], rounds=100, runs=2).ranking[0].policy
    'eg-lin'
    """
    mine = own if isinstance(own, Mapping) else tuple(own)
    selection = Selection(split_policies(policies), split_names(models), mine)
    size = Size(rounds, runs, quick)
    runner = Runner(seed, engine=engine_named("local", None, workers))
    store = Output(Path(out)) if out is not None else None
    reading = Reading(decimal, dict(read_as or {}), split_names(drop) if drop else (), distinct)
    found = by_name(data)
    source = reward_source(label if label or rewards else found.label, rewards)
    table = prepare(found.table, source, seed, selection.check, reading, found.title)
    return run(table, selection, size, runner, store)


def run(
    table: PreparedTable,
    selection: Selection,
    size: Size,
    runner: Runner,
    store: Output | None = None,
    progress: ProgressLike | None = None,
) -> Comparison:
    """Play the table and rank the policies."""
    environment = table.environment
    problem = environment.problem
    rounds, runs = size.rounds_and_runs(problem.n_arms, problem.n_features)
    usual = affordable(QUICK if size.quick else USUAL, problem.n_features)
    policies = selection.candidates(usual)
    cells = [
        Cell("compare", environment.name, name, environment, policy, rounds, runs)
        for name, policy in policies.items()
    ]
    check(cells)
    runner.progress = progress or Quiet()
    scale, played = table.rewards.scale, (rounds, runs, runner.seed)
    if store is None:
        traces = _play(runner, cells, scale)
        return _judged(
            table, policies, traces, measure(policies, traces, table, runner.seed), played
        )
    traces = store.run(runner, cells, scale)
    measuring = partial(measure, policies, traces, table, runner.seed)
    measured = store.measured(runner, cells, scale, measuring)
    found = _judged(table, policies, traces, measured, played, store.out)
    store.write(found)
    return found


def check(cells: list[Cell]) -> None:
    """Refuse a policy that cannot play its table, before anything is played."""
    for cell in cells:
        try:
            cell.policy.start(cell.environment.problem)
        except BandstrapError as error:
            remedy = f"it cannot play {cell.environment_name} ({error}); leave it out"
            raise InvalidInput("policy", cell.policy_name, remedy) from error


def _judged(
    table: PreparedTable,
    policies: dict[str, Policy[Any]],
    traces: list[Trace],
    measured: Measured,
    played: tuple[int, int, int],
    out: Path | None = None,
) -> Comparison:
    scale, (rounds, runs, seed) = table.rewards.scale, played
    ranking = ranked(traces, scale.low, scale.high, measured.costs)
    by_name = {trace.policy: trace for trace in traces}
    best = [by_name[standing.policy] for standing in ranking[:2]]
    between = gap(best[0], best[1]) if len(best) > 1 else None
    advised = advice(ranking, between, _rehearsal(table, measured, rounds))
    lesson = measured.lesson(advised.policy, table, rounds)
    return Comparison(
        table.environment.name, rounds, runs, seed, ranking, table.rewards.baselines(), between,
        advised.policy, advised.sentences,
        snippet(policies[advised.policy], table, lesson, out),
        (*table.decisions, _played(table, rounds, runs)), table.encoder, tuple(traces),
        table.findings, {name: about(name, policy) for name, policy in policies.items()},
        measured.ceilings, lesson.of(table, seed),
    )  # fmt: skip


def _rehearsal(table: PreparedTable, measured: Measured, rounds: int) -> Rehearsal:
    arm, floor = table.rewards.best_arm()
    cause = next((CAUSES[each.check] for each in table.findings if each.check in CAUSES), "")
    return Rehearsal(rounds, floor, arm, table.rewards.scale.low, measured.ceilings, cause)


def _played(table: PreparedTable, rounds: int, runs: int) -> str:
    rows, width = table.contexts.shape
    text = f"{rounds:,} rounds in each of {runs} runs, over {rows:,} rows of {width} numbers"
    return text + (f"; a run meets every row {rounds / rows:.1f} times" if rounds > rows else "")

"""A table played by many policies: the ranking, a recommendation, and its code."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bandstrap.comparison.candidates import QUICK, USUAL, Selection, affordable
from bandstrap.comparison.named import by_name
from bandstrap.comparison.options import Size, split_names, split_policies
from bandstrap.comparison.plot import draw
from bandstrap.comparison.ranking import Gap, Standing, advice, gap, ranked
from bandstrap.comparison.rewards import RewardScale, reward_source
from bandstrap.comparison.snippet import snippet
from bandstrap.comparison.table import PreparedTable, prepare
from bandstrap.errors import BandstrapError, InvalidInput
from bandstrap.policies import Policy
from bandstrap.simulation import Cell, Runner, Trace
from bandstrap.simulation.engines import engine_named
from bandstrap.simulation.progress import ProgressLike, Quiet
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete
from bandstrap.simulation.store.results import Store
from bandstrap.storage.files import write_json
from bandstrap.tables.encoder import Encoder

UNIT = RewardScale()


class Output:
    """OUT/results.parquet, timings.parquet, plot.png, ranking.json and encoder.json."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.encoder = out / "encoder.json"

    def run(self, runner: Runner, cells: list[Cell], scale: RewardScale = UNIT) -> list[Trace]:
        """Play the cells, or read the results of an earlier call with the same ones."""
        store = Store(self.out)
        runner.checkpoint = store.checkpoint
        played = [*map(fingerprint, cells)]
        facts = {"cells": played, "units": repr(scale), "seed": runner.seed}
        play = partial(_play, runner, cells, scale)
        return store.traces(facts, play, reusable=all(map(is_complete, played)))

    def write(self, found: "Comparison") -> None:
        """Write the encoder, the figure and the ranking."""
        found.encoder.save(self.encoder)
        title = f"{found.title}: {found.rounds:,} rounds, {found.runs} runs"
        draw(title, found.ranking, found.baselines, found.traces, self.out / "plot.png")
        write_json(self.out / "ranking.json", summary(found), "choose another --out")


def _play(runner: Runner, cells: list[Cell], scale: RewardScale) -> list[Trace]:
    return [scale.restored(trace) for trace in runner.run(cells)]


def summary(found: "Comparison") -> dict[str, Any]:
    """The result as plain data, as --json prints it."""
    return {
        "table": found.title,
        "rounds": found.rounds,
        "runs": found.runs,
        "seed": found.seed,
        "recommended": found.recommended,
        "recommendation": found.recommendation,
        "code": found.code,
        "ranking": [{**asdict(standing), "tied": standing.tied} for standing in found.ranking],
        "baselines": found.baselines,
        "gap": asdict(found.gap) if found.gap else None,
        "decisions": list(found.decisions),
    }


@dataclass(frozen=True)
class Comparison:
    """The result of `compare`.

    `ranking` is best first, `baselines` are rewards per round without contexts, `gap` is the paired
    difference between the first two, `decisions` tell what was done with each column.
    """

    title: str
    rounds: int
    runs: int
    seed: int
    ranking: tuple[Standing, ...]
    baselines: dict[str, float]
    gap: Gap | None
    recommended: str
    recommendation: str
    code: str
    decisions: tuple[str, ...]
    encoder: Encoder
    traces: tuple[Trace, ...]


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
    found = by_name(data)
    source = reward_source(label if label or rewards else found.label, rewards)
    table = prepare(found.table, source, seed, selection.check, found.title)
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
    played = rounds, runs, runner.seed
    if store is None:
        traces = _play(runner, cells, table.rewards.scale)
        return _judged(table, policies, traces, played, None)
    traces = store.run(runner, cells, table.rewards.scale)
    found = _judged(table, policies, traces, played, str(store.encoder))
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
    played: tuple[int, int, int],
    encoder: str | None,
) -> Comparison:
    scale = table.rewards.scale
    ranking = ranked(traces, scale.low, scale.high)
    by_name = {trace.policy: trace for trace in traces}
    best = [by_name[standing.policy] for standing in ranking[:2]]
    between = gap(best[0], best[1]) if len(best) > 1 else None
    baselines = table.rewards.baselines()
    advised = advice(ranking, between, max(baselines.values()))
    rounds, runs, seed = played
    return Comparison(
        table.environment.name, rounds, runs, seed, ranking, baselines, between,
        advised.policy, advised.sentence,
        snippet(policies[advised.policy], table.rewards, encoder),
        (*table.decisions, _played(table, rounds, runs)), table.encoder, tuple(traces),
    )  # fmt: skip


def _played(table: PreparedTable, rounds: int, runs: int) -> str:
    rows, width = table.contexts.shape
    text = f"{rounds:,} rounds in each of {runs} runs, over {rows:,} rows of {width} numbers"
    return text + (f"; a run meets every row {rounds / rows:.1f} times" if rounds > rows else "")

"""A table played by many policies, and what follows: a ranking, a recommendation, code."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bandstrap.comparison.advice import advice
from bandstrap.comparison.candidates import QUICK, USUAL, Asked, affordable
from bandstrap.comparison.listed import listed
from bandstrap.comparison.output import NoOutput, Output
from bandstrap.comparison.payment import paid_by
from bandstrap.comparison.ranking import Gap, Standing, gap, ranked
from bandstrap.comparison.size import Size
from bandstrap.comparison.snippet import snippet
from bandstrap.comparison.table import Prepared, prepare
from bandstrap.errors import BandstrapError, InvalidInput
from bandstrap.policies import Policy
from bandstrap.simulation import Cell, Runner, Trace
from bandstrap.simulation.engines import engine_named
from bandstrap.simulation.progress import ProgressLike, Quiet
from bandstrap.tables.encoder import Encoder

EXPERIMENT = "compare"


@dataclass(frozen=True)
class Comparison:
    """What was found, ready to be shown.

    `ranking` is best first, `baselines` is what one earns without looking at a row, `gap` the
    paired difference between the first two, `decisions` what was done with which column.
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
    own: Sequence[Any] = (),
    rounds: int | None = None,
    runs: int | None = None,
    quick: bool = False,
    seed: int = 0,
    workers: int = 1,
    out: Path | str | None = None,
) -> Comparison:
    """Play the rows of a table as a bandit by many policies and say which one to use.

    `data` is a path or a pandas, polars or Arrow table. Either `label` names the column that holds
    the class, an arm for each, or `rewards` a column for each arm that tells what it would have
    paid. `policies` and `models` are names, as a list or with commas: each of the policies eg, npb
    and wb with each model of lin, log, nn and so on, and any policy by its whole name. `own` are
    policies of yours. 0 `workers` are one for each core. With `out`, results are written there,
    and a killed comparison continues.

    >>> import pyarrow as pa
    >>> table = pa.table({"x": [0.1, 0.9, 0.2, 0.8] * 25, "y": ["low", "high"] * 50})
    >>> compare(table, label="y", policies=["eg-lin"], rounds=100, runs=2).ranking[0].policy
    'eg-lin'
    """
    asked = Asked(listed(policies), listed(models), tuple(own))
    size = Size(rounds, runs, quick)
    runner = Runner(seed, engine=engine_named("local", None, workers))
    store = Output(Path(out)) if out is not None else None
    prepared = prepare(data, paid_by(label, rewards), seed, asked.check)
    return run(prepared, asked, size, runner, store)


def run(
    prepared: Prepared,
    asked: Asked,
    size: Size,
    runner: Runner,
    store: "Output | None" = None,
    progress: ProgressLike | None = None,
) -> Comparison:
    """Play the table, and judge."""
    problem = prepared.environment.problem
    rounds, runs = size.of(problem.n_arms, problem.n_features)
    usual = affordable(QUICK if size.quick else USUAL, problem.n_features)
    policies = asked.candidates(usual)
    cells = [
        Cell(
            EXPERIMENT, prepared.environment.name, name, prepared.environment, policy, rounds, runs
        )
        for name, policy in policies.items()
    ]
    check(cells)
    runner.progress = progress or Quiet()
    traces = (store or NoOutput()).run(runner, cells, prepared.payment.units)
    encoder = str(store.encoder) if store is not None else None
    found = _judged(prepared, policies, traces, (rounds, runs, runner.seed), encoder)
    if store is not None:
        store.write(found)
    return found


def check(cells: list[Cell]) -> None:
    """Refuse at once a policy that cannot play its table."""
    for cell in cells:
        try:
            cell.policy.start(cell.environment.problem)
        except BandstrapError as error:
            remedy = f"it cannot play {cell.environment_name} ({error}); leave it out"
            raise InvalidInput("policy", cell.policy_name, remedy) from error


def _judged(
    prepared: Prepared,
    policies: dict[str, Policy[Any]],
    traces: list[Trace],
    played: tuple[int, int, int],
    encoder: str | None,
) -> Comparison:
    units = prepared.payment.units
    ranking = ranked(traces, units.low, units.high)
    by_name = {trace.policy: trace for trace in traces}
    best = [by_name[standing.policy] for standing in ranking[:2]]
    between = gap(best[0], best[1]) if len(best) > 1 else None
    baselines = prepared.payment.baselines()
    advised = advice(ranking, between, max(baselines.values()))
    rounds, runs, seed = played
    return Comparison(
        prepared.environment.name, rounds, runs, seed, ranking, baselines, between,
        advised.policy, advised.sentence,
        snippet(policies[advised.policy], prepared.payment, encoder),
        (*prepared.decisions, _played(prepared, rounds, runs)), prepared.encoder, tuple(traces),
    )  # fmt: skip


def _played(prepared: Prepared, rounds: int, runs: int) -> str:
    rows, width = prepared.environment.contexts.shape
    text = f"{rounds:,} rounds in each of {runs} runs, over {rows:,} rows of {width} numbers"
    return text + (f"; a run meets every row {rounds / rows:.1f} times" if rounds > rows else "")

"""Many policies over many data sets: is bootstrapping as good as approximate Thompson sampling?"""

from collections.abc import Container, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.comparison.benchmark.ranks import Duel, Ranks, duel, ranks
from bandstrap.comparison.candidates import QUICK, USUAL, WIDE, Selection, affordable
from bandstrap.comparison.comparison import Output, check
from bandstrap.comparison.options import Size
from bandstrap.comparison.plot import draw_frontier, draw_ranks
from bandstrap.comparison.ranking import cost, per_round
from bandstrap.comparison.rewards import Label
from bandstrap.comparison.table import prepare_sample
from bandstrap.datasets import DATASETS, available
from bandstrap.datasets import check as check_name
from bandstrap.environments import Environment, Labelled
from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from bandstrap.policies import Policy
from bandstrap.policies.registry import REGISTRY
from bandstrap.printable import called
from bandstrap.simulation import Cell, Runner, Trace
from bandstrap.storage.files import write_json
from bandstrap.tables.source import SUFFIXES, read, title_of

ROUNDS, RUNS = 1000, 3
APPROXIMATE = ("ts-laplace", "ts-langevin-nn")  # Thompson sampling with approximate sampling
BOOTSTRAPS = {
    each.name for each in REGISTRY.values() if each.family in ("wb", "npb") and each.contextual
}
LINEUP = (*USUAL, "wb-nn-heads", "ts-langevin-nn")
# A bootstrap and approximate sampling with the same kind of model.
MATCHED = (("wb-log", "ts-laplace"), ("wb-log-gaussian", "ts-laplace"),
           ("wb-log-replicas", "ts-laplace"), ("wb-nn-heads", "ts-langevin-nn"))  # fmt: skip


@dataclass(frozen=True)
class Task:
    """An environment, its name in results, and a few words about it."""

    name: str
    environment: Environment
    description: str


def named_tasks(names: tuple[str, ...] = ()) -> list[Task]:
    """Data sets by name, each once; by default all that can be read without a network."""
    for name in names:
        check_name(name)
    wanted = dict.fromkeys(names) or available()
    return [Task(name, Labelled(name), _title(name)) for name in wanted]


def _title(name: str) -> str:
    return DATASETS[name].title if name in DATASETS else "your own, from the data folder"


def folder_tasks(
    folder: Path, label: str | None, seed: int, taken: Iterable[str] = ()
) -> tuple[list[Task], list[str]]:
    """The tables in a folder, and a sentence on each that cannot be played.

    The classes are in the column `label` if a table has it, else in the last. A task has the name
    of its file, with the suffix only if the name is `taken` without it.
    """
    if not folder.is_dir():
        raise OutputError(folder, "is not a folder", "give --folder one that holds tables")
    tasks, skipped, names = [], [], set(taken)
    for path in sorted(folder.iterdir()):
        if path.name.lower().endswith(SUFFIXES):
            try:
                name = path.name if title_of(path) in names else title_of(path)
                tasks.append(_task(path, name, label, seed))
                names.add(name)
            except BandstrapError as error:
                skipped.append(f"{called(path.name)}: skipped, {error}")
    return tasks, skipped


def _task(path: Path, name: str, label: str | None, seed: int) -> Task:
    sample = read(path, seed)
    names = sample.table.column_names
    column = label if label is not None and label in names else str(names[-1])
    prepared = prepare_sample(sample, name, Label(column))
    description = f"{called(path.name)}, classes in column {called(column)!r}"
    return Task(name, prepared.environment, description)


@dataclass(frozen=True)
class Benchmark:
    """Rewards per round and costs (data sets, policies), the ranks, and the answer."""

    datasets: tuple[str, ...]
    policies: tuple[str, ...]
    rewards: Array
    costs: Array  # microseconds per decision
    ranks: Ranks
    duels: tuple[Duel, ...]
    answer: str
    decisions: tuple[str, ...]
    traces: tuple[Trace, ...]

    @property
    def shares(self) -> Array:
        """Each policy's reward as a share of the best one's, mean over data sets, (policies,)."""
        best = self.rewards.max(axis=1, keepdims=True)
        shares: Array = (self.rewards / np.where(best > 0, best, 1.0)).mean(axis=0)
        return shares

    @property
    def wins(self) -> Array:
        """On how many data sets each was best, (policies,); ties share it."""
        best = self.rewards == self.rewards.max(axis=1, keepdims=True)
        wins: Array = (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
        return wins

    def standings(self) -> list[tuple[str, float, float, float, float]]:
        """Policy, mean rank, share of the best reward, median cost and wins; best rank first."""
        costs, shares, wins = np.median(self.costs, axis=0), self.shares, self.wins
        places = [self.policies.index(name) for name in self.ranks.policies]
        return [
            (self.policies[i], rank, float(shares[i]), float(costs[i]), float(wins[i]))
            for i, rank in zip(places, self.ranks.mean, strict=True)
        ]

    def as_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        rows = zip(self.datasets, self.rewards.tolist(), self.costs.tolist(), strict=True)
        return {
            "answer": self.answer,
            "ranks": asdict(self.ranks),
            "duels": [asdict(one) for one in self.duels],
            "policies": list(self.policies),
            "datasets": [
                {
                    "name": name,
                    "reward": dict(zip(self.policies, earned, strict=True)),
                    "microseconds": dict(zip(self.policies, spent, strict=True)),
                }
                for name, earned, spent in rows
            ],
            "decisions": list(self.decisions),
        }


def benchmark(
    tasks: list[Task],
    selection: Selection,
    size: Size,
    runner: Runner,
    out: Path,
    notes: tuple[str, ...] = (),
) -> Benchmark:
    """Play every policy on every data set, keep the results, and rank the policies."""
    policies, left_out = _lineup(tasks, selection, size)
    cells = [cell for task in tasks for cell in _cells(task, policies, size)]
    check(cells)
    traces = Output(out).run(runner, cells)
    firsts = cells[:: len(policies)]  # of each task
    played = tuple(
        f"{called(task.name)}: {task.description}, {cell.horizon:,} rounds in each of "
        f"{cell.runs} runs"
        for task, cell in zip(tasks, firsts, strict=True)
    )
    others = {
        name for name, policy in policies.items() if name not in REGISTRY and policy.bootstraps
    }
    names = [task.name for task in tasks]
    notes = (*notes, *left_out, *played)
    found = judged(names, [*policies], traces, notes, BOOTSTRAPS | others)
    draw_ranks(found.ranks, out / "ranks.png")
    draw_frontier([*policies], found.shares, np.median(found.costs, axis=0), out / "frontier.png")
    write_json(out / "benchmark.json", found.as_dict(), "choose another --out")
    return found


def at_least_two(selection: Selection, usual: tuple[str, ...] = LINEUP) -> dict[str, Policy[Any]]:
    """The selected policies; a single one is refused."""
    policies = selection.candidates(usual)
    if len(policies) < 2:
        raise InvalidInput("--policies", [*policies], "name at least two to compare")
    return policies


def _lineup(
    tasks: list[Task], selection: Selection, size: Size
) -> tuple[dict[str, Policy[Any]], list[str]]:
    """The same policies for all data sets, so that ranks compare; and a note on those left out."""
    usual = QUICK if size.quick else LINEUP
    widest = max(tasks, key=lambda task: task.environment.problem.n_features)
    width = widest.environment.problem.n_features
    policies = at_least_two(selection, affordable(usual, width))
    if width <= WIDE or selection.policies or selection.models:
        return policies, []
    why = f"{called(widest.name)} is {width:,} numbers wide"
    remedy = "name others by --policies, or leave it out"
    return policies, [f"{why}: only policies that are cheap there play; {remedy}"]


def _cells(task: Task, policies: dict[str, Policy[Any]], size: Size) -> list[Cell]:
    problem = task.environment.problem
    usual = Size(size.rounds, size.runs or (2 if size.quick else RUNS), size.quick)
    rounds, runs = usual.rounds_and_runs(problem.n_arms, problem.n_features)
    rounds = size.rounds or min(rounds, ROUNDS)
    return [
        Cell("benchmark", task.name, name, task.environment, policy, rounds, runs)
        for name, policy in policies.items()
    ]


def judged(
    datasets: list[str],
    policies: list[str],
    traces: list[Trace],
    notes: tuple[str, ...] = (),
    bootstraps: Container[str] = BOOTSTRAPS,
) -> Benchmark:
    """The result from traces, ordered by data set, then by policy."""
    shape = (len(datasets), len(policies))
    rewards = np.array([per_round(trace).mean() for trace in traces]).reshape(shape)
    costs = np.array([cost(trace) for trace in traces]).reshape(shape)
    found = ranks(policies, rewards)
    columns = dict(zip(policies, rewards.T, strict=True))
    duels = tuple(duel(a, b, columns) for a, b in MATCHED if a in columns and b in columns)
    return Benchmark(
        tuple(datasets), tuple(policies), rewards, costs, found, duels,
        _answer(found, columns, duels, bootstraps), notes, tuple(traces),
    )  # fmt: skip


def _answer(
    found: Ranks, columns: dict[str, Array], duels: tuple[Duel, ...], bootstraps: Container[str]
) -> str:
    """Two sentences: the best of each kind, then pairs with the same model."""
    ours = [name for name in found.policies if name in bootstraps]
    rivals = [name for name in found.policies if name in APPROXIMATE]
    if not (ours and rivals):
        return f"The best mean rank is {found.mean[0]:.2f}, of {found.policies[0]}."
    best = duel(ours[0], rivals[0], columns)
    place = dict(zip(found.policies, found.mean, strict=True))
    first = (
        f"Over {found.datasets} data sets the best bootstrap by mean rank ({best.first}, "
        f"{place[best.first]:.2f}) against the best approximate Thompson sampling ({best.second}, "
        f"{place[best.second]:.2f}): {best}."
    )
    others = [str(one) for one in duels if (one.first, one.second) != (best.first, best.second)]
    return first + (f" Model by model: {'; '.join(others)}." if others else "")

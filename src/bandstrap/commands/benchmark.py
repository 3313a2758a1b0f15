"""`bandstrap benchmark`: many policies over many data sets."""

import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table

from bandstrap.commands.calling import command_line
from bandstrap.commands.terminal import line, name, waiting
from bandstrap.comparison.benchmark.benchmark import (
    Benchmark,
    Task,
    at_least_two,
    folder_tasks,
    named_tasks,
)
from bandstrap.comparison.benchmark.benchmark import benchmark as play
from bandstrap.comparison.candidates import Selection
from bandstrap.comparison.options import Size
from bandstrap.errors import InvalidInput
from bandstrap.report import Run, write_report
from bandstrap.report.benchmark import benchmark_report
from bandstrap.simulation import Runner
from bandstrap.simulation.engines import Engine
from bandstrap.simulation.progress import Bar
from bandstrap.simulation.store.folder import locked

QUICK_SETS = ("iris", "wine", "breast_cancer", "digits")  # they come with scikit-learn
SHOWN = 5  # reasons in an error


@dataclass(frozen=True)
class Sources:
    """Which data sets to play: by name, and from a folder."""

    names: tuple[str, ...] | None  # None: all that need no network
    folder: Path | None = None
    label: str | None = None


@dataclass(frozen=True)
class Benchmarked:
    """The result, and the folder of its files."""

    found: Benchmark
    out: Path

    def as_dict(self) -> dict[str, object]:
        data = ("results.parquet", "timings.parquet", "benchmark.json")
        names = ("report.html", *data, "ranks.png", "frontier.png")
        paths = {name.split(".")[0]: self.out / name for name in names}
        return {**self.found.as_dict(), "paths": paths}

    def __rich__(self) -> RenderableType:
        answer = (line(""), line(self.found.answer), line(""))
        where = line(f"report: {self.out / 'report.html'}")
        return Group(*map(line, self.found.decisions), ranks_table(self.found), *answer, where)


def benchmark(
    sources: Sources, selection: Selection, size: Size, out: Path, engine: Engine, seed: int
) -> Benchmarked:
    """Find the data sets, play them, and write the results and the report."""
    started = time.perf_counter()
    at_least_two(selection)  # fails before tables are read
    tasks, skipped = _tasks(sources, size.quick, seed)
    with locked(out):
        with Bar("benchmark") as bar:
            runner = Runner(seed, engine=engine, progress=bar)
            found = play(tasks, selection, size, runner, out, skipped)
        how = Run.here(command_line(), seed, time.perf_counter() - started)
        write_report(benchmark_report(found, out, how), out / "report.html")
    return Benchmarked(found, out)


def _tasks(sources: Sources, quick: bool, seed: int) -> tuple[list[Task], tuple[str, ...]]:
    """What is played, and a sentence on each table that cannot be."""
    if sources.folder is None:
        usual = QUICK_SETS if quick else ()
        return named_tasks(usual if sources.names is None else sources.names), ()
    named = named_tasks(sources.names) if sources.names else []
    with waiting(f"reading the tables of {sources.folder}"):
        taken = [task.name for task in named]
        more, skipped = folder_tasks(sources.folder, sources.label, seed, taken)
    if not (named or more):
        why = f" ({'; '.join(skipped[:SHOWN])})" if skipped else ""
        remedy = f"it holds no table that can be played{why}"
        raise InvalidInput("--folder", str(sources.folder), remedy)
    return [*named, *more], tuple(skipped)


def ranks_table(found: Benchmark) -> Table:
    """Mean ranks, rewards as shares of the best, costs, and the number of data sets won."""
    table = Table(title=f"{len(found.datasets)} data sets, {len(found.policies)} policies")
    table.add_column("policy")
    for column in ("mean rank", "reward, share of best", "µs per decision", "best on"):
        table.add_column(column, justify="right")
    for policy, rank, share, cost, wins in found.standings():
        numbers = (f"{rank:.2f}", f"{share:.1%}", f"{cost:,.0f}", f"{wins:.3g}")
        table.add_row(name(policy), *numbers)
    return table

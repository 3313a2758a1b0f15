"""`bandstrap benchmark`: all policies over all data sets at hand."""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bandstrap.commands.calling import command_line
from bandstrap.comparison.benchmark import Benchmark
from bandstrap.comparison.benchmark import benchmark as play
from bandstrap.comparison.candidates import Asked
from bandstrap.comparison.comparison import Size
from bandstrap.comparison.tasks import folder_tasks, named_tasks
from bandstrap.errors import InvalidInput
from bandstrap.report import Run, write_report
from bandstrap.report.of_benchmark import benchmarked
from bandstrap.simulation import Runner
from bandstrap.simulation.engines import Engine
from bandstrap.simulation.progress import Bar

QUICK_SETS = ("iris", "wine", "breast_cancer", "digits")  # they are always at hand


@dataclass(frozen=True)
class Sources:
    """Which data sets: by name, and from a folder."""

    names: tuple[str, ...] | None  # None: all that are at hand
    folder: Path | None = None
    label: str | None = None


@dataclass(frozen=True)
class Benchmarked:
    """The answer, and where everything was written."""

    found: Benchmark
    out: Path

    def as_dict(self) -> dict[str, object]:
        data = ("results.parquet", "timings.parquet", "benchmark.json")
        names = ("report.html", *data, "ranks.png", "frontier.png")
        paths = {name.split(".")[0]: self.out / name for name in names}
        return {**self.found.as_dict(), "paths": paths}

    def __rich__(self) -> RenderableType:
        lines = [_line(line) for line in self.found.decisions]
        answer = _line(f"\n{self.found.answer}\n")
        return Group(
            *lines, ranks_table(self.found), answer, _line(f"report: {self.out / 'report.html'}")
        )


def benchmark(
    sources: Sources, asked: Asked, size: Size, out: Path, engine: Engine, seed: int
) -> Benchmarked:
    """Find the data sets, play them, and write the results and the report."""
    started = time.perf_counter()
    quick = QUICK_SETS if size.quick else ()
    skipped: list[str] = []
    if sources.folder is None:
        tasks = named_tasks(quick if sources.names is None else sources.names)
    else:
        named = named_tasks(sources.names) if sources.names else []
        taken = [task.name for task in named]
        more, skipped = folder_tasks(sources.folder, sources.label, seed, taken)
        tasks = [*named, *more]
    if not tasks:
        raise InvalidInput("--folder", str(sources.folder), "it holds no table that can be played")
    with Bar("benchmark") as bar:
        runner = Runner(seed, engine=engine, progress=bar)
        found = play(tasks, asked, size, runner, out, tuple(skipped))
    how = Run.here(command_line(), seed, time.perf_counter() - started)
    write_report(benchmarked(found, out, how), out / "report.html")
    return Benchmarked(found, out)


def ranks_table(found: Benchmark) -> Table:
    """Mean ranks, rewards as shares of the best, costs, and on how many data sets each was best."""
    table = Table(title=f"{len(found.datasets)} data sets, {len(found.policies)} policies")
    table.add_column("policy")
    for column in ("mean rank", "reward, share of best", "µs a decision", "best on"):
        table.add_column(column, justify="right")
    best = found.rewards.argmax(axis=1)
    costs = np.median(found.costs, axis=0)
    for name, rank in zip(found.ranks.policies, found.ranks.mean, strict=True):
        place = found.policies.index(name)
        wins = int((best == place).sum())
        share = f"{found.shares[place]:.1%}"
        table.add_row(name, f"{rank:.2f}", share, f"{costs[place]:,.0f}", str(wins))
    return table


def _line(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ignore")

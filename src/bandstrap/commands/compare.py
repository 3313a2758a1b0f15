"""`bandstrap compare`: many policies play a table, and which one to use."""

import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from bandstrap.commands.calling import command_line
from bandstrap.commands.terminal import line, name
from bandstrap.comparison.candidates import Selection
from bandstrap.comparison.ceiling import CEILING, TOLD
from bandstrap.comparison.comparison import Comparison, Output, run, summary
from bandstrap.comparison.options import Size
from bandstrap.comparison.table import PreparedTable
from bandstrap.report import Run, write_report
from bandstrap.report.comparison import comparison_report
from bandstrap.simulation import Runner
from bandstrap.simulation.engines import Engine
from bandstrap.simulation.progress import Bar
from bandstrap.simulation.store.folder import locked


@dataclass(frozen=True)
class Compared:
    """The result, and the folder of its files."""

    found: Comparison
    out: Path

    def as_dict(self) -> dict[str, object]:
        written = ("report.html", "results.parquet", "timings.parquet")
        data = ("costs.json", "plot.png", "ranking.json", "encoder.json", "warm_start.parquet")
        names = (*written, *data)
        paths = {name.split(".")[0]: self.out / name for name in names}
        return {**summary(self.found), "paths": paths}

    def __rich__(self) -> RenderableType:
        found = self.found
        parts: list[RenderableType] = []
        if found.findings:
            parts.append(line(f"What is odd about {found.title}", "bold yellow"))
            parts += [line(f"  {finding}", "yellow") for finding in found.findings]
        parts.append(line(f"What was done with {found.title}", "bold"))
        parts += [line(f"  {decision}") for decision in found.decisions]
        parts += [ranking_table(found), line("What they are", "bold"), *names_explained(found)]
        if found.gap is not None:
            gap = found.gap
            parts.append(line(f"{gap.first} minus {gap.second}, paired by run: {gap.difference}"))
        parts += [line(""), *(line(reason, "bold") for reason in found.reasons), line("")]
        parts += [*map(line, found.code.split("\n"))]
        return Group(*parts, line(f"report: {self.out / 'report.html'}"))


def compare(
    table: PreparedTable, selection: Selection, size: Size, out: Path, engine: Engine, seed: int
) -> Compared:
    """Play the table and write the results and the report."""
    started = time.perf_counter()
    runner = Runner(seed, engine=engine)
    with locked(out):
        with Bar("compare") as bar:
            found = run(table, selection, size, runner, Output(out), bar)
        how = Run.here(command_line(), seed, time.perf_counter() - started)
        write_report(comparison_report(found, how), out / "report.html")
    return Compared(found, out)


def names_explained(found: Comparison) -> list[Text]:
    """A line for each policy, in the order of the ranking, and one for what is below them."""
    width = max(map(len, (TOLD, *found.about)))
    lines = [line(f"  {each.policy:{width}}  {found.about[each.policy]}") for each in found.ranking]
    if found.ceilings:
        lines.append(line(f"  {TOLD:{width}}  {CEILING}"))
    return [*lines, line("")]


def ranking_table(found: Comparison) -> Table:
    """Policies by reward, then the baselines."""
    title = f"Reward per round, {found.rounds:,} rounds; 95% intervals over {found.runs} runs"
    tied = any(standing.tied for standing in found.ranking[1:])
    table = Table(
        title=title, caption="≈ not significantly different from the first" if tied else None
    )
    for column in ("", "policy", "reward", "interval", "µs a decision"):
        side: JustifyMethod = "left" if column == "policy" else "right"
        table.add_column(column, justify=side, no_wrap=column == "interval", overflow="fold")
    for standing in found.ranking:
        sign = "≈ " if standing.tied and standing.place > 1 else ""
        mean = standing.reward.shown(standing.reward.mean)
        cells = (mean, standing.reward.ends, f"{standing.cost:,.0f}")
        table.add_row(f"{sign}{standing.place}", name(standing.policy), *cells)
    shown = found.ranking[0].reward.shown
    for bound, value in found.bounds.items():
        table.add_row("", name(bound, "dim"), Text(shown(value), "dim"))
    return table

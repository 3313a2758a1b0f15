"""The report of `bandstrap benchmark`: mean ranks, two diagrams, every data set."""

from dataclasses import replace
from pathlib import Path

from bandstrap.comparison.benchmark.benchmark import Benchmark
from bandstrap.report.cells import NumberCell, TableCell, TextCell
from bandstrap.report.curves import REGRET, REWARD, Curve
from bandstrap.report.report import Answer, Figure, Panel, Report, Run, Table, notes_of, picture

_COLUMNS = ("Policy", "Mean rank", "Reward, share of best", "CPU per decision", "Best on")


def benchmark_report(found: Benchmark, out: Path, run: Run) -> Report:
    """A report of many policies on many data sets, with the diagrams in `out`."""
    first, _, rest = found.answer.partition(". ")
    best = found.ranks.policies[0]
    sentence = f"{best} has the best mean rank over {found.ranks.datasets} data sets."
    return Report(
        title=f"{len(found.policies)} policies on {len(found.datasets)} data sets",
        answer=Answer(sentence, _ranks(found), text=f"{first.rstrip('.')}. {rest}".strip()),
        figures=(
            Figure("ranks", "Mean ranks and what differs", drawing=picture(out / "ranks.png")),
            Figure("frontier", "Reward against cost", drawing=picture(out / "frontier.png")),
            Figure("curves", "Every data set", _panels(found), (REWARD, REGRET)),
        ),
        run=run,
        tables=(_rewards(found),),
        notes_title="What was played",
        notes=notes_of(found.decisions),
    )


def _ranks(found: Benchmark) -> Table:
    rows: list[tuple[TableCell, ...]] = [
        (
            TextCell(name),
            NumberCell(rank, f"{rank:.2f}"),
            NumberCell(share, f"{share:.1%}"),
            NumberCell(cost, f"{cost:,.0f} µs"),
            NumberCell(wins, f"{wins:.3g}"),
        )
        for name, rank, share, cost, wins in found.standings()
    ]
    return Table("Mean ranks, costs as medians over data sets", _COLUMNS, tuple(rows))


def _rewards(found: Benchmark) -> Table:
    """A row per data set, a column per policy, best mean rank first."""
    places = [found.policies.index(name) for name in found.ranks.policies]
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (TextCell(name), *(NumberCell(float(row[place]), f"{row[place]:.4g}") for place in places))
        for name, row in zip(found.datasets, found.rewards, strict=True)
    )
    return Table("Reward per round on every data set", ("Data set", *found.ranks.policies), rows)


def _panels(found: Benchmark) -> tuple[Panel, ...]:
    """A panel per data set, with the costs of the ranking."""
    curves = iter(found.traces)
    return tuple(
        Panel(
            name,
            tuple(
                replace(Curve.of(next(curves)), environment=name, cost=1e-6 * float(cost))
                for cost in costs
            ),
        )
        for name, costs in zip(found.datasets, found.costs, strict=True)
    )

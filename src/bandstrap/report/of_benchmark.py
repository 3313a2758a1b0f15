"""The report of `bandstrap benchmark`: the answer, mean ranks, the two diagrams, every data set."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from bandstrap.comparison.benchmark.benchmark import Benchmark
from bandstrap.report.cells import Cell, Number, Text
from bandstrap.report.curves import REGRET, REWARD, Curve
from bandstrap.report.notes import noted
from bandstrap.report.pictures import picture
from bandstrap.report.report import Answer, Figure, Panel, Report, Table
from bandstrap.report.run import Run

_COLUMNS = ("Policy", "Mean rank", "Reward, share of best", "CPU per decision", "Best on")


def benchmarked(found: Benchmark, out: Path, run: Run) -> Report:
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
        notes=noted(found.decisions),
    )


def _ranks(found: Benchmark) -> Table:
    costs = np.median(found.costs, axis=0)
    rows: list[tuple[Cell, ...]] = []
    for name, rank in zip(found.ranks.policies, found.ranks.mean, strict=True):
        place = found.policies.index(name)
        share, cost = float(found.shares[place]), float(costs[place])
        wins = float(found.wins[place])
        counts = Number(wins, f"{wins:.3g}")
        numbers = (Number(rank, f"{rank:.2f}"), Number(share, f"{share:.1%}"))
        rows.append((Text(name), *numbers, Number(cost, f"{cost:,.0f} µs"), counts))
    return Table("Mean ranks, costs as medians over data sets", _COLUMNS, tuple(rows))


def _rewards(found: Benchmark) -> Table:
    """A row for each data set, a column for each policy, the best mean rank first."""
    places = [found.policies.index(name) for name in found.ranks.policies]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (Text(name), *(Number(float(row[place]), f"{row[place]:.4g}") for place in places))
        for name, row in zip(found.datasets, found.rewards, strict=True)
    )
    return Table("Reward per round on every data set", ("Data set", *found.ranks.policies), rows)


def _panels(found: Benchmark) -> tuple[Panel, ...]:
    """A panel for each data set; a decision costs what the ranking says."""
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

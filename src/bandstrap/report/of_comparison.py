"""The report of `bandstrap compare`: what to use, the ranking, the curves, what was done."""

from dataclasses import replace

from bandstrap.comparison import Comparison
from bandstrap.comparison.ranking import Standing
from bandstrap.report.cells import Cell, Number, Text
from bandstrap.report.curves import REGRET, REWARD, Curve
from bandstrap.report.notes import noted
from bandstrap.report.report import Answer, Figure, Panel, Report, Table
from bandstrap.report.run import Run

_COLUMNS = ("Place", "Policy", "Reward per round", "95% interval", "CPU per decision", "Remark")


def comparison(found: Comparison, run: Run) -> Report:
    """A report of policies on somebody's own table."""
    use, _, why = found.recommendation.partition(": ")
    return Report(
        title=f"{found.title}: {len(found.ranking)} policies compared",
        answer=Answer(f"{use.rstrip('.')}.", _table(found), text=why, code=found.code),
        figures=(Figure("curves", "Reward and regret", (_panel(found),), (REWARD, REGRET)),),
        run=run,
        notes_title="What was done with the table",
        notes=noted(found.decisions),
    )


def _table(found: Comparison) -> Table:
    rows = [_row(standing) for standing in found.ranking]
    shown = found.ranking[0].reward.shown
    rows += [
        (Text(""), Text(name), Number(value, shown(value)), Text(""), Text(""), Text("baseline"))
        for name, value in found.baselines.items()
    ]
    return Table(f"Ranking after {found.rounds:,} rounds, {found.runs} runs", _COLUMNS, tuple(rows))


def _row(standing: Standing) -> tuple[Cell, ...]:
    reward = standing.reward
    remark = "may equal the first" if standing.tied and standing.place > 1 else ""
    return (
        Number(standing.place, str(standing.place)),
        Text(standing.policy),
        Number(reward.mean, reward.shown(reward.mean)),
        Number(reward.low, reward.ends),
        Number(standing.cost, f"{standing.cost:,.0f} µs"),
        Text(remark),
    )


def _panel(found: Comparison) -> Panel:
    """Curves in the order of the ranking, at the cost that it tells."""
    curves = {trace.policy: Curve.of(trace) for trace in found.traces}
    return Panel(
        found.title,
        tuple(replace(curves[each.policy], cost=1e-6 * each.cost) for each in found.ranking),
    )

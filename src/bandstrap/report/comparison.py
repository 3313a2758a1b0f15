"""The report of `bandstrap compare`: what to use, the ranking, the curves, the columns."""

from dataclasses import replace

from bandstrap.comparison import Comparison
from bandstrap.comparison.ranking import Standing
from bandstrap.report.cells import NumberCell, TableCell, TextCell
from bandstrap.report.curves import REGRET, REWARD, Curve
from bandstrap.report.report import Answer, Figure, Panel, Report, Run, Table, notes_of

_COLUMNS = ("Place", "Policy", "Reward per round", "95% interval", "CPU per decision", "Remark")


def comparison_report(found: Comparison, run: Run) -> Report:
    """A report on policies that played a user's table."""
    use, _, why = found.recommendation.partition(": ")
    return Report(
        title=f"{found.title}: {len(found.ranking)} policies compared",
        answer=Answer(f"{use.rstrip('.')}.", _table(found), text=why, code=found.code),
        figures=(Figure("curves", "Reward and regret", (_panel(found),), (REWARD, REGRET)),),
        run=run,
        notes_title="What was done with the table",
        notes=notes_of(found.decisions),
    )


def _table(found: Comparison) -> Table:
    rows = [_row(standing) for standing in found.ranking]
    shown, empty = found.ranking[0].reward.shown, TextCell("")
    rows += [
        (empty, TextCell(name), NumberCell(value, shown(value)), empty, empty, TextCell("baseline"))
        for name, value in found.baselines.items()
    ]
    return Table(f"Ranking after {found.rounds:,} rounds, {found.runs} runs", _COLUMNS, tuple(rows))


def _row(standing: Standing) -> tuple[TableCell, ...]:
    reward = standing.reward
    remark = "may equal the first" if standing.tied and standing.place > 1 else ""
    return (
        NumberCell(standing.place, str(standing.place)),
        TextCell(standing.policy),
        NumberCell(reward.mean, reward.shown(reward.mean)),
        NumberCell(reward.low, reward.ends),
        NumberCell(standing.cost, f"{standing.cost:,.0f} µs"),
        TextCell(remark),
    )


def _panel(found: Comparison) -> Panel:
    """Curves in the order of the ranking, with its costs."""
    curves = {trace.policy: Curve.of(trace) for trace in found.traces}
    return Panel(
        found.title,
        tuple(replace(curves[each.policy], cost=1e-6 * each.cost) for each in found.ranking),
    )

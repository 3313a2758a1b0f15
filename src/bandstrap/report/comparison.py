"""The report of `bandstrap compare`: what to use, the ranking, the curves, the columns."""

from dataclasses import replace

from bandstrap.comparison import Comparison
from bandstrap.comparison.advice import microseconds
from bandstrap.comparison.ceiling import CEILING, TOLD
from bandstrap.comparison.ranking import Standing
from bandstrap.report.cells import ExplainedCell, NumberCell, TableCell, TextCell
from bandstrap.report.curves import REGRET, REWARD, Curve
from bandstrap.report.report import Answer, Figure, Panel, Report, Run, Table, notes_of

_COLUMNS = ("Place", "Policy", "Reward per round", "95% interval", "CPU per decision", "Remark")


def comparison_report(found: Comparison, run: Run) -> Report:
    """A report on policies that played a user's table."""
    use, _, why = found.recommendation.partition(": ")
    answer = Answer(
        f"{use.rstrip('.')}.",
        _table(found),
        text=why[:1].upper() + why[1:],
        code=found.code,
        odd_title=f"What is odd about {found.title}",
        odd=tuple(map(str, found.findings)),
    )
    return Report(
        title=f"{found.title}: {len(found.ranking)} policies compared",
        answer=answer,
        figures=(Figure("curves", "Reward and regret", (_panel(found),), (REWARD, REGRET)),),
        run=run,
        notes_title="What was done with the table",
        notes=notes_of(found.decisions),
    )


def _table(found: Comparison) -> Table:
    rows = [_row(standing, found.about[standing.policy]) for standing in found.ranking]
    rows += [_bound(found, name, "", "baseline") for name in found.baselines]
    rows += [_bound(found, f"{TOLD}: {kind}", CEILING, TOLD) for kind in found.ceilings]
    return Table(f"Ranking after {found.rounds:,} rounds, {found.runs} runs", _COLUMNS, tuple(rows))


def _row(standing: Standing, what: str) -> tuple[TableCell, ...]:
    reward = standing.reward
    remark = "may equal the first" if standing.tied and standing.place > 1 else ""
    return (
        NumberCell(standing.place, str(standing.place)),
        ExplainedCell(standing.policy, what),
        NumberCell(reward.mean, reward.shown(reward.mean)),
        NumberCell(reward.low, reward.ends),
        NumberCell(standing.cost, microseconds(standing.cost)),
        TextCell(remark),
    )


def _bound(found: Comparison, name: str, what: str, remark: str) -> tuple[TableCell, ...]:
    """What frames the ranking: a baseline or a ceiling."""
    value, empty = found.bounds[name], TextCell("")
    reward = NumberCell(value, found.ranking[0].reward.shown(value))
    return empty, ExplainedCell(name, what), reward, empty, empty, TextCell(remark)


def _panel(found: Comparison) -> Panel:
    """Curves in the order of the ranking, with its costs."""
    curves = {trace.policy: Curve.of(trace) for trace in found.traces}
    return Panel(
        found.title,
        tuple(replace(curves[each.policy], cost=1e-6 * each.cost) for each in found.ranking),
    )

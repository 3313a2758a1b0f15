"""The report of `bandstrap evaluate`: diagnostics, estimates with intervals, weights, overlap."""

from itertools import pairwise

import numpy as np

from bandstrap.evaluation.answer import answer, ends, number, warnings_of
from bandstrap.evaluation.diagnostics.finding import CANNOT, CARE, TRUST
from bandstrap.evaluation.diagnostics.target_summary import EDGES
from bandstrap.evaluation.estimators import ESTIMATORS
from bandstrap.evaluation.result import Evaluated, Evaluation, Paired
from bandstrap.printable import called
from bandstrap.report.cells import Badge, Folded, NumberCell, TableCell, TextCell
from bandstrap.report.charts import Bars, Line, Range, bars, lines, ranges
from bandstrap.report.report import Answer, Figure, Report, Run, Table, notes_of

TONES = {TRUST: "good", CARE: "part", CANNOT: "bad"}
RANKS = {TRUST: 0, CARE: 1, CANNOT: 2}
ARMS = 20  # in the chart of overlap
LOGGER, INK = "the logger", 4  # its name and colour; targets have others
_ANSWER = ("Target", "Verdict", "Reward per decision", "{:.0%} interval", "More than the logger")
_ESTIMATES = ("Target", "Estimator", "Reward per decision", "Standard error", "Interval", "Method")
_PAIRS = ("One", "Other", "Difference", "Interval, all pairs together", "Told apart")
_ARMS = ("Arm", "Chosen", "Mean reward", "Smallest propensity")


def evaluation_report(found: Evaluation, run: Run) -> Report:
    """A report on what targets would have earned on a log."""
    return Report(
        title=f"{found.title}: what would it have earned?",
        answer=Answer(
            answer(found),
            _answer_table(found),
            odd_title="Before the numbers",
            odd=tuple(warnings_of(found)),
        ),
        figures=tuple(_figures(found)),
        run=run,
        tables=(_estimates(found), _pairs(found), _arms(found)),
        notes_title="What was read and done",
        notes=notes_of(found.notes),
    )


def _answer_table(found: Evaluation) -> Table:
    columns = tuple(each.format(found.level) for each in _ANSWER)
    logger, empty = found.logger, TextCell("")
    width = logger.interval.high - logger.interval.low
    first: tuple[TableCell, ...] = (
        Folded("the logger itself", ()),
        empty,
        NumberCell(logger.value, number(logger.value, width)),
        NumberCell(logger.interval.low, ends(logger.interval)),
        empty,
    )
    rows = tuple(_answer_row(each) for each in found.targets)
    return Table(f"{found.decisions:,} decisions", columns, (first, *rows))


def _answer_row(it: Evaluated) -> tuple[TableCell, ...]:
    width = it.interval.high - it.interval.low
    said = "\n".join(str(each) for each in it.findings)
    word = it.verdict.word
    return (
        Folded(it.label, (("What was checked", said),)),
        Badge(word, TONES[word], RANKS[word], "verdict"),
        NumberCell(it.value, number(it.value, width)),
        NumberCell(it.interval.low, ends(it.interval)),
        _gain(it.gain),
    )


def _gain(pair: Paired | None) -> TableCell:
    if pair is None:
        return TextCell("")
    gap = pair.difference
    width = gap.interval.high - gap.interval.low
    shown = f"{number(gap.value, width, sign=True)} ({ends(gap.interval, sign=True)})"
    return NumberCell(gap.value, shown)


def _figures(found: Evaluation) -> list[Figure]:
    logger = found.logger
    width = logger.interval.high - logger.interval.low
    mean = f"what the logger earned, {number(logger.value, width)} a decision"
    figures = [
        Figure(
            "estimates",
            "Estimates with intervals",
            chart=ranges([_range(each) for each in found.targets], logger.value, mean),
        )
    ]
    seen = [each for each in found.targets if each.view is not None]
    if seen:
        figures += [_weights(seen), _overlap(found, seen), _over_time(found, seen)]
    return figures


def _range(it: Evaluated) -> Range:
    width = it.interval.high - it.interval.low
    shown = f"{number(it.value, width)} ({it.verdict.word})"
    ends_ = it.interval.low, it.interval.high
    return Range(it.label, it.value, *ends_, shown, TONES[it.verdict.word])


def _weights(seen: list[Evaluated]) -> Figure:
    """Shares of decisions by weight; bins that nobody has are left out."""
    every = np.array([each.view.bins for each in seen if each.view is not None])
    used = np.flatnonzero(every.sum(axis=0))
    some = np.arange(used[0], used[-1] + 1) if used.size else used
    inner = [f"{low:g} to {high:,g}" for low, high in pairwise(EDGES)]
    labels = ["0, or nearly", *inner, f"above {EDGES[-1]:,g}"]
    shares = every / np.maximum(every.sum(axis=1, keepdims=True), 1)
    series = [
        Bars(each.label, shares[place][some].tolist(), _look(place))
        for place, each in enumerate(seen)
    ]
    text = (
        "How much more probable a target makes the logged arm than the logger did. A weight of 0 "
        "is a decision that says nothing about the target; a few large ones decide everything."
    )
    names = [labels[at] for at in some]
    return Figure("weights", "Weights of decisions", chart=bars(names, series), text=text)


def _look(place: int) -> int:
    """A colour that is not the logger's."""
    return place if place < INK else place + 1


def _overlap(found: Evaluation, seen: list[Evaluated]) -> Figure:
    logger = found.logger
    wanted = np.array([each.view.wanted for each in seen if each.view is not None])
    order = np.argsort(-np.maximum(wanted.max(axis=0), logger.shares), kind="stable")[:ARMS]
    series = [Bars(LOGGER, logger.shares[order].tolist(), INK)]
    series += [
        Bars(each.label, wanted[place][order].tolist(), _look(place))
        for place, each in enumerate(seen)
    ]
    names = [called(str(logger.arms[at])) for at in order]
    more = len(logger.arms) - len(order)
    text = "How often arms were chosen, and how often targets choose them." + (
        f" The {ARMS} most frequent of {len(logger.arms)} arms." if more > 0 else ""
    )
    return Figure("overlap", "Overlap by arm", chart=bars(names, series), text=text)


def _over_time(found: Evaluation, seen: list[Evaluated]) -> Figure:
    series = [Line(LOGGER, found.logger.rewards.tolist(), INK)]
    series += [
        Line(each.label, each.view.rewards.tolist(), _look(place))
        for place, each in enumerate(seen)
        if each.view is not None
    ]
    text = (
        f"Reward per decision in {len(found.logger.rewards)} parts of the log, of targets by "
        "self-normalised weights: noisy where few decisions count."
    )
    chart = lines(series, ("first decision", f"decision {found.decisions:,}"))
    return Figure("over-time", "Reward over time", chart=chart, text=text)


def _estimates(found: Evaluation) -> Table:
    rows = []
    for target in found.targets:
        for each in target.estimates:
            width = each.interval.high - each.interval.low
            name = each.estimator + (f" ({each.tuning})" if each.tuning else "")
            rows.append(
                (
                    TextCell(target.label),
                    TextCell(name),
                    NumberCell(each.value, number(each.value, width)),
                    NumberCell(each.error, number(each.error, width)),
                    NumberCell(each.interval.low, ends(each.interval)),
                    TextCell(each.interval.method),
                )
            )
    return Table("All estimates; the first of a target is its answer", _ESTIMATES, tuple(rows))


def _pairs(found: Evaluation) -> Table:
    rows = []
    for pair in found.differences:
        gap = pair.difference
        width = gap.interval.high - gap.interval.low
        rows.append(
            (
                TextCell(pair.one),
                TextCell(pair.other),
                NumberCell(gap.value, number(gap.value, width, sign=True)),
                NumberCell(gap.interval.low, ends(gap.interval, sign=True)),
                TextCell("yes" if pair.told_apart else "no"),
            )
        )
    return Table("Differences, paired by decision", _PAIRS, tuple(rows))


def _arms(found: Evaluation) -> Table:
    logger = found.logger
    every = zip(logger.arms, logger.shares, logger.means, logger.least, strict=True)
    rows = tuple(
        (
            TextCell(called(str(arm))),
            NumberCell(float(share), f"{share:.2%}"),
            NumberCell(float(np.nan_to_num(mean)), "" if np.isnan(mean) else f"{mean:.4g}"),
            NumberCell(float(np.nan_to_num(least)), "" if np.isnan(least) else f"{least:.3g}"),
        )
        for arm, share, mean, least in every
    )
    return Table("Arms, by the logger", _ARMS, rows)


def assumptions() -> dict[str, str]:
    """What each estimator assumes, by its name."""
    return {name: each.assumes for name, each in ESTIMATORS.items()}

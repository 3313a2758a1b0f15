"""The answer in sentences: what earns most, by how much, and how sure that is."""

from math import floor, isfinite, log10

from bandstrap.evaluation.diagnostics.finding import CANNOT, CARE
from bandstrap.evaluation.diagnostics.rules import Severity
from bandstrap.evaluation.intervals import Interval
from bandstrap.evaluation.result import Evaluated, Evaluation

__all__ = ["answer", "ends", "number", "warnings_of"]

MOST_DIGITS = 12


def number(value: float, width: float, sign: bool = False) -> str:
    """A value with as many decimals as its interval of this width deserves.

    >>> number(0.00344962, 0.0021), number(1234.5678, 30.0), number(0.25, 0.01, sign=True)
    ('0.0034', '1,235', '+0.250')
    """
    if not isfinite(value):
        return "?"
    decimals = 3
    if isfinite(width) and width > 0:
        decimals = min(max(1 - floor(log10(width)), 0), MOST_DIGITS)
    return f"{value:{'+' if sign else ''},.{decimals}f}"


def ends(interval: Interval, sign: bool = False) -> str:
    """Both ends of an interval."""
    width = interval.high - interval.low
    return f"{number(interval.low, width, sign)} to {number(interval.high, width, sign)}"


def answer(found: Evaluation) -> str:
    """One sentence, or two."""
    judged = [each for each in found.targets if each.verdict.word != CANNOT]
    if not judged:
        names = _listed([each.label for each in found.targets])
        return f"The log cannot say what {names} would have earned."
    better = [each for each in judged if _surely(each) > 0]
    if better:
        return _best(max(better, key=lambda each: each.value), found)
    if all(_surely(each) < 0 for each in judged if each.gain is not None) and any(
        each.gain is not None for each in judged
    ):
        return f"The logger earned more than {_listed([each.label for each in judged])}."
    if len(judged) == 1:
        return _alone(judged[0])
    return "No target is surely better than the logger."


def _best(best: Evaluated, found: Evaluation) -> str:
    assert best.gain is not None
    gap = best.gain.difference
    width = gap.interval.high - gap.interval.low
    care = ", to be taken with care" if best.verdict.word == CARE else ""
    more = number(gap.value, width)
    return (
        f"{best.label} would have earned {more} a decision more than the logger{care} "
        f"({found.level:.0%} interval {ends(gap.interval)})."
    )


def _alone(it: Evaluated) -> str:
    width = it.interval.high - it.interval.low
    care = ", to be taken with care" if it.verdict.word == CARE else ""
    return (
        f"{it.label} would have earned {number(it.value, width)} a decision{care} "
        f"({it.interval.level:.0%} interval {ends(it.interval)})."
    )


def _surely(it: Evaluated) -> int:
    """Whether a target surely earns more (1) or less (-1) than the logger."""
    if it.gain is None or not it.gain.told_apart:
        return 0
    return 1 if it.gain.difference.value > 0 else -1


def warnings_of(found: Evaluation) -> list[str]:
    """What calls for care or stops, each once: of the log, then of each target."""
    lines = [str(each) for each in found.findings if each.severity is not Severity.FINE]
    of_log = {*found.findings}
    for target in found.targets:
        own = [each for each in target.findings if each not in of_log]
        bad = [str(each) for each in own if each.severity is not Severity.FINE]
        lines += [f"{target.label}: {' '.join(bad)}"] if bad else []
    return lines


def _listed(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

"""The checks: each looks at a summary and says one sentence."""

from collections.abc import Callable

import numpy as np

from bandstrap.evaluation.diagnostics.finding import Finding
from bandstrap.evaluation.diagnostics.log_summary import BLOCKS, LogSummary
from bandstrap.evaluation.diagnostics.rules import RULES, Severity
from bandstrap.evaluation.diagnostics.target_summary import TargetSummary
from bandstrap.evaluation.targets.rerun import Rerun
from bandstrap.printable import called

__all__ = ["check_log", "check_rerun", "check_target"]

FEW = 20  # choices of an arm
SHOWN = 3  # arms in a sentence


def finding(check: str, value: float, sentence: str) -> Finding:
    """What the rule of a check says about a number."""
    return Finding(check, RULES[check].judge(value), sentence, float(value))


def check_log(log: LogSummary) -> list[Finding]:
    """What is true of a log whatever is evaluated on it."""
    found = [check(log) for check in (_choices, _missing, _late, _drift)]
    return [each for each in found if each is not None]


def _choices(log: LogSummary) -> Finding | None:
    if log.untestable:
        sentence = (
            "Rows stand for different numbers of decisions, so choices cannot be tested against "
            "the logged propensities: what was dropped may depend on them."
        )
        return Finding("choices", Severity.FINE, sentence, float("nan"))
    if np.isnan(log.evidence):
        sentence = (
            "The log has no propensities, so estimates rest on a model alone: on how well it "
            "predicts what arms would have paid where they were not chosen."
        )
        return Finding("propensities", Severity.CARE, sentence, float("nan"))
    shown = f"{log.evidence:,.3g}"
    if RULES["choices"].judge(log.evidence) is Severity.FINE:
        how = "all arms" if log.every else "the chosen arms"
        text = f"Choices agree with the logged propensities of {how} (e-value {shown})."
    else:
        text = (
            f"Arms were not chosen with the logged propensities: the evidence is {shown} to 1. "
            "Look for a filter after the draw, a stale model, or a column of something else."
        )
    return finding("choices", log.evidence, text)


def _missing(log: LogSummary) -> Finding | None:
    share = float(log.missing.sum() / max(log.rows.sum(), 1))
    if share == 0:
        return finding("missing", 0.0, "Every decision has its reward.")
    text = (
        f"{share:.1%} of the decisions have no reward and are left out: that is harmless only if "
        "it does not depend on the reward."
    )
    return finding("missing", share, text)


def _late(log: LogSummary) -> Finding | None:
    last = slice(BLOCKS - BLOCKS // 10, None)
    missing, rows = float(log.missing[last].sum()), float(log.rows[last].sum())
    before = log.missing.sum() - missing
    if missing < FEW or not rows:
        return None
    usual = max(before / max(log.rows.sum() - rows, 1), 1 / log.rows.sum())
    ratio = missing / rows / usual
    text = (
        f"In the last tenth {missing / rows:.1%} of the rewards are missing, {ratio:,.0f} times as "
        "many as before: they seem to be late. Leave out the newest decisions, or wait."
    )
    return finding("late", ratio, text) if ratio > RULES["late"].care else None


def _drift(log: LogSummary) -> Finding | None:
    p, change = log.drift()
    strength = min(-np.log10(max(p, 1e-300)), 300.0)
    if RULES["drift"].judge(strength) is Severity.FINE:
        return finding("drift", strength, f"Arms' rewards have not drifted (p = {p:.2g}).")
    text = (
        f"Arms' rewards have drifted (p = {p:.1g}): at the same shares of arms the second half "
        f"paid {change:+.3g} a decision. Estimates are means over the log, not of tomorrow."
    )
    return finding("drift", strength, text)


def check_target(name: str, it: TargetSummary, log: LogSummary) -> list[Finding]:
    """What is true of a target on a log with propensities."""
    checks: tuple[Callable[[str, TargetSummary, LogSummary], Finding], ...]
    checks = (_support, _size, _rewards, _largest, _tail, _mean)
    return [check(name, it, log) for check in checks]


def _support(name: str, it: TargetSummary, log: LogSummary) -> Finding:
    wanted = it.wanted / max(it.decisions, 1)
    rare = [at for at in np.argsort(-wanted) if wanted[at] > 0.01 and log.chosen[at] < FEW]
    if RULES["support"].judge(it.lost) is not Severity.FINE:
        text = f"{it.lost:.1%} of what {name} chooses was never chosen by the logger" + _named(
            log, [at for at in rare if log.chosen[at] == 0]
        )
        return finding("support", it.lost, f"{text}: the log cannot tell what that pays.")
    if rare:
        share = float(wanted[rare].sum())
        text = f"{share:.1%} of what {name} chooses the logger hardly ever chose"
        return Finding("support", Severity.CARE, f"{text}{_named(log, rare)}.", share)
    used = log.least[(wanted > 0.001) & (log.chosen > 0)]
    least = f"; the smallest propensity is {np.nanmin(used):.2g}" if used.size else ""
    return finding("support", it.lost, f"The logger chose whatever {name} chooses{least}.")


def _named(log: LogSummary, places: list[int]) -> str:
    names = [f"{called(str(log.arms[at]))!r}" for at in places[:SHOWN]]
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return f" ({', '.join(names)}{more})" if names else ""


def _size(name: str, it: TargetSummary, log: LogSummary) -> Finding:
    text = (
        f"{it.decisions:,.0f} decisions tell as much about {name} as {it.size:,.0f} of its own "
        "would (effective sample size)."
    )
    rule = RULES["learnt size" if log.varies else "size"]
    return Finding("size", rule.judge(it.size), text, float(it.size))


def _rewards(name: str, it: TargetSummary, log: LogSummary) -> Finding:
    text = f"The estimate rests on about {it.rewards:,.0f} rewards that are not the usual one."
    if it.odd == 0:
        text = "All rewards that count for it are the same."
    return finding("rewards", it.rewards, text)


def _largest(name: str, it: TargetSummary, log: LogSummary) -> Finding:
    share = it.share_of_largest
    largest = f"{it.largest:,.0f}" if it.largest >= 1000 else f"{it.largest:.3g}"
    text = f"The largest weight is {largest}: one decision has {share:.1%} of all weight."
    return finding("largest", share, text)


def _tail(name: str, it: TargetSummary, log: LogSummary) -> Finding:
    k = it.tail()
    shown = f"Pareto k = {k:.2f}" if np.isfinite(k) else "bounded"
    words = {
        Severity.FINE: f"The tail of the weights is light enough for means ({shown}).",
        Severity.CARE: f"The weights have a heavy tail ({shown}): intervals may be too narrow.",
    }
    return finding("tail", k, words[RULES["tail"].judge(k)])


def _mean(name: str, it: TargetSummary, log: LogSummary) -> Finding:
    error = it.mean_error
    off = abs(it.mean - 1) / error if error > 0 else (0.0 if abs(it.mean - 1) < 1e-6 else np.inf)
    shown = f"The mean weight is {it.mean:.3f} ± {1.96 * error:.3f}"
    if RULES["mean"].judge(off) is Severity.FINE:
        return finding("mean", off, f"{shown}, as it should be: near 1.")
    return finding(
        "mean", off, f"{shown}, but should be 1: propensities are wrong or rows are missing."
    )


def check_rerun(it: Rerun) -> list[Finding]:
    """What is true of a policy that had run in the logger's place."""
    unusual = f"It met about {it.odd:,.0f} rewards that are not the usual one."
    missed = "The log has every arm that it chose."
    if it.lost:
        missed = (
            f"{it.lost:.1%} of its choices are arms that the log never has: they are left out, so "
            "this is what it earns when it chooses another arm."
        )
    return [
        finding("support", it.lost, missed),
        finding("rewards", it.odd, unusual),
        finding("acceptance", it.rounds, f"{it}."),
    ]

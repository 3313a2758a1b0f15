"""What would it have earned? A log, targets, and an answer with its diagnostics."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.diagnostics.checks import check_log, check_rerun, check_target
from bandstrap.evaluation.diagnostics.finding import Finding, Verdict
from bandstrap.evaluation.diagnostics.log_summary import LogSummary, summarised
from bandstrap.evaluation.diagnostics.rules import Severity
from bandstrap.evaluation.estimated import NOTE, with_estimated_propensities
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.intervals import (
    STABILISED,
    Bootstrapped,
    Difference,
    Interval,
    StudentisedBootstrap,
    normal,
)
from bandstrap.evaluation.intervals.base import more
from bandstrap.evaluation.judging import (
    DM,
    DR,
    Judged,
    Settings,
    Walk,
    has_propensities,
    judged,
    logger_learns,
)
from bandstrap.evaluation.logs import read_log
from bandstrap.evaluation.moments import Estimate
from bandstrap.evaluation.result import Estimated, Evaluated, Evaluation, Logger, Paired, View
from bandstrap.evaluation.targets import HadItRun
from bandstrap.evaluation.targets.base import LEARNT
from bandstrap.evaluation.targets.problem import is_seen, support_of
from bandstrap.evaluation.targets.reading import TargetSet, default_targets, read_targets
from bandstrap.simulation.progress import ProgressLike, Quiet
from bandstrap.validation import require_share, require_whole

__all__ = ["evaluate", "run"]

LOGGER = "the logger"
CRESSIE_READ, REJECTION = "cressie-read", "rejection"


def evaluate(
    log: Any,
    targets: Any = None,
    *,
    answers: str | Sequence[str] = (LEARNT,),
    level: float = 0.95,
    seed: int = 0,
    draws: int | None = None,
    model: Any = None,
    estimate_propensities: bool = False,
    title: str | None = None,
    **columns: Any,
) -> Evaluation:
    """What other policies would have earned on a log of past decisions, and whether to trust it.

    `log` is a path, a pandas, polars or Arrow table, a `Feedback`, or whatever else `read_log`
    takes; `columns` say which column holds what, where their names do not: `arm`, `reward`,
    `propensity`, `context` and so on.

    `targets` are one or several, as a list, or by name: policies or their names, which are
    evaluated as they learnt from the log or as `answers` say ("frozen": they learn the first half
    and are judged on the second; "learnt"; "had it run"); a `Bandit`, as it is; a function of the
    context that gives an arm or probabilities; "uniform", "best-arm", "always=ARM", "column=NAME".
    By default a uniform choice, the best arm, and a bootstrap that learns from the log.

    `draws` is how often a policy draws for a row where it does not know its probabilities. `model`
    predicts rewards, for doubly robust estimates: one of ours, or scikit-learn's. A log without
    propensities is left to that model, unless `estimate_propensities`.

    >>> import pyarrow as pa
    >>> rng = np.random.default_rng(0)
    >>> arm = rng.choice(["old", "new"], size=2000, p=[0.8, 0.2])
    >>> paid = (rng.random(2000) < np.where(arm == "new", 0.3, 0.2)).astype(float)
    >>> p = np.where(arm == "new", 0.2, 0.8)
    >>> found = evaluate(pa.table({"arm": arm, "reward": paid, "propensity": p}), "always=new")
    >>> 0.3 in found["always new"].interval, found["always new"].verdict.word
    (True, 'trust')
    """
    feedback = log if isinstance(log, Feedback) else read_log(log, **columns)
    wanted = (answers,) if isinstance(answers, str) else tuple(answers)
    what = None if targets is None else read_targets(targets, wanted, draws)
    settings = Settings(level, seed, model, estimate_propensities)
    return run(feedback, what, settings, title or title_of(log))


def title_of(log: Any) -> str:
    """What to call a log."""
    return Path(log).name if isinstance(log, str | Path) else "the log"


def run(
    feedback: Feedback,
    what: TargetSet | None,
    settings: Settings,
    title: str,
    progress: ProgressLike | None = None,
) -> Evaluation:
    """Evaluate targets, or the usual ones, on a log that was read."""
    require_share(level=settings.level)
    require_whole(0, seed=settings.seed)
    bar, what = progress or Quiet(), what or default_targets(feedback)
    bar.add(_work(feedback, what))
    estimates = settings.estimate and not has_propensities(feedback)
    if estimates:
        feedback = with_estimated_propensities(feedback)
    log = summarised(feedback)
    if not log.counts.sum():
        raise InvalidInput("log", title, "no decision has a reward: give a log that has some")
    walk = judged(feedback, what.targets, log, settings, bar)
    drawn = StudentisedBootstrap(settings.level, seed=settings.seed).of(walk.moments)
    learns = logger_learns(feedback, log)
    view = _Results(feedback, log, walk, drawn, settings, learns)
    if estimates:  # which the choices agree with, as they were made from them
        labelled = Finding("propensities", Severity.CARE, NOTE, float("nan"))
        view.log_findings = [labelled, *(f for f in view.log_findings if f.check != "choices")]
    found = [view.target(place) for place in range(len(what.targets))]
    found += [view.rerun(each, bar) for each in what.reruns]
    return Evaluation(
        title, len(feedback), walk.first, settings.level, settings.seed, view.logger(),
        tuple(found), view.differences(), tuple(view.log_findings),
        (*feedback.notes, *what.notes, *view.notes()),
    )  # fmt: skip


def _work(feedback: Feedback, what: TargetSet) -> int:
    replays = sum(each.replays_of(feedback) for each in what.reruns)
    return len(feedback) * (len(what.targets) + replays)


class _Results:
    """Everything that was found, put into words and numbers."""

    def __init__(
        self, feedback: Feedback, log: LogSummary, walk: Walk, drawn: Bootstrapped,
        settings: Settings, learns: bool,
    ) -> None:  # fmt: skip
        self.feedback, self.log, self.walk, self.drawn = feedback, log, walk, drawn
        self.settings, self.learns = settings, learns
        self.log_findings = check_log(log)
        self.weighs = has_propensities(feedback)
        self.at_logger = len(walk.targets)
        self.support, self.seen = support_of(feedback), is_seen(feedback)

    def _possible(self, interval: Interval) -> Interval:
        """The part of an interval that lies in the range of rewards, as any mean of them does."""
        if self.seen:
            return interval
        least, most = self.support.low, self.support.high
        low, high = (min(max(each, least), most) for each in (interval.low, interval.high))
        return Interval(low, high, interval.level, interval.method)

    def logger(self) -> Logger:
        chosen = self.walk.moments.chosen(self.at_logger)[0]
        log, counts = self.log, self.log.counts
        by_block = counts.sum(axis=1)
        return Logger(
            chosen.value, chosen.error, self.drawn.interval(DR, self.at_logger), log.arms,
            log.shares, _ratio(log.sums.sum(axis=0), counts.sum(axis=0)),
            log.least, _ratio(log.sums.sum(axis=1), by_block), log.rows,
        )  # fmt: skip

    def target(self, place: int) -> Evaluated:
        it = self.walk.targets[place]
        estimates = self._estimates(place, it)
        best, name = estimates[0], it.target.name
        findings = [*self.log_findings, *self._checked(it)]
        return Evaluated(
            name, it.target.answer, best.value, best.error, best.interval, estimates,
            it.always.interval() if self.weighs else None, self._gain(place), tuple(findings),
            Verdict.of(findings), self._view(it),
        )  # fmt: skip

    def _checked(self, it: Judged) -> list[Any]:
        found = check_target(it.target.name, it.summary, self.log)
        return found if self.weighs else found[:1]

    def _estimates(self, place: int, it: Judged) -> tuple[Estimated, ...]:
        """All of them; first the one that the answer is."""
        found = [self._estimate(place, each) for each in self.walk.moments.estimates(place)]
        if not self.weighs:
            return tuple(each for each in found if each.estimator != DR)
        steady = it.stabilised
        main = self._with_draws(
            place, STABILISED, steady.value, steady.error, steady.interval(), ""
        )
        cressie = it.cressie_read
        last = Estimated(CRESSIE_READ, cressie.value, float("nan"), cressie.interval())
        ordered = [main, *found] if self.learns else [found[0], main, *found[1:]]
        return (*ordered, last)

    def _estimate(self, place: int, it: Estimate) -> Estimated:
        interval, error = self.drawn.interval(it.name, place), it.error
        if it.name == DM:  # its own spread is that of contexts alone
            [dr] = (each for each in self.walk.moments.estimates(place) if each.name == DR)
            interval, error = self.drawn.interval(DR, place).moved(it.value - dr.value), dr.error
        return self._with_draws(place, it.name, it.value, error, interval, _tuning(it))

    def _with_draws(
        self, place: int, name: str, value: float, error: float, interval: Interval, tuning: str
    ) -> Estimated:
        """With the error of draws that rows share, which their spread does not show."""
        error, factor = more(error, self.walk.targets[place].drawn)
        interval = interval.widened(value, factor) if factor != 1 else interval
        return Estimated(name, value, error, self._possible(interval), tuning)

    def _gain(self, place: int) -> Paired:
        pair = self._differences(self.at_logger)[place, self.at_logger]
        return Paired(self.walk.targets[place].target.name, LOGGER, pair)

    def _differences(self, against: int | None = None) -> dict[tuple[int, int], Difference]:
        """Of the estimates that are shown, by the method of their intervals."""
        drawn = [*(each.drawn for each in self.walk.targets), 0.0]
        return {
            (one, other): each.with_error(drawn[one] + drawn[other])
            for (one, other), each in self._of_rows(against).items()
        }

    def _of_rows(self, against: int | None) -> dict[tuple[int, int], Difference]:
        """The same by the spread of rows alone."""
        if self.learns:
            return self.walk.differences.simultaneous(against)
        found = self.drawn.simultaneous_differences(DR, against)
        if self.weighs:
            return found
        values = self._models()
        return {pair: each.at(values[pair[0]] - values[pair[1]]) for pair, each in found.items()}

    def _models(self) -> list[float]:
        """What a model alone says of all targets, and of the logger."""
        every = (self.walk.moments.estimates(place) for place in range(self.at_logger + 1))
        return [next(it.value for it in each if it.name == DM) for each in every]

    def differences(self) -> tuple[Paired, ...]:
        targets = [each.target.name for each in self.walk.targets]
        every = self._differences()
        return tuple(
            Paired(targets[one], targets[other], difference)
            for (one, other), difference in every.items()
            if other != self.at_logger
        )

    def rerun(self, wanted: HadItRun, bar: ProgressLike) -> Evaluated:
        it = wanted.run(self.feedback, self.settings.seed, bar.done)
        interval = self._possible(normal(it.value, it.error, self.settings.level))
        findings = [*self.log_findings, *check_rerun(it)]
        estimate = Estimated(REJECTION, it.value, it.error, interval)
        return Evaluated(
            it.name, wanted.answer, it.value, it.error, interval, (estimate,), None, None,
            tuple(findings), Verdict.of(findings),
        )  # fmt: skip

    def _view(self, it: Judged) -> View:
        weights, paid, _ = it.summary.blocks
        rewards = _ratio(paid, weights)
        return View(it.summary.bins, it.summary.wanted / max(it.summary.decisions, 1), rewards)

    def notes(self) -> Iterable[str]:
        """What readers should know about how it was done."""
        if self.walk.first:
            some = f"The first {self.walk.first:,} decisions"
            yield f"{some} are for training: no target is judged there."
        if self.seen and self.weighs:
            yield (
                "Nobody has declared where rewards lie. The interval at every look and "
                f"{CRESSIE_READ} assume the range seen, {self.support.low:g} to "
                f"{self.support.high:g}; declare it by rewards=Support.interval(low, high)."
            )
        if self.learns:
            yield (
                "Propensities of an arm vary, so the logger may have learnt: the answer is by "
                "doubly robust estimates of stabilised variance."
            )
        if not self.weighs:
            yield (
                "Intervals of a model alone are as wide as those of doubly robust estimates with "
                "propensities estimated from the log: they allow for noise, not for a wrong model."
            )
        for each in self.walk.targets:
            if each.summary.draws:
                yield (
                    f"{each.target.name} does not know its probabilities: they are shares of "
                    f"{each.summary.draws} draws or more."
                )


def _tuning(estimate: Estimate) -> str:
    shown = repr(estimate.chosen)
    return shown.partition("(")[2].removesuffix(")")


def _ratio(sums: Array, counts: Array) -> Array:
    found: Array = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    return found

"""One walk over a log, side by side for all targets: sums of estimators, tallies, weights."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.diagnostics.log_summary import LogSummary
from bandstrap.evaluation.diagnostics.target_summary import TargetSummary
from bandstrap.evaluation.estimated import with_estimated_propensities
from bandstrap.evaluation.estimators import ESTIMATORS, Estimator
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.intervals import Betting, CressieRead, StabilisedDifferences, StabilisedDR
from bandstrap.evaluation.moments import Moments
from bandstrap.evaluation.regression import cross_fit, forward_fit, sampled
from bandstrap.evaluation.sample import Sample
from bandstrap.evaluation.targets import Shares, Target
from bandstrap.evaluation.targets.base import row_counts, row_slices
from bandstrap.evaluation.targets.problem import support_of
from bandstrap.simulation.progress import ProgressLike

__all__ = ["DM", "DR", "Judged", "Settings", "has_propensities", "judged", "logger_learns"]

FIRST = 100_000  # rewards that the usual one is found among
FEW = 5_000  # rows of a half that propensities are estimated from, if only errors need them
DR, DM = "dr", "dm"


@dataclass(frozen=True)
class Settings:
    """How to evaluate: the level of intervals, the seed, the model of rewards, and whether to
    estimate propensities that a log does not have."""

    level: float = 0.95
    seed: int = 0
    model: Any = None
    estimate: bool = False  # propensities, of a log that has none


class Judged:
    """A target's weights and tallies; its sums are among the `Moments` of all targets."""

    def __init__(self, target: Target, feedback: Feedback, log: LogSummary, level: float) -> None:
        self.target = target
        self.summary = TargetSummary(feedback, _usual(feedback), log.chosen)
        support = support_of(feedback)
        self.always = Betting(support.low, support.high, level).start()
        self.cressie_read = CressieRead(support.low, support.high, level).start()
        self.stabilised = StabilisedDR(level).start()
        self._drawn, self._decisions = 0.0, 0.0  # a variance of the sum over decisions

    def look(self, shares: Shares, expected: Array, counts: Array) -> None:
        """Take in probabilities; `counts` are 0 where no reward has come."""
        self.summary.add(shares)
        self._drawn += shares.variance(expected, counts)
        self._decisions += float(counts.sum())

    @property
    def drawn(self) -> float:
        """The variance of estimates that comes from draws which rows share."""
        return max(self._drawn, 0.0) / max(self._decisions, 1.0) ** 2

    def add(self, sample: Sample, forward: Sample) -> Sample:
        """Take in the next decisions; `forward` has a model of those before alone.

        Its terms of stabilised variance come back, with their weights.
        """
        self.always.add(sample)
        self.cressie_read.add(sample)
        return self.stabilised.weighed(forward)


@dataclass(frozen=True)
class Walk:
    """What came of the walk."""

    moments: Moments  # of all targets, then of the logger
    targets: tuple[Judged, ...]
    differences: StabilisedDifferences  # of all targets, then of the logger
    first: int  # the first row that was judged


def judged(
    feedback: Feedback,
    targets: Sequence[Target],
    log: LogSummary,
    settings: Settings,
    progress: ProgressLike,
) -> Walk:
    """Judge all targets on the same rows: those that none of them was trained on."""
    first = max((each.first(feedback) for each in targets), default=0)
    found = tuple(Judged(each, feedback, log, settings.level) for each in targets)
    moments = Moments(estimators_for(feedback), len(targets) + 1)
    differences = StabilisedDifferences(len(targets) + 1, settings.level)
    weighs = has_propensities(feedback)
    # A model alone does not know how wrong it is. Its errors are those of dr, which needs these.
    weighed = feedback if weighs else with_estimated_propensities(feedback, FEW)
    across = cross_fit(feedback, model=settings.model)
    ahead = forward_fit(feedback, model=settings.model) if weighs else across
    for rows, shares in _together(feedback, targets, first, settings.seed):
        q = across(rows.start, rows.stop)
        later = ahead(rows.start, rows.stop) if weighs else q
        counts = row_counts(feedback, rows) * ~np.isnan(np.asarray(feedback.rewards[rows]))
        samples, steady, logger = [], [], _of_logger(feedback, rows)
        for each, one in zip(found, shares, strict=True):
            each.look(one, q, counts)
            sample = sampled(weighed, rows.start, rows.stop, one.every, q)
            if weighs:
                forward = sampled(feedback, rows.start, rows.stop, one.every, later)
                steady.append(each.add(sample, forward))
            samples.append(sample)
        moments.add([*samples, logger])
        if weighs:
            differences.add([*steady, as_it_is(logger)])
        progress.done(len(targets) * (rows.stop - rows.start))
    return Walk(moments, found, differences, first)


def _together(
    feedback: Feedback, targets: Sequence[Target], first: int, seed: int
) -> Iterator[tuple[slice, list[Shares]]]:
    """What all targets say of the same rows."""
    walks = [_since(each.shares(feedback, seed), first) for each in targets]
    for rows in row_slices(feedback, first):
        yield rows, [next(walk) for walk in walks]


def _since(walk: Iterator[Shares], first: int) -> Iterator[Shares]:
    for shares in walk:
        rest = shares.since(first)
        if rest is not None:
            yield rest


def _of_logger(feedback: Feedback, rows: slice) -> Sample:
    """The logger as a target: every estimator then says the mean reward."""
    rewards = np.asarray(feedback.rewards[rows], dtype=np.float64)
    came = ~np.isnan(rewards)
    counts = None if feedback.counts is None else np.asarray(feedback.counts[rows])[came]
    paid, ones = rewards[came], np.ones(int(came.sum()))
    return Sample(paid, ones, ones, paid, paid, counts)


def as_it_is(logger: Sample) -> Sample:
    """Its rewards, all of one weight."""
    ones = np.ones(len(logger))
    return Sample(logger.rewards, ones, ones, counts=logger.counts)


def estimators_for(feedback: Feedback) -> tuple[Estimator, ...]:
    """Those that a log has what it takes for, and dr, whose errors are those of a model."""
    known = has_propensities(feedback)
    return tuple(
        each
        for each in ESTIMATORS.values()
        if known or not each.needs_propensities or each.name == DR
    )


def has_propensities(feedback: Feedback) -> bool:
    """Whether a log says how probable the chosen arms were."""
    return feedback.propensities is not None or feedback.weights is not None


def logger_learns(feedback: Feedback, log: LogSummary) -> bool:
    """Whether propensities of an arm differ from row to row, as those of a learning logger do."""
    return has_propensities(feedback) and log.varies


def _usual(feedback: Feedback) -> float:
    """The reward that most decisions have, about."""
    rewards: Array = np.asarray(feedback.rewards[:FIRST])
    came = ~np.isnan(rewards)
    if feedback.counts is None or not came.any():
        return float(np.median(rewards[came])) if came.any() else 0.0
    order = np.argsort(rewards[came], kind="stable")
    below = np.asarray(feedback.counts[:FIRST])[came][order].cumsum()
    return float(rewards[came][order][np.searchsorted(below, below[-1] / 2)])

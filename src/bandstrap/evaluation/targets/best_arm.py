"""The best single arm, found on the way: what one would earn without looking at contexts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import (
    LEARNT,
    Shares,
    Target,
    allowed_rows,
    row_counts,
    row_slices,
)
from bandstrap.evaluation.targets.learning import batch_after
from bandstrap.evaluation.targets.rules import only

__all__ = ["BestArm"]

PRIOR = 10.0  # decisions that an arm's mean is shrunk by, to the mean of all


@dataclass(frozen=True)
class BestArm(Target):
    """Always the arm whose rewards, weighted by inverse propensities, were best so far.

    To choose the arm by all rows and then to judge it by the same rows would flatter it. Before the
    first reward any allowed arm is chosen.

    >>> log = Feedback(("a", "b"), np.array([0, 1] * 200), np.array([0.0, 1.0] * 200))
    >>> [*BestArm().shares(log)][-1].every[-1].tolist()
    [0.0, 1.0]
    """

    answer: ClassVar[str] = LEARNT
    name: str = "best arm so far"

    def shares(self, feedback: Feedback, seed: int = 0) -> Iterator[Shares]:
        sums = np.zeros((2, len(feedback.arms)))  # of weights, of weights times rewards
        for rows in row_slices(feedback):
            open_ = allowed_rows(feedback, rows)
            every = np.empty(open_.shape)
            at = rows.start
            while at < rows.stop:
                end = min(at + batch_after(at, contexts=False), rows.stop)
                some = slice(at - rows.start, end - rows.start)
                every[some] = _leaders(sums, open_[some])
                _add(sums, feedback, slice(at, end))
                at = end
            yield Shares(rows, every)


def _leaders(sums: Array, allowed: Array) -> Array:
    """The arm with the best mean among the allowed ones of each row."""
    weights, totals = sums
    if weights.sum() == 0:
        return only(np.full(len(allowed), -1), allowed)
    shrunk = (totals + PRIOR * totals.sum() / weights.sum()) / (weights + PRIOR)
    return only(np.where(allowed, shrunk, -np.inf).argmax(axis=1), allowed)


def _add(sums: Array, feedback: Feedback, rows: slice) -> None:
    rewards, chosen = np.asarray(feedback.rewards[rows]), np.asarray(feedback.chosen[rows])
    came = ~np.isnan(rewards)
    weights = (inverse_propensities(feedback, rows) * row_counts(feedback, rows))[came]
    np.add.at(sums[0], chosen[came], weights)
    np.add.at(sums[1], chosen[came], weights * rewards[came])


def inverse_propensities(feedback: Feedback, rows: slice) -> Array:
    """What a row's reward is to be multiplied by; 1 in a log without propensities."""
    if feedback.weights is not None:
        return np.asarray(feedback.weights[rows], dtype=np.float64)
    if feedback.propensities is not None:
        inverse: Array = 1 / np.asarray(feedback.propensities[rows], dtype=np.float64)
        return inverse
    return np.ones(rows.stop - rows.start)

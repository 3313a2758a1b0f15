"""Propensities for logs that have none: estimated from how arms were chosen in contexts."""

from dataclasses import replace
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import allowed_rows, row_counts, row_slices
from bandstrap.evaluation.targets.problem import Scale

__all__ = ["NOTE", "with_estimated_propensities"]

LEAST = 1e-3  # a smaller estimate is more likely wrong than right
ROWS = 50_000  # that a model of choices is fit to, of each half
BLOCK = 1000  # neighbouring rows of one half
NOTE = (
    "Propensities are estimated from the log: right only if the logger looked at nothing that is "
    "not among these contexts, and did not learn."
)


def with_estimated_propensities(feedback: Feedback, rows: int = ROWS) -> Feedback:
    """The same log with propensities from a model of the logger's choices.

    Without contexts it is how often each arm was chosen; with contexts a logistic regression, fit
    to one half of the rows for the other half, to `rows` of each at most.

    >>> log = Feedback(("a", "b"), np.array([0, 1, 0, 0]), np.ones(4))
    >>> with_estimated_propensities(log).propensities.tolist()
    [0.75, 0.25, 0.75, 0.75]
    """
    halves = [_choices(feedback, half, rows) for half in (1, 0)]
    found = np.empty(len(feedback))
    for some in row_slices(feedback):
        every = np.where(
            (_half(some) == 0)[:, None], halves[0](some), halves[1](some)
        ) * allowed_rows(feedback, some)
        chosen = np.asarray(feedback.chosen[some])
        own = every[np.arange(len(chosen)), chosen] / every.sum(axis=1)
        found[some] = np.maximum(own, LEAST)
    return replace(feedback, propensities=found, weights=None, probabilities=None)


def _half(rows: slice) -> Array:
    """Which half of the log rows are in."""
    halves: Array = np.arange(rows.start, rows.stop) // BLOCK % 2
    return halves


def _choices(feedback: Feedback, half: int, rows: int) -> Any:
    """A function of rows that gives the probability of each arm, (rows, arms)."""
    if feedback.contexts is None:
        weights = row_counts(feedback, slice(0, len(feedback)))
        counts = np.bincount(np.asarray(feedback.chosen), weights, minlength=len(feedback.arms))
        return lambda rows: np.tile(counts / counts.sum(), (rows.stop - rows.start, 1))
    from sklearn.linear_model import LogisticRegression

    scale, some = Scale.of(feedback), slice(0, min(len(feedback), 2 * rows))
    mine = _half(some) == half if len(feedback) > BLOCK else np.ones(some.stop, dtype=np.bool_)
    arms = np.asarray(feedback.chosen[some])[mine]
    if len(np.unique(arms)) < 2:
        only = np.eye(len(feedback.arms))[arms[0]]
        return lambda rows: np.tile(only, (rows.stop - rows.start, 1)) + LEAST
    contexts, weights = (
        scale.scaled(feedback.contexts[some])[mine],
        row_counts(feedback, some)[mine],
    )
    fit = LogisticRegression(max_iter=300).fit(contexts, arms, sample_weight=weights)

    def every(rows: slice) -> Array:
        assert feedback.contexts is not None
        found = np.full((rows.stop - rows.start, len(feedback.arms)), LEAST)
        found[:, fit.classes_] = fit.predict_proba(scale.scaled(feedback.contexts[rows]))
        return found

    return every

"""A log as a problem for policies: arms, contexts as numbers, and where rewards lie."""

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import BandstrapError, InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import row_slices
from bandstrap.policies import Policy, ScaledRewards
from bandstrap.problem import Problem, Support

UNIT = (0.0, 1.0)
FIRST = 100_000  # rows that contexts are scaled by


class Scale(NamedTuple):
    """What makes numbers comparable, as `compare` does: 0 on average, and 1 away from that."""

    means: Array  # (features,)
    deviations: Array

    @classmethod
    def of(cls, feedback: Feedback) -> "Scale":
        """By the first rows of a log; zeros and ones stay as they are."""
        assert feedback.contexts is not None
        rows = np.asarray(feedback.contexts[:FIRST], dtype=np.float64)
        flags = ((rows == 0) | (rows == 1)).all(axis=0)
        means, deviations = rows.mean(axis=0), rows.std(axis=0)
        plain = flags | (deviations == 0)
        return cls(np.where(plain, 0.0, means), np.where(plain, 1.0, deviations))

    def scaled(self, rows: Array) -> Array:
        """Rows of contexts as a model sees them."""
        scaled: Array = (np.asarray(rows, dtype=np.float64) - self.means) / self.deviations
        return scaled


class Played(NamedTuple):
    """A policy ready to play a log: it may see its rewards as numbers from 0 to 1."""

    policy: Policy[Any]
    problem: Problem
    contexts: Array | None  # of the log
    scale: Scale | None = None  # which the policy sees them by

    def start(self) -> Any:
        """What the policy knows before the first row."""
        return self.policy.start(self.problem)

    def row(self, at: int) -> Array | None:
        """The context of a row, (1, features)."""
        if self.contexts is None:
            return None
        row = np.ascontiguousarray(self.contexts[at : at + 1], dtype=np.float64)
        return row if self.scale is None else self.scale.scaled(row)


def played(policy: Policy[Any], feedback: Feedback, name: str) -> Played:
    """The policy on the log, or a sentence that says why it cannot play it."""
    support = support_of(feedback)
    ready = policy if (support.low, support.high) == UNIT else ScaledRewards(policy)
    contexts = None if policy.context_free else feedback.contexts
    width = 0 if contexts is None else contexts.shape[1]
    columns = None if contexts is None else feedback.columns
    scale = None if contexts is None else Scale.of(feedback)
    problem = Problem(len(feedback.arms), width, support, columns)
    found = Played(ready, problem, contexts, scale)
    try:
        found.start()
    except BandstrapError as error:
        remedy = f"it cannot play this log ({error}); leave it out"
        raise InvalidInput("policy", name, remedy) from error
    return found


def is_bounded(support: Support) -> bool:
    """Whether rewards have a least and a largest value."""
    return isfinite(support.low) and isfinite(support.high)


def is_seen(feedback: Feedback) -> bool:
    """Whether the range of rewards is only that of the rewards seen: nobody has declared one."""
    if feedback.support is not None and is_bounded(feedback.support):
        return False
    support = support_of(feedback)
    return not UNIT[0] <= support.low <= support.high <= UNIT[1]


def support_of(feedback: Feedback) -> Support:
    """Where the rewards of a log lie: as declared, or two values, [0, 1], or the range seen."""
    if feedback.support is not None and is_bounded(feedback.support):
        return feedback.support
    seen: set[float] = set()
    low, high = np.inf, -np.inf
    for rows in row_slices(feedback):
        rewards = np.asarray(feedback.rewards[rows])
        rewards = rewards[~np.isnan(rewards)]
        if rewards.size:
            low, high = min(low, float(rewards.min())), max(high, float(rewards.max()))
            seen |= {*np.unique(rewards)[:3].tolist()} if len(seen) < 3 else set()
    if not seen:
        raise InvalidInput("log", "no reward", "a log needs rewards: give one that has some")
    if len(seen) <= 2 and seen <= {*UNIT}:
        return Support.binary()
    if UNIT[0] <= low and high <= UNIT[1]:
        return Support.interval()
    if len(seen) == 2:
        return Support.categories(seen)
    return Support.interval(low, high) if low < high else Support.interval(low - 0.5, high + 0.5)

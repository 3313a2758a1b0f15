"""A log as a problem for policies: arms, contexts as numbers, and where rewards lie."""

from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import BandstrapError, InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import row_slices
from bandstrap.policies import Policy, ScaledRewards
from bandstrap.problem import Problem, Support

UNIT = (0.0, 1.0)


class Played(NamedTuple):
    """A policy ready to play a log: it may see its rewards as numbers from 0 to 1."""

    policy: Policy[Any]
    problem: Problem
    contexts: Array | None  # of the log, as the policy sees them

    def start(self) -> Any:
        """What the policy knows before the first row."""
        return self.policy.start(self.problem)

    def row(self, at: int) -> Array | None:
        """The context of a row, (1, features)."""
        if self.contexts is None:
            return None
        return np.ascontiguousarray(self.contexts[at : at + 1], dtype=np.float64)


def played(policy: Policy[Any], feedback: Feedback, name: str) -> Played:
    """The policy on the log, or a sentence that says why it cannot play it."""
    support = support_of(feedback)
    ready = policy if (support.low, support.high) == UNIT else ScaledRewards(policy)
    contexts = None if policy.context_free else feedback.contexts
    width = 0 if contexts is None else contexts.shape[1]
    columns = None if contexts is None else feedback.columns
    found = Played(ready, Problem(len(feedback.arms), width, support, columns), contexts)
    try:
        found.start()
    except BandstrapError as error:
        remedy = f"it cannot play this log ({error}); leave it out"
        raise InvalidInput("policy", name, remedy) from error
    return found


def support_of(feedback: Feedback) -> Support:
    """Where the rewards of a log lie: two values, [0, 1], or from the least to the largest."""
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

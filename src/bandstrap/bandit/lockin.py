"""Theorem 1 made useful: notice an arm that resampling can no longer tell anything new of."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from bandstrap.bandit.decision import Arm
from bandstrap.bandit.explanation import drawn
from bandstrap.policies import Policy

FIRST = 64  # the decision of the first look; the next ones are at twice as many
DRAWS = 16


class LockInWarning(UserWarning):
    """An arm has in effect been frozen out."""


class Watchman:
    """Looks now and then for arms whose draws never vary and never win, while others' vary."""

    def __init__(self) -> None:
        self.due = FIRST
        self.told: list[Arm] = []

    def look(
        self,
        policy: Policy[Any],
        state: Any,
        context: np.ndarray | None,
        names: Sequence[Arm],
        decisions: int,
    ) -> None:
        if decisions < self.due:
            return
        self.due = 2 * decisions
        for place in frozen(drawn(policy, state, context, DRAWS, decisions)):
            if names[place] not in self.told:
                self.told.append(names[place])
                warnings.warn(
                    f"arm {names[place]!r} has in effect been frozen out: its draw is the same "
                    "every time and below another's (the rewards it has had are all alike). Use "
                    "Exponential() weights with a prior, or ForcedPulls",
                    LockInWarning,
                    stacklevel=4,
                )


def frozen(scores: np.ndarray) -> list[int]:
    """Arms whose draws (draws, arms) are all alike and below the best arm's in each draw."""
    still = (scores == scores[0]).all(axis=0)
    never = (scores < scores.max(axis=1, keepdims=True)).all(axis=0)
    if still.all():  # a policy that draws nothing at random explores in other ways
        return []
    return [int(place) for place in np.flatnonzero(still & never)]

"""Theorem 1 made useful: notice an arm that resampling can no longer tell anything new of."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.bandit.explanation import drawn
from bandstrap.policies import Policy
from bandstrap.storage.schema import ListOf, Name, Schema, Whole

FIRST = 64  # the decision of the first look; the next ones are at twice as many
DRAWS = 64  # so that looks cost a decision no more than about one draw on average


class LockInWarning(UserWarning):
    """An arm has in effect been frozen out."""


class Watchman:
    """Looks now and then for arms whose draws never vary and never win, while others' vary.

    It tells of an arm that it has found so twice in a row.
    """

    schema = Schema(due=Whole(FIRST), suspects=ListOf(Name()), told=ListOf(Name()))

    def __init__(self) -> None:
        self.due = FIRST
        self.suspects: list[Arm] = []
        self.told: list[Arm] = []

    def remap_arms(self, names: Sequence[Arm]) -> None:
        """Go on with other arms."""
        self.suspects = [arm for arm in self.suspects if arm in names]
        self.told = [arm for arm in self.told if arm in names]

    def look(
        self,
        policy: Policy[Any],
        state: Any,
        context: Array | None,
        names: Sequence[Arm],
        decisions: int,
    ) -> None:
        if decisions < self.due:
            return
        self.due = 2 * decisions
        found = [names[place] for place in frozen(drawn(policy, state, context, DRAWS, decisions))]
        for arm in found:
            if arm in self.suspects and arm not in self.told:
                self.told.append(arm)
                _warn(arm)
        self.suspects = found


def _warn(arm: Arm) -> None:
    warnings.warn(
        f"arm {arm!r} has in effect been frozen out: its draw is the same every time and below "
        "another's (the rewards it has had are all alike). Use Exponential() weights with a prior, "
        "or ForcedPulls",
        LockInWarning,
        stacklevel=7,
    )


def frozen(scores: Array) -> list[int]:
    """Arms whose draws (draws, arms) are all alike and below the best arm's in each draw."""
    still = (scores == scores[0]).all(axis=0)
    never = (scores < scores.max(axis=1, keepdims=True)).all(axis=0)
    if still.all():  # a policy that draws nothing at random explores in other ways
        return []
    return [int(place) for place in np.flatnonzero(still & never)]

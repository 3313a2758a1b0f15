"""Theorem 1 put to use: warn of an arm whose bootstrap draws no longer vary."""

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.bandit.explanation import draw_scores
from bandstrap.policies import Policy
from bandstrap.storage.schema import ListOf, Name, Schema, Whole

FIRST = 64  # the decision of the first look; each next look is at twice as many
DRAWS = 64  # costs about one draw per decision on average


class LockInWarning(UserWarning):
    """An arm has in effect been frozen out.

    >>> import warnings
    >>> warnings.simplefilter("ignore", LockInWarning)
    """


class LockInDetector:
    """Looks now and then for arms whose draws never vary and never win, while others' vary.

    It warns of an arm that two looks in a row have found.
    """

    schema = Schema(due=Whole(FIRST), suspects=ListOf(Name()), warned=ListOf(Name()))
    former_fields: ClassVar[dict[str, str]] = {"told": "warned"}

    def __init__(self) -> None:
        self.due = FIRST
        self.suspects: list[Arm] = []
        self.warned: list[Arm] = []

    def remap_arms(self, names: Sequence[Arm]) -> None:
        """Forget the arms that are gone."""
        self.suspects = [arm for arm in self.suspects if arm in names]
        self.warned = [arm for arm in self.warned if arm in names]

    def look(
        self,
        policy: Policy[Any],
        state: Any,
        context: Array | None,
        names: Sequence[Arm],
        decisions: int,
    ) -> None:
        """Look at `decisions` decisions, as `due` has asked for."""
        self.due = 2 * decisions
        scores = draw_scores(policy, state, context, DRAWS, decisions)
        found = [names[place] for place in frozen(scores)]
        for arm in found:
            if arm in self.suspects and arm not in self.warned:
                self.warned.append(arm)
                warnings.warn(
                    f"arm {arm!r} has in effect been frozen out: its draw is the same every time "
                    "and below another's (all its rewards are equal). Use Exponential() weights "
                    "with a prior, or ForcedPulls",
                    LockInWarning,
                    stacklevel=4,  # the caller of `Bandit.decide`
                )
        self.suspects = found


def frozen(scores: Array) -> list[int]:
    """Arms whose draws (draws, arms) are all equal and below the best arm's in each draw."""
    still = (scores == scores[0]).all(axis=0)
    never = (scores < scores.max(axis=1, keepdims=True)).all(axis=0)
    if still.all():  # a deterministic policy explores in other ways
        return []
    return [int(place) for place in np.flatnonzero(still & never)]

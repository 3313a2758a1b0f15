"""Theorem 1 put to use: arms whose draws no longer vary and never win."""

from collections.abc import Mapping
from typing import Any

from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.decision import Arm
from bandstrap.bandit.explanation import draw_scores
from bandstrap.bandit.lock_in import DRAWS, FIRST, frozen
from bandstrap.service.forms import COUNT, Fields, check
from bandstrap.service.judging.chances import row_of
from bandstrap.storage.schema import ListOf, Name

__all__ = ["LockIn"]

LONGEST = 4096  # lessons between two looks
FORM = Fields(lessons=COUNT, due=COUNT, suspects=ListOf(Name()), arms=ListOf(Name()))


class LockIn:
    """Looks now and then, as the bandit's own detector does when it decides.

    Deciders come and go, and see a part of the decisions each; the learner sees all. An arm is
    named as long as two looks in a row have found it.

    >>> LockIn().arms
    []
    """

    def __init__(self) -> None:
        self.lessons, self.due = 0, FIRST
        self.suspects: list[Arm] = []
        self.arms: list[Arm] = []

    def add(self, deciding: Bandit, context: Any) -> None:
        """Count a lesson, and look if it is time to."""
        self.lessons += 1
        if self.lessons >= self.due:
            self.due = self.lessons + min(self.lessons, LONGEST)
            self._look(deciding, context)

    def forget(self, arm: Arm) -> None:
        """An arm has gone, or is back."""
        self.suspects = [each for each in self.suspects if each != arm]
        self.arms = [each for each in self.arms if each != arm]

    def to_dict(self) -> dict[str, Any]:
        kept = {"lessons": self.lessons, "due": self.due}
        return {**kept, "suspects": [*self.suspects], "arms": [*self.arms]}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "LockIn":
        check(FORM, kept)
        made = cls()
        made.lessons, made.due = kept["lessons"], kept["due"]
        made.suspects, made.arms = [*kept["suspects"]], [*kept["arms"]]
        return made

    def _look(self, bandit: Bandit, context: Any) -> None:
        row = row_of(bandit, context)
        memory, seen = bandit.memory(row), bandit.contexts.seen(row)
        scores = draw_scores(memory.policy, memory.state, seen, DRAWS, self.lessons)
        found = [bandit.arms[place] for place in frozen(scores)]
        self.arms = [arm for arm in found if arm in self.suspects]
        self.suspects = found

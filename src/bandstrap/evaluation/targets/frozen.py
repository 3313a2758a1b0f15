"""A bandit as it is: what it would have decided in every row of a log, if it learnt no more."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit import Bandit, Propensity
from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import (
    FROZEN,
    Grouping,
    Shares,
    Target,
    allowed_rows,
    row_blocks,
    row_slices,
)
from bandstrap.evaluation.targets.judge import DRAWS, MOST
from bandstrap.evaluation.targets.rules import contexts_of

__all__ = ["Frozen"]


@dataclass(frozen=True)
class Frozen(Target):
    """A `Bandit` as it is now, with its floor and its control; the log teaches it nothing.

    Arms that the log does not have keep their probability, which then lacks support. `draws` is how
    often it draws for a row where its policy does not know its probabilities.

    >>> from bandstrap import Bandit, EpsilonGreedy
    >>> bandit = Bandit(EpsilonGreedy(), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a", "b"], reward=[1.0, 0.0])
    >>> log = Feedback(("a", "b"), np.array([0, 1]), np.array([1.0, 0.0]))
    >>> next(Frozen(bandit).shares(log)).every[0].round(3).tolist()
    [0.528, 0.472]
    """

    answer: ClassVar[str] = FROZEN
    bandit: Bandit
    name: str = "the bandit"
    draws: int | None = None

    def shares(self, feedback: Feedback, seed: int = 0) -> Iterator[Shares]:
        copy = _Copy(self.bandit, feedback, self.draws, seed)
        for rows in row_slices(feedback):
            every = np.concatenate([copy.rows(each) for each in row_blocks(feedback, rows)])
            yield Shares(rows, every, copy.fewest, copy.grouping.taken())


class _Copy:
    """A copy of a bandit that answers for rows of a log and learns nothing."""

    def __init__(self, bandit: Bandit, feedback: Feedback, draws: int | None, seed: int) -> None:
        self.bandit, self.feedback = deepcopy(bandit), feedback
        self.alike = bandit.policy.context_free and bandit.control is None
        count = draws or (MOST if self.alike else DRAWS)
        self.bandit.propensity = Propensity(draws=count, floor=bandit.propensity.floor)
        self.bandit.expiry = None
        self.draws, self.fewest = count, 0
        known = {str(arm): place for place, arm in enumerate(feedback.arms)}
        self.places = {arm: known[str(arm)] for arm in bandit.arms if str(arm) in known}
        if not self.places:
            remedy = f"it has none of the log's arms, such as {feedback.arms[0]!r}"
            raise InvalidInput("arms", [*bandit.arms], remedy)
        self.grouping = Grouping()
        self._exact: dict[bytes, Array] = {}
        self._drawn: dict[bytes, Array] = {}

    def rows(self, rows: slice) -> Array:
        """The probabilities of a block of rows, by draws of its own."""
        self._drawn.clear()
        allowed = allowed_rows(self.feedback, rows)
        every = np.empty(allowed.shape)
        for i, context in enumerate(contexts_of(self.feedback, rows)):
            mask = allowed[i]
            every[i] = self._alike(mask) if self.alike else self._decided(context, mask)[0]
        if self.alike:
            sets, which = np.unique(allowed, axis=0, return_inverse=True)
            drawn = [self.draws if mask.tobytes() in self._drawn else 0 for mask in sets]
            self.grouping.add(which.reshape(-1), drawn)
        return every

    def _alike(self, mask: Array) -> Array:
        """Without contexts: once for each set of allowed arms; what is drawn, in each block."""
        key = mask.tobytes()
        for known in (self._exact, self._drawn):
            if key in known:
                return known[key]
        every, exact = self._decided(None, mask)
        (self._exact if exact else self._drawn)[key] = every
        return every

    def _decided(self, context: Any, mask: Array) -> tuple[Array, bool]:
        """The probabilities of a row, and whether they are exact."""
        decision = self.bandit.decide(context, self._allowed(mask))
        self.bandit.drop(decision)
        if decision.method != "exact":
            self.fewest = self.draws
        every = np.zeros(len(mask))
        for arm, share in decision.propensities.items():
            if arm in self.places:
                every[self.places[arm]] = share
        return every, decision.method == "exact"

    def _allowed(self, mask: Array) -> list[Arm] | None:
        if mask.all():
            return None
        return [arm for arm, place in self.places.items() if mask[place]]

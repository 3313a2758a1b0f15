"""Whether arms are chosen as often as the logged propensities say: an e-value, at every look."""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.evaluation.diagnostics.choices import PRIOR, AllArms, ChosenArm
from bandstrap.evaluation.feedback import Feedback

__all__ = ["RatioTest"]

ALARM = log(100)  # false in one experiment of a hundred, at most, however long it runs
ROW = slice(0, 1)


class RatioTest:
    """Bets against the propensities: of all arms where they are known, else by weights.

    Each decision is bet on once, so that what both gamblers have multiplies.

    >>> test = RatioTest()
    >>> for _ in range(40):
    ...     test.add(["a", "b"], "a", 2.0, {"a": 0.5, "b": 0.5})
    >>> test.alarm
    True
    """

    def __init__(self) -> None:
        self.arms: list[Arm] = []
        self.most = 0.0  # the logarithm of the largest e-value
        self._every, self._chosen = AllArms(0), ChosenArm(0)
        self._together = 0.0  # the logarithm of what those who bet on weights have

    def add(
        self,
        allowed: Sequence[Arm],
        arm: Arm,
        weight: float,
        propensities: Mapping[Arm, float] | None,
    ) -> None:
        """Bet on one more decision."""
        for each in (*allowed, arm):
            if each not in self.arms:
                self._begin(each)
        at = self.arms.index(arm)
        if propensities is not None:
            self._bet_on_all(at, np.array([propensities.get(each, 0.0) for each in self.arms]))
        else:
            open_ = np.array([[each in allowed or each == arm for each in self.arms]])
            self._bet_on_chosen(at, weight, open_)
        self.most = max(self.most, self._every.capital + self._together)

    @property
    def alarm(self) -> bool:
        return self.most >= ALARM

    def told(self) -> dict[str, Any]:
        return {"evidence": self.most / log(10), "alarm": self.alarm}

    def to_dict(self) -> dict[str, Any]:
        every, chosen = self._every, self._chosen
        return {
            "arms": [*self.arms], "most": self.most,
            "every": [every.seen.tolist(), every.expected.tolist(), every.capital],
            "chosen": [each.tolist() for each in (chosen.total, chosen.squares, chosen.capital)],
        }  # fmt: skip

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "RatioTest":
        made = cls()
        made.arms, made.most = [*kept["arms"]], kept["most"]
        every, chosen = made._every, made._chosen
        seen, expected, every.capital = kept["every"]
        every.seen, every.expected = np.array(seen), np.array(expected)
        chosen.total, chosen.squares, chosen.capital = map(np.array, kept["chosen"])
        made._together = _mean(chosen.capital)
        return made

    def _begin(self, arm: Arm) -> None:
        """One arm more, whose gambler has bet nothing so far."""
        self.arms.append(arm)
        every, chosen = self._every, self._chosen
        every.seen, every.expected = _longer(every.seen), _longer(every.expected)
        chosen.total, chosen.squares = _longer(chosen.total), _longer(chosen.squares)
        chosen.capital = _longer(chosen.capital)
        self._together = _mean(chosen.capital)

    def _bet_on_all(self, at: int, every: Array) -> None:
        """What `AllArms.add` does, to the last bit, for the one row that comes at a time."""
        it = self._every
        it.expected = it.expected + every
        tilt = (it.seen + PRIOR) / (it.expected - every + PRIOR)
        won = np.log(tilt[at]) - np.log(np.add.reduce(every * tilt))  # as sum() does, at once
        it.seen[at] += 1.0
        it.capital = float(it.capital + won)

    def _bet_on_chosen(self, at: int, weight: float, open_: Array) -> None:
        chosen, none = np.array([at]), np.zeros(1)
        told = Feedback(
            tuple(self.arms), chosen, none, weights=np.array([weight]), allowed=open_
        )  # fmt: skip
        self._chosen.add(told, ROW)
        self._together = _mean(self._chosen.capital)


def _mean(capital: Array) -> float:
    """The logarithm of what the gamblers on weights have, on average."""
    if not capital.any():
        return 0.0
    top = float(capital.max())
    return top + float(np.log(np.exp(capital - top).mean()))


def _longer(numbers: Array) -> Array:
    return np.append(numbers, 0.0)

"""Confidence sequences that are kept with snapshots.

Empirical Bernstein, since both sides of a lift learn: it holds for the mean of what was expected
at each decision, however that changes. A betting sequence needs one mean at all times.
"""

from collections.abc import Mapping
from typing import Any

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.intervals import EmpiricalBernstein
from bandstrap.evaluation.intervals.bernstein import EmpiricalBernsteinTally, log_mixture
from bandstrap.evaluation.intervals.terms import unit_means
from bandstrap.service.forms import WEIGHED, Fields, Listed, check
from bandstrap.storage.schema import ListOf, Maybe, Real, require

__all__ = ["Sequence"]

LONGEST = 1e9  # decisions that one may wait for
SIDE = Listed(WEIGHED, Real(), WEIGHED)  # decisions, total and variance
FORM = Fields(slack=Maybe(WEIGHED), sides=ListOf(SIDE, 2))


class Sequence(EmpiricalBernsteinTally):
    """Where a mean lies, at every look; equal after `to_dict` and `from_dict`, bit for bit.

    >>> one = Sequence(EmpiricalBernstein())
    >>> for _ in range(99):
    ...     one.add_value(0.75)
    >>> round(one.value, 3), one.above(0.5), one.above(0.75)
    (0.75, True, False)
    """

    def add_one(self, gain: float, loss: float, slack: float = 0.0) -> None:
        """Take in one decision's terms: as `add_terms`, without arrays, which one does not need."""
        if self.slack is not None and self.slack != slack:
            raise InvalidInput("slack", slack, f"it was {self.slack:g}: keep to one kind of terms")
        self.slack = slack
        for side, term in zip(self._sides, (gain, loss), strict=True):
            unit = (term + slack) / (1 + slack)
            guess = min((side.total + 0.5) / (side.decisions + 1), 1.0)
            side.decisions += 1
            side.total += unit
            side.variance += (unit - guess) ** 2

    def add_value(self, value: float) -> None:
        """Take in a number within the range."""
        low, high = self.settings.low, self.settings.high
        share = (min(max(value, low), high) - low) / (high - low)
        self.add_one(share, 1 - share)

    @property
    def decisions(self) -> int:
        return int(self._sides[0].decisions)

    @property
    def value(self) -> float | None:
        """The mean so far: halfway between what gains and what losses say."""
        gained, lost = self._sides
        if not self.decisions:
            return None
        slack, given = self.slack or 0.0, self.settings
        difference = (gained.total - lost.total) / gained.decisions
        share = 0.5 + 0.5 * (1 + slack) * difference
        return given.low + (given.high - given.low) * share

    def above(self, value: float) -> bool:
        """Whether the lower end of the interval is above a value."""
        return self._spare(value) > 0

    def below(self, value: float) -> bool:
        """Whether the upper end of the interval is below a value."""
        return self._spare(value, 1) > 0

    def needed(self, value: float) -> int | None:
        """How many decisions more, like those so far, until the lower end is above a value.

        None if that is not to be expected.
        """
        if not self.decisions:
            return None
        if self._spare(value) > 0:
            return 0
        longest = LONGEST / self.decisions
        if self._spare(value, times=longest) <= 0:
            return None
        few, many = 1.0, longest
        while many > few * (1 + 1e-6):
            middle = (few * many) ** 0.5
            few, many = (few, middle) if self._spare(value, times=middle) > 0 else (middle, many)
        return max(1, round((many - 1) * self.decisions))

    def to_dict(self) -> dict[str, Any]:
        sides = [[side.decisions, side.total, side.variance] for side in self._sides]
        return {"slack": self.slack, "sides": sides}

    @classmethod
    def from_dict(cls, settings: EmpiricalBernstein, kept: Mapping[str, Any]) -> "Sequence":
        check(FORM, kept)
        gained, lost = kept["sides"]
        require(gained[0] == lost[0], "sides have seen other decisions")
        require(gained[0] == 0 or kept["slack"] is not None, "decisions without a slack")
        made = cls(settings)
        made.slack = kept["slack"]
        for side, numbers in zip(made._sides, kept["sides"], strict=True):
            side.decisions, side.total, side.variance = numbers
        return made

    def _spare(self, value: float, which: int = 0, times: float = 1.0) -> float:
        """By how much evidence that the mean is above (below) a value is more than enough.

        If there were so many times as many decisions, all alike.
        """
        given, side = self.settings, self._sides[which]
        mean = unit_means(value, self.slack or 0.0, given.low, given.high)[which]
        excess = side.total - side.decisions * mean
        wealth = log_mixture(times * excess, times * side.variance, given.mixing)
        return float(wealth) - self.threshold

"""How much more one policy earns than another, by the same decisions, at every look.

Terms are doubly robust: what the model expects, and weighted by the inverse propensity what it got
wrong. Their mean is the difference, whatever the model, as long as propensities are right.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.diagnostics.rules import RULES, Severity
from bandstrap.evaluation.intervals import (
    EmpiricalBernstein,
    Terms,
    difference_terms,
    dr_terms,
    ips_terms,
)
from bandstrap.evaluation.sample import Sample
from bandstrap.service.forms import WEIGHED, Fields, check
from bandstrap.service.judging.sequence import Sequence
from bandstrap.storage.schema import Anything, Real

__all__ = ["Lift", "Seen", "contrast", "over_logged"]

SLACK = 1.0  # how far below 0 a term may be: see `dr_terms`
FORM = Fields(among=Real(1.0, 1e9), unsupported=WEIGHED, sequence=Anything())


class Seen:
    """A decision as lifts see it; rewards are from 0 to 1, arrays are (arms,)."""

    __slots__ = ("at", "certain", "model", "most", "paid", "weight")

    def __init__(
        self, at: int, paid: float, weight: float, model: Array, most: Array, certain: bool = False
    ) -> None:
        self.at = at  # the place of the chosen arm
        self.paid, self.weight = paid, weight
        self.model = model  # what each arm was expected to pay
        self.most = most  # the weight that each arm would have had; infinite if that is not known
        self.certain = certain  # whether no other arm could have been chosen


def contrast(seen: Seen, more: Array, slack: float = SLACK) -> Terms:
    """Terms of what one policy earns more than another; `more` is how much more probable it makes
    each arm, (arms,).

    The model is cut as in `dr_terms`, but by the difference of both: where they agree there is
    nothing to be noisy about. An arm that may weigh anything is expected to pay the worst.
    """
    with np.errstate(invalid="ignore"):
        cap = np.minimum(1.0, slack / np.maximum(np.abs(more) * seen.most, slack))
    cap = np.where(more == 0.0, 1.0, cap)
    low, high = np.minimum(seen.model, cap), np.maximum(seen.model, 1.0 - cap)
    gains = 1.0 + _corrected(seen, more, np.where(more > 0, low, high))
    losses = 1.0 - _corrected(seen, more, np.where(more > 0, high, low))
    return Terms(np.array([gains / 2]), np.array([losses / 2]), slack / 2)


def _corrected(seen: Seen, more: Array, model: Array) -> float:
    missed = seen.paid - float(model[seen.at])
    return seen.weight * float(more[seen.at]) * missed + float(more @ model)


def over_logged(seen: Seen, target: Array, ratio: float = 1.0, slack: float = SLACK) -> Terms:
    """Terms of what a target earns more than those who decided; it makes each arm so probable.

    `ratio` is what the decision counts, 1 on average: 0 if it is not one of those to compare with.
    """
    paid = np.array([seen.paid])
    sample = Sample(paid, np.array([seen.weight]), target[seen.at : seen.at + 1])
    with np.errstate(invalid="ignore"):
        most = np.where(target > 0, target * seen.most, 0.0)[None]
    one = dr_terms(sample, np.array([seen.at]), seen.model[None], target[None], most, slack)
    other = ips_terms(Sample(paid, np.ones(1), np.array([ratio])))
    return difference_terms(one, other)


class Lift:
    """The terms so far of one policy against another, on the scale of rewards.

    >>> lift = Lift(1.0, level=0.95)
    >>> seen = Seen(0, 1.0, 2.0, np.full(2, 0.5), np.full(2, 2.0))
    >>> lift.add(contrast(seen, np.array([0.25, -0.25])))
    >>> lift.sequence.value
    0.25
    """

    def __init__(self, width: float, level: float, among: float = 1.0) -> None:
        self.among = among  # by what the probability of an error is divided: see `Lifts`
        alone = 1 - (1 - level) / among
        self.sequence = Sequence(EmpiricalBernstein(-width, width, alone))
        self.unsupported = 0.0  # probability of arms that could not have been chosen, summed

    def add(self, terms: Terms, unsupported: float = 0.0) -> None:
        """Take in a decision's terms."""
        self.sequence.add_one(float(terms.gains[0]), float(terms.losses[0]), terms.slack)
        self.unsupported += unsupported

    @property
    def decisions(self) -> int:
        return self.sequence.decisions

    @property
    def overlaps(self) -> bool:
        """Whether the decisions had enough support to estimate the lift."""
        share = self.unsupported / max(self.decisions, 1)
        return RULES["support"].judge(share) is not Severity.STOP

    def told(self) -> dict[str, Any]:
        """For the page; without a value if the decisions cannot say."""
        if not self.decisions or not self.overlaps:
            return {"value": None, "low": None, "high": None, "decisions": self.decisions}
        ends = self.sequence.interval()
        value = self.sequence.value
        return {"value": value, "low": ends.low, "high": ends.high, "decisions": self.decisions}

    def to_dict(self) -> dict[str, Any]:
        kept = {"among": self.among, "unsupported": self.unsupported}
        return {**kept, "sequence": self.sequence.to_dict()}

    @classmethod
    def from_dict(cls, width: float, level: float, kept: Mapping[str, Any]) -> "Lift":
        """With the level of today: sums do not depend on it."""
        check(FORM, kept)
        made = cls(width, level, kept["among"])
        made.unsupported = kept["unsupported"]
        made.sequence = Sequence.from_dict(made.sequence.settings, kept["sequence"])
        return made

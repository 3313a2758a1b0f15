"""The lifts of an experiment: of its policy over the control, of candidates over both.

A candidate and the deciding policy are asked at each lesson what they would do with what they know
by then. So one that only knew more, as rewards come late, is not taken for better.
"""

from collections.abc import Mapping
from math import pi
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.decision import Arm
from bandstrap.evaluation.intervals import Terms
from bandstrap.problem import Support
from bandstrap.service.config import Mode
from bandstrap.service.forms import COUNT, TIME, Fields, check
from bandstrap.service.judging.chances import chances, control_arm, without_control
from bandstrap.service.judging.lesson import Lesson
from bandstrap.service.judging.lift import Lift, Seen, contrast, over_logged
from bandstrap.storage.schema import Anything, DictOf, Maybe, Name, Text

__all__ = ["RULE", "Lifts"]

RULE = "your rule"  # what decides in the shadow, and is compared with
CONTROL = "the control's rule"
SPENT = pi**2 / 6  # the sum of 1/k²
LIFTS = DictOf(Text(), Anything())
FORM = Fields(
    since=Maybe(TIME), over=Maybe(Name()), own=Maybe(Anything()), arrivals=COUNT,
    candidates=LIFTS, over_control=LIFTS,
)  # fmt: skip


class Lifts:
    """One of the policy, two of each candidate, over the policy and over the control.

    That any candidate is ever promoted wrongly has the probability 1 - level at most, as long as
    the same policy decides, however many are added: those that arrive together, as the k-th group,
    share 6/(π²k²) of it, and the sum of that over all k is 1.
    """

    def __init__(self, support: Support, level: float, since: float | None = None) -> None:
        self.support, self.level, self.since = support, level, since
        self.own: Lift | None = None
        self.over: Arm | None = None  # what the policy is compared with
        self.candidates: dict[str, Lift] = {}
        self.over_control: dict[str, Lift] = {}
        self.arrivals = 0  # groups of candidates that came at one time

    def compares(self, it: Lesson, deciding: Bandit, candidates: Mapping[str, Bandit]) -> bool:
        """Whether there is anybody to compare with; lifts of others are forgotten."""
        self._keep_only(candidates)
        return bool(candidates) or deciding.control is not None or it.mode == Mode.SHADOW.value

    def add(
        self,
        it: Lesson,
        seen: Seen,
        open_: tuple[Arm, ...],
        deciding: Bandit,
        candidates: Mapping[str, Bandit],
    ) -> None:
        """Take in a decision with a reward, before anybody learns it."""
        control = control_arm(deciding, it.context)
        place = deciding.arms.index(control) if control in open_ else None
        logging, shadow = it.mode == Mode.LOGGING.value, it.mode == Mode.SHADOW.value
        own = None
        if shadow or (candidates and not logging):
            own = chances(deciding, it.context, open_, it.id)
        if shadow and own is not None:
            self._own(RULE).add(over_logged(seen, own), _unsupported(seen, own))
        elif place is not None and not logging and (self.since is None or it.time >= self.since):
            self._own(_called(deciding)).add(_over_arm(it, seen, deciding, place))
        self._begin(candidates)
        for name, candidate in candidates.items():
            theirs = chances(candidate, it.context, open_, it.id)
            every = _aligned(theirs, candidate, deciding)
            self._compare(name, seen, every, own)
            if place is not None:
                if name not in self.over_control:
                    self.over_control[name] = self._new(self.candidates[name].among)
                lift = self.over_control[name]
                more = without_control(every, candidate, place)
                more[place] -= 1.0
                lift.add(contrast(seen, more), _unsupported(seen, more))
        self._keep_only(candidates)

    def after(self, name: str, former: str, time: float | None) -> "Lifts":
        """Those when a candidate decides instead of the former policy, from a time on.

        What both were known to earn more than the control stays known.
        """
        made = Lifts(self.support, self.level, time)
        if self.over != RULE:
            made.own, made.over = self.over_control.get(name), self.over
            if self.own is not None:
                made.over_control[former] = self.own
        return made

    def to_dict(self) -> dict[str, Any]:
        return {
            "since": self.since, "over": self.over, "arrivals": self.arrivals,
            "own": None if self.own is None else self.own.to_dict(),
            "candidates": {name: it.to_dict() for name, it in self.candidates.items()},
            "over_control": {name: it.to_dict() for name, it in self.over_control.items()},
        }  # fmt: skip

    @classmethod
    def from_dict(cls, support: Support, level: float, kept: Mapping[str, Any]) -> "Lifts":
        check(FORM, kept)
        made, given = cls(support, level, kept["since"]), (support.high - support.low, level)
        made.over, made.arrivals = kept["over"], kept["arrivals"]
        made.own = None if kept["own"] is None else Lift.from_dict(*given, kept["own"])
        for into, name in ((made.candidates, "candidates"), (made.over_control, "over_control")):
            into.update({each: Lift.from_dict(*given, it) for each, it in kept[name].items()})
        return made

    def forget(self, name: str) -> None:
        """A candidate has gone, or will come again as another policy."""
        self.candidates.pop(name, None)
        self.over_control.pop(name, None)

    def _begin(self, candidates: Mapping[str, Bandit]) -> None:
        """Lifts of candidates that are new, which share what is left to their group."""
        new = [name for name in candidates if name not in self.candidates]
        self.arrivals += bool(new)
        for name in new:
            self.candidates[name] = self._new(len(new) * SPENT * self.arrivals**2)

    def _compare(self, name: str, seen: Seen, every: Array, own: Array | None) -> None:
        lift = self.candidates[name]
        if own is None:  # nobody but your rule decides
            lift.add(over_logged(seen, every), _unsupported(seen, every))
        else:
            lift.add(contrast(seen, every - own), _unsupported(seen, every - own))

    def _own(self, over: Arm | None) -> Lift:
        if self.own is None or self.over != over:
            self.own, self.over = self._new(1.0), over
        return self.own

    def _new(self, among: float) -> Lift:
        return Lift(self.support.high - self.support.low, self.level, among)

    def _keep_only(self, candidates: Mapping[str, Bandit]) -> None:
        for name in {*self.candidates, *self.over_control} - candidates.keys():
            self.forget(name)


def _called(deciding: Bandit) -> Arm | None:
    """The control: its arm, or that it has a rule."""
    control = deciding.control
    return None if control is None else CONTROL if control.arm is None else control.arm


def _over_arm(it: Lesson, seen: Seen, deciding: Bandit, place: int) -> Terms:
    """What the policy has earned more than the control's arm would have.

    The control's own share of decisions is left out on the policy's side.
    """
    share = 0.0 if deciding.control is None else deciding.control.share
    only = np.zeros(len(deciding.arms))
    only[place] = 1.0
    ratio = 0.0 if it.control else 1 / (1 - share)
    terms = over_logged(seen, only, ratio)
    return Terms(terms.losses, terms.gains, terms.slack)


def _aligned(every: Array, candidate: Bandit, deciding: Bandit) -> Array:
    """In the order of the deciding bandit's arms."""
    if candidate.arms == deciding.arms:
        return every
    named = dict(zip(candidate.arms, every.tolist(), strict=True))
    return np.array([named.get(arm, 0.0) for arm in deciding.arms])


def _unsupported(seen: Seen, more: Array) -> float:
    """The probability of arms that could not have been chosen."""
    if not seen.certain:
        return 0.0
    others = np.maximum(more, 0.0)
    return float(others.sum() - others[seen.at])

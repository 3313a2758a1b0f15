"""What each arm did, and since when it could be chosen."""

from collections.abc import Collection, Mapping
from typing import Any

from bandstrap.bandit.decision import Arm
from bandstrap.evaluation.intervals import EmpiricalBernstein
from bandstrap.problem import Support
from bandstrap.service.forms import COUNT, TIME, Fields, Listed, check
from bandstrap.service.judging.lesson import Lesson
from bandstrap.service.judging.sequence import Sequence
from bandstrap.storage.schema import Anything, Flag, ListOf, Maybe, Name

__all__ = ["ArmFacts", "ArmsFacts"]

ARM = Listed(Name(), COUNT, Anything(), Maybe(TIME), Maybe(TIME), Flag())
FORM = Fields(arms=ListOf(ARM))


class ArmFacts:
    """Counts and rewards of one arm."""

    def __init__(self, settings: EmpiricalBernstein, since: float | None = None) -> None:
        self.decisions = 0
        self.rewards = Sequence(settings)
        self.since = since  # when it was added; None: it was there from the first
        self.until: float | None = None  # when it was retired
        self.stopped = False  # by a guardrail


class ArmsFacts:
    """All arms that there ever were, by name.

    >>> arms = ArmsFacts(Support.interval())
    >>> arms.meet(["a", "b"], 0.0)
    >>> arms.meet(["a", "b", "c"], 9.0)
    >>> arms.open(Lesson("1", 5.0, "a", 0.5, 2.0)), arms.open(Lesson("2", 9.0, "a", 0.5, 2.0))
    (('a', 'b'), ('a', 'b', 'c'))
    """

    def __init__(self, support: Support) -> None:
        self.support = support
        self.each: dict[Arm, ArmFacts] = {}
        self._settings = EmpiricalBernstein(support.low, support.high)

    def meet(self, names: Collection[Arm], time: float, retired: Collection[Arm] = ()) -> None:
        """Arms that a bandit has now, and those that it no longer chooses; new ones since now."""
        since = time if self.each else None
        for name in names:
            if name not in self.each:
                self.each[name] = ArmFacts(self._settings, since)
            arm = self.each[name]
            if (arm.until is not None) != (name in retired):
                arm.until = time if name in retired else None
                arm.stopped = arm.stopped and name in retired

    def added(self, name: Arm, time: float) -> None:
        self.each.setdefault(name, ArmFacts(self._settings, time))

    def retired(self, name: Arm, time: float, stopped: bool = False) -> None:
        if name in self.each:
            self.each[name].until, self.each[name].stopped = time, stopped

    def reinstated(self, name: Arm) -> None:
        if name in self.each:
            self.each[name].until, self.each[name].stopped = None, False

    @property
    def active(self) -> list[Arm]:
        return [name for name, it in self.each.items() if it.until is None]

    @property
    def stopped(self) -> list[Arm]:
        return [name for name, it in self.each.items() if it.stopped]

    def open(self, it: Lesson) -> tuple[Arm, ...]:
        """The arms that a decision was among."""
        if it.allowed is not None:
            among: Collection[Arm] = it.allowed
        elif it.propensities is not None:
            among = [arm for arm, chance in it.propensities.items() if chance > 0]
        else:
            among = [name for name, arm in self.each.items() if _there(arm, it.time)]
        return tuple(among) if it.arm in among else (*among, it.arm)

    def add(self, it: Lesson) -> None:
        """Count a decision, and its reward if it has one."""
        arm = self.each[it.arm]
        arm.decisions += 1
        if it.reward is not None:
            arm.rewards.add_value(it.reward)

    def told(self) -> list[dict[str, Any]]:
        rows = []
        for name, arm in self.each.items():
            ends = arm.rewards.interval() if arm.rewards.decisions else None
            rows.append(
                {
                    "name": name,
                    "decisions": arm.decisions,
                    "lessons": arm.rewards.decisions,
                    "mean": arm.rewards.value,
                    "low": ends and ends.low,
                    "high": ends and ends.high,
                    "retired": arm.until is not None,
                    "stopped": arm.stopped,
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        rows = [
            [name, it.decisions, it.rewards.to_dict(), it.since, it.until, it.stopped]
            for name, it in self.each.items()
        ]
        return {"arms": rows}

    @classmethod
    def from_dict(cls, support: Support, kept: Mapping[str, Any]) -> "ArmsFacts":
        check(FORM, kept)
        made = cls(support)
        for name, decisions, rewards, since, until, stopped in kept["arms"]:
            arm = made.each[name] = ArmFacts(made._settings, since)
            arm.decisions, arm.until, arm.stopped = decisions, until, stopped
            arm.rewards = Sequence.from_dict(made._settings, rewards)
        return made


def _there(arm: ArmFacts, time: float) -> bool:
    return (arm.since is None or arm.since <= time) and (arm.until is None or time < arm.until)

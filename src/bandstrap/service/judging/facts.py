"""All that judging knows of an experiment: a fold of its lessons, kept with snapshots."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.decision import Arm
from bandstrap.errors import BandstrapError
from bandstrap.evaluation.diagnostics.rules import RULES, Severity
from bandstrap.service.candidates import Told, chosen, draws_train, named
from bandstrap.service.config import Experiment, Gate, Guardrail
from bandstrap.service.forms import COUNT, TIME, WEIGHED, Fields, Listed, check
from bandstrap.service.judging.arms import ArmsFacts
from bandstrap.service.judging.chances import row_of, unmoved
from bandstrap.service.judging.delays import Delays
from bandstrap.service.judging.gate import PROMOTE, STOP, Verdict, needed, passes
from bandstrap.service.judging.guardrails import Guardrails
from bandstrap.service.judging.health import Health
from bandstrap.service.judging.lesson import Lesson
from bandstrap.service.judging.lift import Lift, Seen
from bandstrap.service.judging.lifts import Lifts
from bandstrap.service.judging.lock_in import LockIn
from bandstrap.service.judging.ratio import RatioTest
from bandstrap.service.judging.reward_model import RunningModel
from bandstrap.service.judging.series import Series
from bandstrap.storage.schema import Anything, DictOf, ListOf, Maybe, Name, Real, Text, require

__all__ = ["Facts"]

EVENTS = 100  # that are kept
LAST = 0.1  # share of decisions that is compared with those before
FEW = 20  # missing rewards that say nothing
PASSING = (MemoryError, OSError)  # of the machine: the same lesson may be judged the next time


class Facts:
    """What is known of an experiment after some lessons.

    >>> from bandstrap.service.config import Experiment
    >>> news = Experiment("news", ("a", "b"), candidates={"other": "ts"})
    >>> facts, deciding, other = Facts(news), news.bandit(), news.bandit("ts")
    >>> facts.lesson(Lesson("1", 0.0, "a", 0.5, 2.0, reward=1.0), deciding, {"other": other})
    >>> facts.verdicts(), facts.status()["candidates"][0]["decisions"]
    ([], 1)
    >>> Facts.from_dict(news, facts.to_dict()).to_dict() == facts.to_dict()
    True
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        support = experiment.rewards
        self.gate = experiment.promote or Gate()
        self.deciding, self.former = experiment.name, ""
        self.policies: dict[str, Told | None] = {
            experiment.name: experiment.policy, **experiment.candidates,
        }  # fmt: skip
        self.started: float | None = None
        self.version = 0
        self.refused = 0  # decisions whose context a bandit cannot read
        self.arms, self.series = ArmsFacts(support), Series(support)
        self.delays, self.health, self.ratio = Delays(), Health(), RatioTest()
        self.rails, self.lock_in = Guardrails(experiment.guardrails), LockIn()
        self.model, self.lifts = RunningModel(), Lifts(support, self.gate.level)
        self.events: list[dict[str, Any]] = []

    def lesson(self, it: Lesson, deciding: Bandit, candidates: Mapping[str, Bandit]) -> str | None:
        """Take in a decision whose window is over, before any bandit learns it.

        What is returned says why it could not be judged: a policy refuses it, or fails.
        """
        self.arms.meet(deciding.arms, it.time, deciding._arms.retired)
        if it.arm not in self.arms.each:
            self.arms.added(it.arm, it.time)
        self._count(it, deciding)
        if it.reward is None or it.weight is None or not it.judged or it.arm not in deciding.arms:
            return None
        asked = [deciding, *candidates.values()]
        marks = [bandit._mark() for bandit in asked]
        try:
            self._judge(it, it.reward, it.weight, deciding, candidates)
        except Exception as error:
            if passes_by(error):
                raise
            for bandit, mark in zip(asked, marks, strict=True):
                bandit._back_to(mark)
            self.refused += 1
            return f"{it.id} was not judged: {reason(error)}"
        return None

    def verdicts(self) -> list[Verdict]:
        """What the gate and guardrails ask for now: the best candidate that passes, and arms."""
        found = [Verdict(STOP, arm) for arm in self._to_stop()]
        lifts = self.lifts.candidates
        if self.experiment.promote is not None:
            ready = [name for name, lift in lifts.items() if passes(lift, self.gate)]
            if ready:
                found.append(Verdict(PROMOTE, max(ready, key=lambda name: _value(lifts[name]))))
        return found

    def promoted(self, name: str, time: float | None = None) -> None:
        """Another policy decides: lifts start anew, and the former one is a candidate."""
        if name == self.deciding:
            return
        self.lifts = self.lifts.after(name, self.deciding, time)
        self.former, self.deciding = self.deciding, name
        self.lock_in = LockIn()

    def configured(self, candidates: Mapping[str, Told], rails: Sequence[Guardrail]) -> None:
        """Other candidates and guardrails from now on; another policy starts without a lift."""
        stay = {name: self.policies[name] for name in (self.experiment.name, self.deciding)}
        before, self.policies = self.policies, {**stay, **candidates}
        for name, told in before.items():
            if name not in self.policies or self.policies[name] != told:
                self.lifts.forget(name)
        self.rails = self.rails.watching(rails)

    def event(self, time: float, kind: str, payload: Mapping[str, Any]) -> None:
        """Record a change of arms, a promotion or a rollback."""
        name = payload.get("candidate") if kind in (PROMOTE, "rollback") else payload.get("arm")
        name = payload.get("name") if name is None else name
        if kind in (PROMOTE, "rollback"):
            name = name or self.former or self.experiment.name
            self.promoted(str(name), time)
        elif name is not None:
            self._arm_event(kind, name, time)
        row = {"time": time, "kind": kind, "text": _sentence(kind, name)}
        self.events = [*self.events, row][-EVENTS:]

    def status(self) -> dict[str, Any]:
        """For the page, as far as lessons tell; the learner knows the rest."""
        lift = self.lifts.own
        return {
            "experiment": self.experiment.name,
            "mode": self.experiment.mode.value,
            "policy": self.deciding,
            "version": self.version,
            "started": self.started,
            "decisions": self.delays.lessons,
            "rewards": self.delays.given,
            "missing": self.delays.missing,
            "arms": self.arms.told(),
            **self.series.told(),
            "lift": None if lift is None else {"over": self.lifts.over, **lift.told()},
            "propensity": self.health.told(),
            "ratio": self.ratio.told(),
            "delay": self.delays.told(),
            "warnings": self.warnings(),
            "candidates": [self._candidate(name) for name in self._names()],
            "guardrails": self.rails.told(self.arms.stopped),
            "events": [*self.events],
        }

    def warnings(self) -> list[str]:
        """What needs attention, in sentences."""
        found = [
            f"{arm}: its draws are the same every time and below another's, so that the policy "
            "never chooses it (all its rewards are equal)"
            for arm in self.lock_in.arms
            if arm in self.arms.active
        ]
        if self.ratio.alarm:
            found.append("arms are not chosen as often as the logged propensities say")
        found += [
            f"{arm}: a guardrail asks to stop it, but it is the control's or the last one"
            for arm in self._broken()
            if arm not in self._to_stop()
        ]
        found += self._of_missing()
        if self.refused:
            found.append(
                f"{self.refused} decisions were not judged: a policy refuses their context"
            )
        for name, lift in (("the policy", self.lifts.own), *self.lifts.candidates.items()):
            if lift is not None and lift.decisions and not lift.overlaps:
                found.append(
                    f"{name}: cannot say; decisions were certain (propensity 1), so nothing is "
                    "known of the arms that it would choose instead"
                )
        return found

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it, to the last bit."""
        parts = {name: getattr(self, name).to_dict() for name in PARTS}
        own = {name: getattr(self, name) for name in OWN}
        return {**own, **parts, "events": [*self.events]}

    @classmethod
    def from_dict(cls, experiment: Experiment, kept: Mapping[str, Any]) -> "Facts":
        """What `to_dict` has kept, to go on from there; damage is an error."""
        check(FORM, kept)
        require(kept["deciding"] in kept["policies"], "it is not known what decides")
        for told in kept["policies"].values():
            chosen(told)
        made, support = cls(experiment), experiment.rewards
        for name in OWN:
            setattr(made, name, kept[name])
        made.events = [*kept["events"]]
        made.arms = ArmsFacts.from_dict(support, kept["arms"])
        made.series = Series.from_dict(support, kept["series"])
        made.delays, made.health = (
            Delays.from_dict(kept["delays"]),
            Health.from_dict(kept["health"]),
        )
        made.ratio, made.lock_in = (
            RatioTest.from_dict(kept["ratio"]),
            LockIn.from_dict(kept["lock_in"]),
        )
        made.rails = Guardrails.from_dict(kept["rails"])
        made.model, made.lifts = (
            RunningModel.from_dict(kept["model"]),
            Lifts.from_dict(support, made.gate.level, kept["lifts"]),
        )
        return made

    def _count(self, it: Lesson, deciding: Bandit) -> None:
        self.started = it.time if self.started is None else self.started
        self.version = max(self.version, it.version)
        self.arms.add(it)
        self.series.add(it.time, it.arm, it.reward)
        self.delays.add(it.given, it.delay)
        if it.metrics:
            self.rails.add(it.arm, it.metrics, len(deciding.arms))
        if it.weight is not None and it.weighed:
            open_ = self.arms.open(it)
            self.health.add(it.propensity, it.weight, len(open_))
            if not it.certain:
                self.ratio.add(open_, it.arm, it.weight, it.propensities)

    def _judge(
        self,
        it: Lesson,
        reward: float,
        weight: float,
        deciding: Bandit,
        candidates: Mapping[str, Bandit],
    ) -> None:
        deciding = self._asked(self.deciding, deciding, it.context)
        candidates = {
            name: self._asked(name, bandit, it.context) for name, bandit in candidates.items()
        }
        self.lock_in.add(deciding, it.context)
        row = row_of(deciding, it.context)
        low, high = self.experiment.rewards.low, self.experiment.rewards.high
        paid = min(max((reward - low) / (high - low), 0.0), 1.0)
        if self.lifts.compares(it, deciding, candidates):  # else what was expected is for nobody
            at, model = deciding.arms.index(it.arm), self.model.expects(deciding.arms, row)
            seen = Seen(at, paid, weight, model, _most(it, deciding.arms, at), it.certain)
            self.lifts.add(it, seen, self.arms.open(it), deciding, candidates)
        self.model.add(it.arm, paid, row)

    def _asked(self, name: str, bandit: Bandit, context: Any) -> Bandit:
        return unmoved(bandit, draws_train(self.policies[name]), context)

    def _arm_event(self, kind: str, arm: Arm, time: float) -> None:
        if kind == "add_arm":
            self.arms.added(arm, time)
        elif kind in ("retire_arm", STOP):
            self.arms.retired(arm, time, stopped=kind == STOP)
            self.lock_in.forget(arm)
        elif kind == "reinstate_arm":
            self.arms.reinstated(arm)
            self.rails.forget(arm)

    def _broken(self) -> list[Arm]:
        """Arms that are beyond a limit and can still be chosen."""
        active = self.arms.active
        return [arm for arm in self.rails.broken() if arm in active]

    def _to_stop(self) -> list[Arm]:
        """Those of them that may go: not the control's, and not all."""
        control = None if self.experiment.control is None else self.experiment.control.arm
        found = [arm for arm in self._broken() if arm != control]
        return found[: len(self.arms.active) - 1]

    def _names(self) -> list[str]:
        """Candidates, judged or not yet; one of them is the experiment's own policy, once another
        decides.
        """
        known = (*self.experiment.candidates, self.experiment.name, *self.lifts.candidates)
        return [name for name in dict.fromkeys(known) if name != self.deciding]

    def _candidate(self, name: str) -> dict[str, Any]:
        blank = Lift(1.0, self.gate.level)
        lift = self.lifts.candidates.get(name, blank)
        over = self.lifts.over_control.get(name)
        return {
            "name": name, "policy": named(self.policies.get(name)), **lift.told(),
            "margin": self.gate.margin, "needed": needed(lift, self.gate),
            "over_control": over and over.told(),
        }  # fmt: skip

    def _of_missing(self) -> list[str]:
        """Where decisions without a reward are dropped, those that are many, or more of late."""
        recent, before = self.series.dropped(LAST)
        lost = self.delays.lessons * (LAST * recent + (1 - LAST) * before)
        if self.experiment.default_reward is not None or lost < FEW:
            return []
        found = []
        if RULES["missing"].judge(before) is not Severity.FINE:
            found.append(f"{before:.0%} of decisions have no reward and are not learnt")
        if before > 0 and RULES["late"].judge(recent / before) is not Severity.FINE:
            found.append(f"of late {recent:.0%} of decisions have no reward, before {before:.0%}")
        return found


OWN = ("deciding", "former", "policies", "started", "version", "refused")
PARTS = (
    "arms", "series", "delays", "health", "ratio", "rails", "lock_in", "model", "lifts",
)  # fmt: skip
EACH = ListOf(Real(), "arms")
RATIO = Fields(
    arms=ListOf(Name(), "arms"), most=WEIGHED,
    every=Listed(EACH, EACH, Real()), chosen=Listed(EACH, EACH, EACH),
)  # fmt: skip
FORM = Fields(
    deciding=Text(), former=Text(), policies=DictOf(Text(), Anything()), started=Maybe(TIME),
    version=COUNT, refused=COUNT, events=ListOf(Fields(time=TIME, kind=Text(), text=Text())),
    **{**dict.fromkeys(PARTS, Anything()), "ratio": RATIO},
)  # fmt: skip
SAID = {
    "add_arm": "{} was added",
    "retire_arm": "{} was retired",
    "reinstate_arm": "{} was reinstated",
    STOP: "{} was stopped by a guardrail",
    PROMOTE: "{} was promoted and decides now",
    "rollback": "{} decides again",
}


def _most(it: Lesson, arms: tuple[Arm, ...], at: int) -> Array:
    """The weight that each arm would have had, (arms,); infinite where that is not known."""
    most = np.full(len(arms), inf)
    if it.propensities is not None:
        every = np.array([it.propensities.get(arm, 0.0) for arm in arms])
        np.divide(1.0, every, out=most, where=every > 0)
    if it.certain and it.weight is not None:
        most[at] = it.weight
    return most


def passes_by(error: Exception) -> bool:
    """Whether it is a fault of the machine; any other error of a policy comes each time."""
    return isinstance(error, PASSING) and not isinstance(error, BandstrapError)


def reason(error: Exception) -> str:
    """An error in a line; of somebody else's code with its kind."""
    if isinstance(error, BandstrapError):
        return str(error)
    return " ".join(f"{type(error).__name__}: {error}".split())


def _value(lift: Lift) -> float:
    return lift.sequence.value or 0.0


def _sentence(kind: str, name: Any) -> str:
    return SAID.get(kind, kind + " {}").format(name).strip()

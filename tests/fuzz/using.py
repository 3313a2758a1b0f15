"""A bandit loaded and used as its owner would: fifty rounds, other arms, saved and loaded again."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from bandstrap import Bandit
from bandstrap.errors import BandstrapError
from fuzz.pool import Clock, Tell
from fuzz.subjects import Subject

ROUNDS = 50
MANY = 20  # rewards learnt in one step
MOST_DRAWS = 100  # of a repeat, to ask for weights that were deferred
SLACK = 1e-6  # by which propensities may miss 1 in total
ROUNDING = 1e-9  # by which one may be beyond 0 or 1
T = TypeVar("T")


class Improper(Exception):  # noqa: N818
    """Propensities that are no probabilities."""


class Steps:
    """Takes one step after another; each is timed, and may be refused by an error of ours."""

    def __init__(self, tell: Tell) -> None:
        self.tell = tell
        self.name = ""
        self.refusals: list[str] = []
        self.slowest = (0.0, "")

    def take(self, name: str, work: Callable[[], T]) -> T | None:
        """What the work returns; None if it is refused."""
        self.name, begun = name, Clock.now()
        self.tell(begun)
        try:
            return work()
        except BandstrapError as error:
            self.refusals.append(f"{name}: {error}")
            return None
        finally:
            self.tell(None)
            self.slowest = max(self.slowest, (begun.until(Clock.now()), name))


class Use:
    """The rounds of one bandit."""

    def __init__(self, bandit: Bandit, subject: Subject, steps: Steps) -> None:
        self.bandit, self.subject, self.steps = bandit, subject, steps
        self.late: list[Any] = []

    def whole(self, waiting: list[Any], folder: Path) -> None:
        """Everything; `waiting` are ids of decisions from before it was saved."""
        for i in range(ROUNDS):
            self._round(i, waiting)
        for i, decision in enumerate(self.late):
            self.steps.take("learn late", lambda i=i, d=decision: self._learn(d, i))
        self.steps.take("expire", self.bandit.expire)
        self.steps.take("repr", lambda: repr(self.bandit))
        self.steps.take("stats", lambda: str(self.bandit.stats()))
        self.steps.take("settle", self.bandit.settle)
        self._many()
        self._other_arms()
        self._again(folder / "again.bandit")

    def _round(self, i: int, waiting: list[Any]) -> None:
        bandit, take = self.bandit, self.steps.take
        decision = self._decide(i)
        if decision is not None and i % 4 == 1:
            self.late.append(decision if i % 8 == 1 else decision.id)
        elif decision is not None:
            take("learn", lambda: self._learn(decision, i))
        if i % 10 == 3 and i // 10 < len(waiting):
            take("learn waiting", lambda: self._learn(waiting[i // 10], i))
        if i % 10 == 5:
            take("rank", lambda: bandit.rank(self._context(i)))
        if i % 20 == 7 and decision is not None:
            take("explain", lambda: str(bandit.explain(decision, draws=8)))
        if i % 20 == 9:
            take("learn logged", lambda: self._logged(i))
        if i % 20 == 11:
            take("decide among some", lambda: _checked(self._among(i)))
        if i % 20 == 13:
            take("decide by key", lambda: _checked(bandit.decide(self._context(i), key=f"u{i}")))
        if i % 20 == 15:
            self._weighed(i)

    def _weighed(self, i: int) -> None:
        """Ask for a weight that may take as many draws as the file's cap says, if these are few."""
        decision = self._decide(i)
        if decision is None or self.bandit.propensity.cap > MOST_DRAWS:
            return
        self.steps.take("sharpen", lambda: _weight_checked(self.bandit.sharpen(decision, 1)))
        self.steps.take("weight", lambda: _weight_checked(decision))

    def _decide(self, i: int) -> Any:
        name = "decide"
        decision = self.steps.take(name, lambda: self.bandit.decide(self._context(i)))
        if decision is not None:
            self.steps.take("propensities", lambda: _checked(decision))
        return decision

    def _among(self, i: int) -> Any:
        arms = self.bandit.arms
        return self.bandit.decide(self._context(i), allowed=arms[: max(1, len(arms) - 1)])

    def _logged(self, i: int) -> None:
        reward = self.subject.reward(i)
        self.bandit.learn(context=self._context(i), arm=self.bandit.arms[0], reward=reward)

    def _learn(self, decision: Any, i: int) -> None:
        self.bandit.learn(decision, self.subject.reward(i))

    def _context(self, i: int) -> Any:
        return self.subject.context(i)

    def _many(self) -> None:
        """Enough rewards for whatever grows to grow, arm by arm."""
        for arm in self.bandit.arms[:3]:
            for first in range(0, self.subject.many, MANY):
                self.steps.take("learn many", lambda a=arm, i=first: self._learn_many(a, i))
        if self._contexts(1) is None:  # then decisions are made one by one
            return
        decisions = self.steps.take("decide many", lambda: self.bandit.decide(self._contexts(3)))
        for decision in decisions or ():
            self.steps.take("propensities", lambda d=decision: _checked(d))
        if decisions:
            self.steps.take("drop", lambda: self.bandit.drop(decisions[0]))
            self.steps.take("learn decisions", lambda: self.bandit.learn(decisions[1:], [1.0, 0.0]))

    def _learn_many(self, arm: Any, first: int) -> None:
        rewards = [self.subject.reward(i) for i in range(first, first + MANY)]
        contexts = self._contexts(MANY)
        self.bandit.learn(context=contexts, arm=[arm] * MANY, reward=rewards)

    def _contexts(self, count: int) -> Any:
        found = [self._context(i) for i in range(count)]
        return None if found[0] is None else found

    def _other_arms(self) -> None:
        bandit, take = self.bandit, self.steps.take
        take("add_arm", lambda: bandit.add_arm("new", self.subject.features))
        for i in range(4):
            self._round(i, [])
        take("retire_arm", lambda: bandit.retire_arm(bandit.arms[0]))
        self._round(0, [])
        take("reinstate_arm", lambda: bandit.reinstate_arm(bandit.arms[0]))
        take("remove_arm", lambda: bandit.remove_arm(bandit.arms[0]))
        for i in range(4):
            self._round(i, [])

    def _again(self, path: Path) -> None:
        self.steps.take("save", lambda: self.bandit.save(path))
        again = self.steps.take("load again", lambda: Bandit.load(path)) if path.exists() else None
        if again is not None:
            self.bandit = again
            self._decide(0)
            data = self.steps.take("to_bytes", again.to_bytes)
            copy = self.steps.take("from_bytes", lambda: Bandit.from_bytes(data, seed=5))
            self.bandit = copy or again
            self._decide(1)


def _checked(decision: Any) -> None:
    """Refuse propensities that are none; read all else that a decision tells."""
    if decision.method == "deferred":  # nobody has to ask
        repr((decision, decision.scores, decision.context))
        return
    _weight_checked(decision)
    if decision.method != "geometric":  # which knows the chosen arm's alone
        told = decision.propensities
        outside = [p for p in told.values() if not -ROUNDING <= p <= 1 + ROUNDING]
        if outside or not abs(math.fsum(told.values()) - 1) <= SLACK:
            raise Improper(f"propensities {told}")
        if decision.arm not in told:
            raise Improper(f"arm {decision.arm!r} of {[*told]}")
    repr((decision, decision.scores, decision.context, decision.error, decision.weight_error))


def _weight_checked(decision: Any) -> None:
    own = decision.propensity
    if not (0 < own <= 1 + ROUNDING and abs(own * decision.weight - 1) <= SLACK):
        raise Improper(f"propensity {own}, weight {decision.weight}")

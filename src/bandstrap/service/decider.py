"""Decides with the newest snapshot; a decision's id is all that is random in it."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.chance import EXACT, Chance
from bandstrap.bandit.decision import Arm, Decision
from bandstrap.bandit.log.recorded import kept
from bandstrap.errors import BandstrapError, InvalidInput, UnknownName
from bandstrap.seeding import generator
from bandstrap.service.config import Experiment, Mode
from bandstrap.service.messages import DecisionAnswer, DecisionRequest, Problem
from bandstrap.service.store import Store
from bandstrap.service.store.steps import deciding_snapshot
from bandstrap.validation import is_finite

ENCODER = msgspec.json.Encoder()
JSON = json.JSONEncoder(allow_nan=False, separators=(",", ":"))  # refuses NaN
GIVEN = "given"  # the method of a propensity that the client has sent
MOST_ARMS = 64  # of which all probabilities are kept, where they are known


class Decided(NamedTuple):
    """A decision that is not stored yet."""

    answer: DecisionAnswer
    record: str  # as the journal keeps it


class Law(NamedTuple):
    """How probable arms are where no context matters: the same until more is learnt."""

    every: Array  # (arms,)
    shares: list[float]  # the same
    known: dict[str, Any]  # what is kept of it with a decision
    decided: dict[Any, Decided]  # before, alike but for the id and the time


class Current(NamedTuple):
    """What decides now."""

    bandit: Bandit
    policy: str
    version: int
    laws: dict[Any, Law]  # by the arms that are allowed, and the control's


class Decider:
    """The deciding bandit of one experiment, as this process knows it."""

    def __init__(self, experiment: Experiment, store: Store, trusted: Iterable[Any] = ()) -> None:
        self.experiment, self._store, self._trusted = experiment, store, [*trusted]
        self.current = Current(experiment.bandit(), experiment.name, 0, {})

    def refresh(self) -> bool:
        """Take the newest snapshot, if there is a newer one."""
        name, version = self.experiment.name, self.current.version
        found = self._store.read(lambda connection: deciding_snapshot(connection, name, version))
        if found is None:
            return False
        bandit = Bandit.from_bytes(found.state, self._trusted)
        self.current = Current(bandit, found.policy, found.number, {})
        return True

    def decide(self, request: DecisionRequest, name: str, now: float) -> Decided:
        """What is answered to a request, and what is to be kept of it."""
        mode, current = self.experiment.mode, self.current
        self.experiment.check_context(request.context)
        if mode is Mode.ONLINE:
            if request.arm is not None or request.propensity is not None:
                remedy = "here the policy decides: leave arm and propensity out"
                raise InvalidInput("arm", request.arm, remedy)
            return self._online(request, name, now, current)
        return self._told(request, name, now, current)

    def objection(self, kind: str, payload: Mapping[str, Any]) -> Problem | None:
        """Why a command cannot be carried out, as far as can be told before the learner tries."""
        arm, arms = payload.get("arm", payload.get("name")), self.current.bandit._arms
        if kind in ("retire_arm", "reinstate_arm") and arm not in arms.places:
            return Problem(404, "Unknown arm", str(UnknownName("arm", arm, arms.names)))
        try:
            if kind == "add_arm":
                arms.added(arm)
            if kind == "retire_arm":
                self.current.bandit._check_leaving(arm)
                arms.retire(arm)
            if kind == "reinstate_arm":
                arms.reinstate(arm)
        except BandstrapError as error:
            return Problem(409, "Conflict", str(error))
        candidate = payload.get("candidate")
        known = {*self.experiment.candidates, self.experiment.name}
        if kind == "promote" and candidate not in known:
            detail = str(UnknownName("candidate", candidate, known))
            return Problem(404, "Unknown candidate", detail)
        return None

    def _online(self, request: DecisionRequest, name: str, now: float, current: Current) -> Decided:
        decision, law = self._drawn(request, name, current)
        if law is None or request.context is not None or request.rank is not None:
            return self._recorded(request, name, now, current, decision, law)
        alike = decision._at, decision.control
        if found := law.decided.get(alike):
            expires = self._expires(request, now)
            answer = msgspec.structs.replace(found.answer, id=name, time=now, expires=expires)
            return Decided(answer, found.record)
        made = law.decided[alike] = self._recorded(request, name, now, current, decision, law)
        return made

    def _recorded(
        self, request: DecisionRequest, name: str, now: float, current: Current,
        decision: Decision, law: Law | None,
    ) -> Decided:  # fmt: skip
        record, chance = kept(decision), decision.chance
        if law is not None:
            record |= law.known
        elif chance.every is not None and chance.method == EXACT:
            record |= _all_known(decision)
        ranking = self._ranked(request, decision, decision.arm, name)
        return self._decided(request, name, now, current, record, ranking, None)

    def _told(self, request: DecisionRequest, name: str, now: float, current: Current) -> Decided:
        """The client has decided; in the shadow the policy says what it would have done."""
        bandit, arm, propensity = current.bandit, request.arm, request.propensity
        propensity = 1.0 if propensity is None else propensity
        if arm is None:
            raise InvalidInput("arm", None, "say which arm your rule has chosen")
        if not is_finite(propensity) or not 0 < propensity <= 1:
            raise InvalidInput("propensity", propensity, "give a probability above 0")
        allowed = self._allowed(request, bandit)
        bandit._arms.place(arm)
        if arm not in allowed:
            raise InvalidInput("arm", arm, "it is not among those that are allowed")
        if self.experiment.mode is Mode.SHADOW:
            decision, _ = self._drawn(request, name, current)
            record, would = kept(decision), decision.arm
            ranking = self._ranked(request, decision, arm, name)
        else:
            record, would = {"context": request.context, "error": 0.0, "weight_error": 0.0}, None
            ranking = None
        found = {
            "arm": arm, "propensity": propensity, "weight": 1 / propensity, "method": GIVEN,
            "control": False, "error": 0.0, "weight_error": 0.0, "allowed": [*allowed],
        }  # fmt: skip
        return self._decided(request, name, now, current, {**record, **found}, ranking, would)

    def _drawn(
        self, request: DecisionRequest, name: str, current: Current
    ) -> tuple[Decision, Law | None]:
        """A draw by the id, and how probable all arms were if that is known already."""
        bandit = current.bandit
        # It waits in the journal.
        decision = bandit.foresee(self._key(name), request.context, request.allowed)
        if not bandit.policy.context_free or decision.method != EXACT:
            return decision, None
        law = _law(decision, current.laws)
        p = law.shares[decision._at]
        decision._chance = Chance(p, 1 / p, EXACT, every=law.every)
        return decision, law

    def _key(self, name: str) -> str:
        """What a draw follows from: an id alone would let whoever chooses it choose the arm."""
        return f"{self.experiment.seed}/{self.experiment.name}/{name}"

    def _decided(
        self, request: DecisionRequest, name: str, now: float, current: Current,
        record: dict[str, Any], ranking: list[Arm] | None, would: Arm | None,
    ) -> Decided:  # fmt: skip
        mode, expires = self.experiment.mode.value, self._expires(request, now)
        answer = DecisionAnswer(
            id=name, experiment=self.experiment.name, arm=record["arm"],
            propensity=record["propensity"], weight=record["weight"], method=record["method"],
            mode=mode, version=current.version, time=now, expires=expires,
            control=record["control"], ranking=ranking, would=would,
        )  # fmt: skip
        if record.get("allowed") is None:
            record["allowed"] = [*self._allowed(request, current.bandit)]
        for field in ("id", "number", "time"):  # which the journal has in columns, or not at all
            record.pop(field, None)
        record.update(version=current.version, policy=current.policy, mode=mode, would=would)
        return Decided(answer, _as_text(record))

    def _expires(self, request: DecisionRequest, now: float) -> float | None:
        return None if request.deferred else now + self.experiment.window

    def _allowed(self, request: DecisionRequest, bandit: Bandit) -> tuple[Arm, ...]:
        mask = bandit._arms.mask(request.allowed)[0]
        return tuple(arm for arm, open_ in zip(bandit.arms, mask, strict=True) if open_)

    def _ranked(
        self, request: DecisionRequest, decision: Decision, arm: Arm, name: str
    ) -> list[Arm] | None:
        """The arm, then others by the scores of the draw that decided, ties broken evenly."""
        if request.rank is None:
            return None
        allowed = [each for each in decision.allowed if each != arm]
        if request.rank > len(allowed) + 1:
            remedy = f"{len(allowed) + 1} arms are allowed; ask for 1 to {len(allowed) + 1}"
            raise InvalidInput("rank", request.rank, remedy)
        scores = decision.scores
        shuffled = generator(0, "rank", self._key(name)).permutation(len(allowed))
        values = np.array([scores[allowed[place]] for place in shuffled])
        order = np.argsort(-values, kind="stable")
        others = [allowed[shuffled[place]] for place in order]
        return [arm, *others][: request.rank]


def _law(decision: Decision, laws: dict[Any, Law]) -> Law:
    """Worked out once for the same arms, until more is learnt."""
    mask, control = decision.mask, decision.controlled
    among = None if mask is None else mask.tobytes(), None if control is None else control[1]
    found = laws.get(among)
    if found is None:
        every = decision.chance.every
        assert every is not None  # it is exact
        found = laws[among] = Law(every, every.tolist(), _all_known(decision), {})
    return found


def _all_known(decision: Decision) -> dict[str, Any]:
    """The probabilities of all arms that were allowed, in their order."""
    allowed = decision.allowed
    if len(allowed) > MOST_ARMS:
        return {}
    every = decision.propensities
    return {"allowed": [*allowed], "propensities": [every[arm] for arm in allowed]}


def _as_text(record: dict[str, Any]) -> str:
    """A record as the journal keeps it."""
    if record["context"] is None:  # all else is ours, and finite
        return ENCODER.encode(record).decode()
    try:
        return JSON.encode(record)
    except (TypeError, ValueError, RecursionError) as error:
        remedy = f"give numbers, text, true or false ({error})"
        raise InvalidInput("context", record.get("context"), remedy) from error

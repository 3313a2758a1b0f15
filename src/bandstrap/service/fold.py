"""Folds the steps of the journal into what was learnt: equal steps, equal state, bit for bit."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from time import time
from typing import Any

from sqlalchemy import Connection, delete, func, select

from bandstrap.bandit.arms import checked_name
from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.log.recorded import read_context
from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from bandstrap.service.candidates import draws_train, named
from bandstrap.service.config import Experiment
from bandstrap.service.facts import Facts, Lesson, new_facts, read_facts
from bandstrap.service.forms import Fields, check
from bandstrap.service.judging.facts import passes_by, reason
from bandstrap.service.judging.guardrails import rails_from, rails_told
from bandstrap.service.store.steps import (
    Snapshot,
    Step,
    newest_snapshots,
    put_error,
    read_steps,
)
from bandstrap.service.store.store import Store, Unavailable
from bandstrap.service.store.tables import SNAPSHOTS, STEPS
from bandstrap.storage.schema import Anything, DictOf, ListOf, Text, require

__all__ = ["COMMANDS", "State", "begun_with", "load", "may_change", "rebuild", "settings_of"]

COMMANDS = ("add_arm", "retire_arm", "reinstate_arm", "promote", "rollback")  # a person's
KEPT = Fields(former=ListOf(Text()), settings=DictOf(Text(), Anything()), facts=Anything())
LOG = logging.getLogger(__name__)


@dataclass
class State:
    """What was learnt after so many steps: by the deciding policy and by its candidates."""

    experiment: Experiment
    deciding: Bandit
    deciding_name: str
    candidates: dict[str, Bandit]
    facts: Facts
    number: int = 0
    former: list[str] = field(default_factory=list)  # who decided before, for a rollback
    settings: dict[str, Any] = field(default_factory=dict)  # see `settings_of`
    refusals: list[str] = field(default_factory=list)  # of lessons in the last call of `apply`

    @classmethod
    def begun(cls, experiment: Experiment) -> "State":
        """Before the first step."""
        return cls(experiment, experiment.bandit(), experiment.name, {}, new_facts(experiment))

    @property
    def bandits(self) -> dict[str, Bandit]:
        return {self.deciding_name: self.deciding, **self.candidates}

    @property
    def described(self) -> str:
        """The policy that decides."""
        return named(self.facts.policies[self.deciding_name]) or "the default policy"

    def apply(self, steps: Iterable[Step]) -> None:
        """Let steps happen, in order."""
        self.refusals = []
        for step in steps:
            if step.number != self.number + 1:
                problem = f"lacks step {self.number + 1} before step {step.number}"
                raise OutputError(
                    f"experiment {self.experiment.name}", problem, "restore the store"
                )
            _HANDLERS[step.kind](self, step)
            self.number = step.number

    def check(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Refuse a command that could not happen, before it is written down."""
        trial = deepcopy(self)
        _HANDLERS[kind](trial, Step(self.number + 1, kind, {**payload}, None, 0.0))

    def snapshots(self) -> list[Snapshot]:
        """All that it takes to go on from here."""
        own = {"former": self.former, "settings": self.settings}
        kept = {**own, "facts": self.facts.to_dict()}
        return [
            Snapshot(self.number, name, name == self.deciding_name, bandit.to_bytes(),
                     kept if name == self.deciding_name else None)
            for name, bandit in self.bandits.items()
        ]  # fmt: skip

    @classmethod
    def restored(
        cls, experiment: Experiment, snapshots: Iterable[Snapshot], trusted: Iterable[Any] = ()
    ) -> "State":
        """From what `snapshots` has returned; if they are damaged, an `OutputError`."""
        try:
            return cls._restored(experiment, [*snapshots], trusted)
        except BandstrapError as error:
            where = f"the snapshot of experiment {experiment.name}"
            raise OutputError(where, f"cannot be used: {error}", "rebuild it") from error

    @classmethod
    def _restored(
        cls, experiment: Experiment, snapshots: list[Snapshot], trusted: Iterable[Any]
    ) -> "State":
        bandits = {each.policy: Bandit.from_bytes(each.state, trusted) for each in snapshots}
        own = [each for each in snapshots if each.deciding]
        require(len(own) == 1, f"{len(own)} policies decide, not one")
        kept = own[0].facts
        check(KEPT, kept)
        assert kept is not None
        facts = read_facts(experiment, kept["facts"])
        require(facts.deciding == own[0].policy, "facts are of another policy")
        require(bandits.keys() <= facts.policies.keys(), "a policy is not described")
        deciding = bandits.pop(own[0].policy)
        arms = {each.arms for each in bandits.values()}
        require(arms <= {deciding.arms}, "policies have different arms")
        return cls(
            experiment, deciding, own[0].policy, bandits, facts,
            own[0].number, kept["former"], kept["settings"],
        )  # fmt: skip


def rebuild(store: Store, experiment: Experiment, upto: int | None = None) -> State:
    """What was learnt, from the first step on, without any snapshot."""
    state = State.begun(experiment)
    state.apply(read_steps(store, experiment.name, 0, upto))
    return state


def load(store: Store, experiment: Experiment, trusted: Iterable[Any] = ()) -> State:
    """What was learnt, from the newest snapshot and the steps after it.

    Snapshots only save time: one that is damaged is deleted, and an older one or the whole journal
    is used.
    """
    state = _newest(store, experiment, [*trusted]) or State.begun(experiment)
    state.apply(read_steps(store, experiment.name, state.number))
    return state


def _newest(store: Store, experiment: Experiment, trusted: list[Any]) -> State | None:
    while True:
        try:
            found = store.read(lambda connection: newest_snapshots(connection, experiment.name))
            return State.restored(experiment, found, trusted) if found else None
        except Unavailable:
            raise
        except (BandstrapError, ValueError) as error:  # or its facts are no JSON
            text = str(error)
            LOG.warning("%s", text)
            store.write(partial(_discard, experiment=experiment.name, why=text))


def _discard(connection: Connection, experiment: str, why: str) -> None:
    """Delete the newest snapshots, so that others can take their place."""
    own = SNAPSHOTS.c.experiment == experiment
    newest = connection.execute(select(func.max(SNAPSHOTS.c.number)).where(own)).scalar()
    connection.execute(delete(SNAPSHOTS).where(own, SNAPSHOTS.c.number == newest))
    put_error(connection, experiment, time(), f"snapshot {newest} is deleted: {why}")


def begun_with(connection: Connection, experiment: str) -> dict[str, Any] | None:
    """The settings of the last `configure` step; None before the first."""
    query = select(STEPS.c.payload).where(STEPS.c.experiment == experiment)
    query = query.where(STEPS.c.kind == "configure").order_by(STEPS.c.number.desc()).limit(1)
    found = connection.execute(query).scalar()
    settings: dict[str, Any] | None = None if found is None else json.loads(found)
    return settings


def may_change(setting: str, begun: Mapping[str, Any]) -> bool:
    """Whether a setting may change under an experiment; contexts may be declared later."""
    undeclared = setting == "context" and begun.get("context") is None
    return undeclared or setting in ("candidates", "guardrails")


def settings_of(experiment: Experiment) -> dict[str, Any]:
    """What the fold of an experiment starts from, as JSON can hold it."""
    arms, control = experiment.arms, experiment.control
    return {
        "arms": {str(arm): arms[arm] for arm in arms} if isinstance(arms, Mapping) else [*arms],
        "policy": experiment.policy,
        "parameters": {name: repr(value) for name, value in experiment.parameters.items()},
        "seed": experiment.seed,
        "rewards": repr(experiment.rewards),
        "floor": experiment.floor,
        "control": None if control is None else [control.share, control.arm],
        "context": experiment.context,
        "candidates": dict(experiment.candidates),
        "guardrails": rails_told(experiment.guardrails),
    }


def lesson_of(step: Step) -> Lesson:
    """The lesson in a step, for judging."""
    told, made = step.payload, step.record
    if made is None or step.id is None:
        raise OutputError("the journal", f"lacks the decision of step {step.number}",
                          "restore the store")  # fmt: skip
    context = read_context(made["context"], made.get("dtype"))
    at, known = told["at"], made.get("propensities")
    return Lesson(
        id=step.id, time=made["time"], arm=made["arm"], propensity=made["propensity"],
        weight=made["weight"], reward=told["reward"],
        context=context[0] if hasattr(context, "shape") else context,
        allowed=tuple(made["allowed"]), mode=made["mode"], control=made["control"],
        version=made["version"], given=told["given"],
        delay=None if at is None else at - made["time"], metrics=told["metrics"],
        propensities=known and dict(zip(made["allowed"], known, strict=True)),
    )  # fmt: skip


def _lesson(state: State, step: Step) -> None:
    told = lesson_of(step)
    refusal = state.facts.lesson(told, state.deciding, state.candidates)
    state.refusals += [] if refusal is None else [refusal]
    if told.reward is None:
        return
    for name, bandit in state.bandits.items():
        try:
            if draws_train(state.facts.policies[name]):
                # As it would have where it decides: deciders' copies forget what they trained.
                bandit.drop(bandit.decide(told.context, key=told.id))
            bandit.learn(
                context=told.context,
                arm=told.arm,
                reward=told.reward,
                weight=step.payload["weight"],
            )
        except Exception as error:  # each time the same: the fold stays what it was
            if passes_by(error):
                raise
            state.refusals.append(f"{name} refused the reward of {told.id}: {reason(error)}")


def _settle(state: State, step: Step) -> None:
    for bandit in state.bandits.values():
        bandit.settle()


def _configure(state: State, step: Step) -> None:
    """New candidates begin with the current arms, and so do those with another policy."""
    wanted, known = step.payload["candidates"], state.facts.policies
    decides = state.deciding_name
    if decides in wanted and wanted[decides] != known[decides]:
        remedy = "it decides: roll it back first, or give the new policy another name"
        raise InvalidInput(f"candidates.{decides}", wanted[decides], remedy)
    for name in [*state.candidates]:
        if name != state.experiment.name and wanted.get(name) != known[name]:
            del state.candidates[name]
    state.settings = step.payload
    state.facts.configured(wanted, rails_from(step.payload["guardrails"]))
    for name, policy in wanted.items():
        if name not in state.bandits:
            state.candidates[name] = _with_arms_of(state, state.experiment.bandit(policy))


def _with_arms_of(state: State, bandit: Bandit) -> Bandit:
    features = state.deciding.contexts.features
    for place, arm in enumerate(state.deciding.arms):
        if arm not in bandit.arms:
            bandit.add_arm(arm, None if features is None else features.told(place))
    for arm in state.deciding._arms.retired:
        bandit.retire_arm(arm)
    return bandit


def _add_arm(state: State, step: Step) -> None:
    arm = _arm(step)
    for bandit in state.bandits.values():
        bandit.add_arm(arm, step.payload.get("features"))
    _event(state, step, {"arm": arm})


def _retire_arm(state: State, step: Step) -> None:
    """By a person, or by a guardrail."""
    arm = _arm(step)
    for bandit in state.bandits.values():
        bandit.retire_arm(arm)
    _event(state, step, {"arm": arm})


def _reinstate_arm(state: State, step: Step) -> None:
    arm = _arm(step)
    for bandit in state.bandits.values():
        bandit.reinstate_arm(arm)
    _event(state, step, {"arm": arm})


def _promote(state: State, step: Step) -> None:
    name = step.payload.get("candidate")
    if name not in state.candidates:
        known = ", ".join(state.candidates) or "there are none"
        raise InvalidInput("candidate", name, f"give the name of a candidate: {known}")
    state.former = [*state.former, state.deciding_name]
    _swap(state, name)
    _event(state, step, {"candidate": name})


def _rollback(state: State, step: Step) -> None:
    if not state.former:
        raise InvalidInput("rollback", state.deciding_name, "no other policy has decided before")
    name = state.former[-1]
    if name not in state.candidates:
        raise InvalidInput("rollback", name, "it is no candidate any more: configure it again")
    _swap(state, name)
    state.former = state.former[:-1]
    _event(state, step, {"candidate": name})


def _swap(state: State, name: str) -> None:
    state.candidates[state.deciding_name] = state.deciding
    state.deciding, state.deciding_name = state.candidates.pop(name), name


def _refused(state: State, step: Step) -> None:
    """A refused command changes nothing; the journal records it."""


def _arm(step: Step) -> Any:
    """The arm of a command, which may call it a name."""
    payload = step.payload
    if "arm" not in payload and "name" not in payload:
        raise InvalidInput("arm", None, "say which")
    return checked_name(payload.get("arm", payload.get("name")))


def _event(state: State, step: Step, told: Mapping[str, Any]) -> None:
    state.facts.event(step.time, step.kind, told)


_HANDLERS: dict[str, Callable[[State, Step], None]] = {
    "configure": _configure,
    "lesson": _lesson,
    "settle": _settle,
    "add_arm": _add_arm,
    "retire_arm": _retire_arm,
    "reinstate_arm": _reinstate_arm,
    "stop_arm": _retire_arm,
    "promote": _promote,
    "rollback": _rollback,
    "refused": _refused,
}

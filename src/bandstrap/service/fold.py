"""Steps in, what was learnt out: the same steps give the same state, bit for bit."""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from bandstrap.bandit.arms import checked_name
from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.log.recorded import read_context
from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from bandstrap.policies.registry import REGISTRY
from bandstrap.service.config import Experiment
from bandstrap.service.facts import Facts, Lesson, new_facts, read_facts
from bandstrap.service.store.steps import Snapshot, Step, newest_snapshots, read_steps
from bandstrap.service.store.store import Store

__all__ = ["COMMANDS", "State", "load", "rebuild", "settings_of"]

COMMANDS = ("add_arm", "retire_arm", "reinstate_arm", "promote", "rollback")  # a person's


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

    def apply(self, steps: Iterable[Step]) -> None:
        """Let steps happen, in order."""
        self.refusals = []
        for step in steps:
            if step.number != self.number + 1:
                problem = f"lacks step {self.number + 1} before step {step.number}"
                raise OutputError(
                    f"experiment {self.experiment.name}", problem, "restore the store"
                )
            try:
                _HANDLERS[step.kind](self, step)
            except BandstrapError:
                raise
            except Exception as error:  # of a model: it is written down, and would come again
                if step.kind != "lesson":
                    raise
                self.refusals.append(f"{step.id} could not be learnt: {type(error).__name__}")
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
        """From what `snapshots` told."""
        bandits = {each.policy: Bandit.from_bytes(each.state, trusted) for each in snapshots}
        own = next(each for each in snapshots if each.deciding)
        assert own.facts is not None
        deciding = bandits.pop(own.policy)
        return cls(
            experiment, deciding, own.policy, bandits, read_facts(experiment, own.facts["facts"]),
            own.number, own.facts["former"], own.facts["settings"],
        )  # fmt: skip


def rebuild(store: Store, experiment: Experiment, upto: int | None = None) -> State:
    """What was learnt, from the first step on, without any snapshot."""
    state = State.begun(experiment)
    state.apply(read_steps(store, experiment.name, 0, upto))
    return state


def load(store: Store, experiment: Experiment, trusted: Iterable[Any] = ()) -> State:
    """What was learnt, from the newest snapshot and the steps after it."""
    found = store.read(lambda connection: newest_snapshots(connection, experiment.name))
    state = State.restored(experiment, found, trusted) if found else State.begun(experiment)
    state.apply(read_steps(store, experiment.name, state.number))
    return state


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
        "candidates": dict(experiment.candidates),
    }


def lesson_of(step: Step) -> Lesson:
    """A step as judging sees it."""
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
    state.facts.lesson(told, state.deciding, state.candidates)
    if told.reward is None:
        return
    for name, bandit in state.bandits.items():
        try:
            if _draws_train(state.experiment, name):
                # As it would have where it decides: deciders' copies forget what they trained.
                bandit.drop(bandit.decide(told.context, key=told.id))
            bandit.learn(
                context=told.context,
                arm=told.arm,
                reward=told.reward,
                weight=step.payload["weight"],
            )
        except BandstrapError as error:  # each time the same: the fold stays what it was
            state.refusals.append(f"{name} refused the reward of {told.id}: {error}")


def _draws_train(experiment: Experiment, name: str) -> bool:
    """Whether a policy trains as it draws; the default one may."""
    policy = experiment.candidates.get(name, experiment.policy)
    return policy is None or (policy in REGISTRY and REGISTRY[policy].draws_train)


def _settle(state: State, step: Step) -> None:
    for bandit in state.bandits.values():
        bandit.settle()


def _configure(state: State, step: Step) -> None:
    """Candidates that are new begin, with the arms that there are; others go."""
    state.settings, wanted = step.payload, step.payload["candidates"]
    for name in [*state.candidates]:
        if name not in wanted and name != state.experiment.name:
            del state.candidates[name]
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
    """Nothing happened; that it was asked for is written down."""


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

"""Targets from what users give: rules, bandits and policies, as objects or as text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bandstrap.bandit import Bandit
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets import (
    Always,
    BestArm,
    ColumnRule,
    Frozen,
    HadItRun,
    Learnt,
    Rule,
    Target,
    Trained,
    Uniform,
)
from bandstrap.evaluation.targets.base import FROZEN, LEARNT, RAN
from bandstrap.policies import POLICIES, Policy
from bandstrap.policies.own import imported, is_path, made, parsed, variant_name
from bandstrap.policies.registry import CONTEXTUAL, current
from bandstrap.priors import EigenExamples

__all__ = ["ANSWERS", "TargetSet", "default_targets", "read_targets"]

ANSWERS = (FROZEN, LEARNT, RAN)
PRIOR = EigenExamples()  # estimated as contexts arrive, as it would be in a product
ALWAYS, COLUMN, UNIFORM, BEST = "always=", "column=", "uniform", "best-arm"
RULES = (UNIFORM, BEST, "always=ARM", "column=NAME", "module:function")
DEFAULT, WITH_CONTEXTS = "wb", "wb-log-replicas"
LONGEST = 100_000  # rows that a policy with contexts learns by default: it takes seconds


@dataclass(frozen=True)
class TargetSet:
    """What is evaluated: targets, and policies that run in the logger's place."""

    targets: tuple[Target, ...] = ()
    reruns: tuple[HadItRun, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        labels = [(each.name, each.answer) for each in self.targets]
        labels += [(each.name, each.answer) for each in self.reruns]
        if len({*labels}) < len(labels):
            twice = next(name for name, answer in labels if labels.count((name, answer)) > 1)
            raise InvalidInput("targets", twice, "give each a name of its own: {name: target}")


def default_targets(feedback: Feedback) -> TargetSet:
    """What is evaluated if nobody says what."""
    known = feedback.propensities is not None or feedback.weights is not None
    contexts = feedback.contexts is not None
    name = WITH_CONTEXTS if contexts and len(feedback) <= LONGEST else DEFAULT
    notes: tuple[str, ...] = ()
    if contexts and name == DEFAULT:
        notes = (
            f"The log is long, so the default policy, {DEFAULT}, does not look at contexts; "
            f"--policy {WITH_CONTEXTS} does, and takes about a minute for a million rows.",
        )
    rules: tuple[Target, ...] = (Uniform(), BestArm()) if known else (Uniform(),)
    return TargetSet((*rules, Learnt(policy_named(name), name)), notes=notes)


def read_targets(
    things: Any, answers: Sequence[str] = (LEARNT,), draws: int | None = None
) -> TargetSet:
    """Targets from objects, text, or either by name.

    >>> [each.name for each in read_targets(["uniform", "always=red", "wb"]).targets]
    ['uniform', 'always red', 'wb']
    """
    for answer in answers:
        if answer not in ANSWERS:
            raise UnknownName("answer", answer, ANSWERS)
    found: list[Any] = []
    for name, thing in _named(things):
        found += [_called(each, name) for each in _targets(thing, answers, draws)]
    judged = tuple(each for each in found if not each.reruns)
    return TargetSet(judged, tuple(each for each in found if each.reruns))


def _named(things: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(things, Mapping):
        return things.items()
    many = things if isinstance(things, list | tuple) else [things]
    return [("", thing) for thing in many]


def _called(target: Any, name: str) -> Any:
    return replace(target, name=name) if name else target


def _targets(thing: Any, answers: Sequence[str], draws: int | None) -> list[Any]:
    if isinstance(thing, Target | HadItRun):
        return [thing]
    if isinstance(thing, Bandit):
        return [Frozen(thing, draws=draws)]
    if isinstance(thing, Path):
        return [Frozen(Bandit.load(thing), thing.stem, draws)]
    if isinstance(thing, str):
        rule = rule_named(thing)
        return [rule] if rule is not None else _answers(*_policy(thing), answers, draws)
    if isinstance(thing, Policy):
        return _answers(thing, variant_name(type(thing), {}), answers, draws)
    if callable(thing) and not isinstance(thing, type):
        return [Rule(thing)]
    remedy = f"give a policy, a Bandit, a function of the context, or text: {', '.join(RULES)}"
    raise InvalidInput("targets", thing, remedy)


def _answers(
    policy: Policy[Any], name: str, answers: Sequence[str], draws: int | None
) -> list[Any]:
    made_as = {
        FROZEN: Trained(policy, name, draws=draws),
        LEARNT: Learnt(policy, name, draws),
        RAN: HadItRun(policy, name),
    }
    return [made_as[answer] for answer in answers]


def _policy(text: str) -> tuple[Policy[Any], str]:
    if not is_path(text):
        return policy_named(text), current(text)
    policy = made(text, Policy)
    return policy, variant_name(type(policy), parsed(text).given or {})


def policy_named(name: str) -> Policy[Any]:
    """A policy of the registry."""
    name = current(name)
    if name in POLICIES:
        return POLICIES[name]()
    if name in CONTEXTUAL:
        return CONTEXTUAL[name](PRIOR)
    raise UnknownName("policy", name, [*POLICIES, *CONTEXTUAL])


def rule_named(text: str) -> Target | None:
    """The rule that a text says; None if it says none."""
    if text == UNIFORM:
        return Uniform()
    if text == BEST:
        return BestArm()
    if text.startswith(ALWAYS):
        return Always(text.removeprefix(ALWAYS))
    if text.startswith(COLUMN):
        return ColumnRule(text.removeprefix(COLUMN))
    return None


def rule_of_option(text: str) -> Target:
    """The rule that `--rule` says: one of ours, or a function of the user's own."""
    rule = rule_named(text)
    if rule is not None:
        return rule
    if not is_path(text):
        raise UnknownName("rule", text, RULES)
    named = parsed(text, "--rule")
    function = imported(named, text, "--rule")
    if not callable(function) or named.given is not None:
        raise InvalidInput("--rule", text, "name a function of the context, without parentheses")
    return Rule(function)

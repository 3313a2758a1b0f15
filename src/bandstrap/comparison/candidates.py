"""Who takes part: policies by name, policies times models, and those of the user's own."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.models import Model
from bandstrap.policies import POLICIES, ContextualBootstrap, ContextualEpsilonGreedy, Decay, Policy
from bandstrap.policies.contextual import CONTEXTUAL
from bandstrap.priors import EigenExamples
from bandstrap.resampling import Exponential, Multinomial

PRIOR = EigenExamples()  # estimated as contexts arrive, as it would be in a product
# One of each kind, in the mode that costs least; npb-log-gaussian would be wb-log-gaussian again.
QUICK = (
    "eg-lin",
    "eg-log",
    "wb-log-gaussian",
    "wb-log-replicas",
    "ucb-lin-fixed",
    "ts-lin-fixed",
    "ts-laplace",
    "glm-ucb",
    "tang",
)
USUAL = (*QUICK, "wb-lin-additive", "wb-log", "heads-nn", "tree-heuristic")
# Where contexts are wide, refits of every arm cost too much to be tried unasked.
WIDE = 200
LEAN = ("wb-log-replicas", "ucb-lin-fixed", "ts-lin-fixed", "ts-laplace", "tang", "heads-nn")
REFITTING = ("eg", "npb", "wb")  # ways to explore that any model can be used with
GROUPS: dict[type, str] = {Policy: "bandstrap.policies", Model: "bandstrap.models"}
OPTIONS: dict[type, str] = {Policy: "--policy", Model: "--model"}
EXPLORERS = ("eg", "npb", "wb", "ts", "ucb")


@dataclass(frozen=True)
class Asked:
    """Which policies and models the user wants; nothing means the usual ones."""

    policies: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    own_policies: tuple[Any, ...] = ()  # "module:Class", or policies
    own_models: tuple[Any, ...] = ()

    def candidates(self, usual: tuple[str, ...]) -> dict[str, Policy[Any]]:
        """Every policy that takes part, by its name."""
        installed, more = _installed(Policy), _installed(Model)
        models = _by_name(self.own_models, Model)
        known = {**_known(), **installed}
        for name, model in {**more, **models}.items():
            known.update(_with_model(name, model))
        if self.policies or self.models:
            chosen = self._named(known, (*self.models, *models))
        else:
            pairs = [f"{way}-{name}" for name in {**more, **models} for way in REFITTING]
            chosen = [*usual, *installed, *pairs]
        own = _by_name(self.own_policies, Policy)
        for name in own.keys() & known.keys():
            raise InvalidInput("--policy", name, "another policy has this name; rename the class")
        return {**{name: known[name] for name in chosen}, **own}

    def _named(self, known: Mapping[str, Any], models: tuple[str, ...]) -> list[str]:
        """Each policy with each model; a name that is a policy by itself is taken as it is."""
        names = []
        for policy in self.policies or EXPLORERS:
            pairs = [f"{policy}-{model}" for model in models]
            found = [name for name in pairs if name in known]
            if not found and self.policies:
                if policy not in known or (models and policy in POLICIES):
                    raise UnknownName("policy", pairs[0] if pairs else policy, known)
                found = [policy]
            names += found
        if not names:
            raise UnknownName("model", models[0], {name.split("-", 1)[-1] for name in known})
        return list(dict.fromkeys(names))


def _known() -> dict[str, Policy[Any]]:
    """Every name of ours."""
    ours = {name: make(PRIOR) for name, make in CONTEXTUAL.items()}
    return {**ours, **{name: make() for name, make in POLICIES.items()}}


def _installed(kind: type) -> dict[str, Any]:
    """What installed packages offer by entry points."""
    points = entry_points(group=GROUPS[kind])
    return {point.name: _made(point.load(), kind) for point in points}


def _with_model(name: str, model: Model) -> dict[str, Policy[Any]]:
    return {
        f"eg-{name}": ContextualEpsilonGreedy(model, Decay(50.0), PRIOR),
        f"npb-{name}": ContextualBootstrap(Multinomial(), model, PRIOR),
        f"wb-{name}": ContextualBootstrap(Exponential(), model, PRIOR),
    }


def _by_name(things: tuple[Any, ...], kind: type) -> dict[str, Any]:
    """Each by its class; a second one of a class is numbered."""
    found: dict[str, Any] = {}
    for thing in things:
        made = _made(_imported(thing, OPTIONS[kind]) if isinstance(thing, str) else thing, kind)
        name = type(made).__name__.lower()
        several = sum(type(other) is type(made) for other in found.values())
        found[f"{name}-{several + 1}" if several else name] = made
    return found


def _imported(path: str, option: str) -> Any:
    """What `module:Name` names, from the folder one is in or from anywhere Python looks."""
    module, _, name = path.partition(":")
    if not (module and name):
        raise InvalidInput(option, path, "write module:Class, as in my_policies:Mine")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InvalidInput(option, path, f"cannot be imported ({error})") from error


def _made(thing: Any, kind: type) -> Any:
    """A policy or model, or what a class or function makes of nothing."""
    made = thing if isinstance(thing, kind) else thing() if callable(thing) else thing
    if not isinstance(made, kind):
        raise InvalidInput(OPTIONS[kind], thing, f"give a {kind.__name__}, or what makes one")
    return made

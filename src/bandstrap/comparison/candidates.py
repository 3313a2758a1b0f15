"""Who takes part: policies by name, policies times models, and those of the user's own."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bandstrap.comparison.offers import by_name, installed
from bandstrap.errors import BandstrapError, InvalidInput, UnknownName
from bandstrap.models import Model
from bandstrap.policies import POLICIES, ContextualBootstrap, ContextualEpsilonGreedy, Decay, Policy
from bandstrap.policies.registry import CONTEXTUAL, FORMER, REGISTRY, current
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
    "ensemble-log",
)
USUAL = (*QUICK, "wb-lin-additive", "wb-log", "ensemble-nn", "tree-heuristic")
# Where contexts are wide, refits of every arm cost too much to be tried unasked.
WIDE = 200
LEAN = (
    "wb-log-replicas",
    "ucb-lin-fixed",
    "ts-lin-fixed",
    "ts-laplace",
    "ensemble-log",
    "ensemble-nn",
)
REFITTING = ("eg", "npb", "wb")  # ways to explore that any model can be used with
EXPLORERS = ("eg", "npb", "wb", "ts", "ucb")


def affordable(names: tuple[str, ...], width: int) -> tuple[str, ...]:
    """Those of the names that are tried unasked on contexts of so many numbers."""
    return names if width <= WIDE else tuple(name for name in names if name in LEAN)


@dataclass(frozen=True)
class Asked:
    """Which policies and models the user wants; nothing means the usual ones."""

    policies: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    own_policies: tuple[Any, ...] = ()  # "module:Class", or policies
    own_models: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "policies", tuple(map(current, self.policies)))

    def check(self) -> None:
        """All of it is there: what is asked for can be refused before a table is read."""
        self.candidates(())

    def candidates(self, usual: tuple[str, ...]) -> dict[str, Policy[Any]]:
        """Every policy that takes part, by its name."""
        own_models = by_name(self.own_models, Model)
        known = Known.here(own_models)
        if self.policies or self.models:
            chosen = self._named(known, (*self.models, *own_models))
        else:
            chosen = [*usual, *known.others]
        own = by_name(self.own_policies, Policy)
        for name in own.keys() & (known.policies.keys() | FORMER.keys()):
            raise InvalidInput("--policy", name, "another policy has this name; rename the class")
        return {**{name: known.policies[name] for name in chosen}, **own}

    def _named(self, known: "Known", models: tuple[str, ...]) -> list[str]:
        """Each policy with each model; a name that is a policy by itself is taken as it is."""
        for model in models:
            known.check_model(model)
        names: dict[str, None] = {}
        joined: set[str] = set()
        for policy in self.policies or EXPLORERS:
            pairs = {f"{policy}-{model}": model for model in models}
            found = {name: model for name, model in pairs.items() if name in known.pairs}
            if not found and self.policies:
                known.check_policy(policy, pairs)
                names[policy] = None
            names.update(dict.fromkeys(found))
            joined.update(found.values())
        for model in models:
            if model not in joined:
                asked = ",".join(self.policies)
                remedy = f"no policy of {asked} was joined with it; add one, as in --policies wb"
                raise InvalidInput("model", model, remedy)
        return list(names)


@dataclass(frozen=True)
class Known:
    """Every policy that can be asked for by name."""

    policies: dict[str, Policy[Any]]
    pairs: dict[str, str]  # of those that are a way to explore and a model: the model
    others: tuple[str, ...]  # of packages and of the user's models
    broken: dict[str, BandstrapError]  # policies that packages offer, and why they cannot be had
    broken_models: dict[str, BandstrapError]

    @classmethod
    def here(cls, own_models: dict[str, Model] | None = None) -> "Known":
        """Ours, what is installed, and what follows from models of the user's own."""
        policies, models = installed(Policy), installed(Model)
        pairs = {each.name: each.joins for each in REGISTRY.values() if each.joins}
        joint: dict[str, Policy[Any]] = {}
        for name, model in {**models.found, **(own_models or {})}.items():
            with_it = _with_model(name, model)
            joint.update(with_it)
            pairs.update(dict.fromkeys(with_it, name))
        broken = dict(policies.broken)
        for name, error in models.broken.items():
            broken.update({f"{way}-{name}": error for way in REFITTING})
        known = {**_known(), **policies.found, **joint}
        return cls(known, pairs, (*policies.found, *joint), broken, models.broken)

    def check_model(self, name: str) -> None:
        models = set(self.pairs.values())
        if name not in models:
            raise self.broken_models.get(name) or UnknownName("model", name, models)

    def check_policy(self, name: str, pairs: Iterable[str]) -> None:
        """A policy by itself; where there are models, one that knows of them."""
        if name not in self.policies or (pairs and name in POLICIES):
            meant = next(iter(pairs), name)
            raise self.broken.get(name) or UnknownName("policy", meant, self.policies)


def _known() -> dict[str, Policy[Any]]:
    """Every name of ours."""
    ours = {name: make(PRIOR) for name, make in CONTEXTUAL.items()}
    return {**ours, **{name: make() for name, make in POLICIES.items()}}


def _with_model(name: str, model: Model) -> dict[str, Policy[Any]]:
    return {
        f"eg-{name}": ContextualEpsilonGreedy(model, Decay(50.0), PRIOR),
        f"npb-{name}": ContextualBootstrap(Multinomial(), model, PRIOR),
        f"wb-{name}": ContextualBootstrap(Exponential(), model, PRIOR),
    }

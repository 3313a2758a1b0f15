"""Which policies take part: by name, joined with models, or the user's own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from bandstrap.errors import BandstrapError, InvalidInput, UnknownName
from bandstrap.models import Model
from bandstrap.policies import POLICIES, ContextualBootstrap, ContextualEpsilonGreedy, Decay, Policy
from bandstrap.policies.entry import QUICKLY, USUALLY, WIDELY
from bandstrap.policies.own import failed, instance, is_path, own_by_name
from bandstrap.policies.registry import CONTEXTUAL, FORMER, REGISTRY, compared, current
from bandstrap.priors import EigenExamples
from bandstrap.resampling import Exponential, Multinomial

GROUPS: dict[type, str] = {Policy: "bandstrap.policies", Model: "bandstrap.models"}
PRIOR = EigenExamples()  # estimated as contexts arrive, as it would be in a product
# One of each kind, in its cheapest mode; npb-log-gaussian would be wb-log-gaussian again.
QUICK, USUAL = compared(QUICKLY), compared(USUALLY)
# On wide contexts, refits of every arm cost too much to be tried by default.
WIDE, LEAN = 200, compared(WIDELY)
REFITTING = ("eg", "npb", "wb")  # families that work with any model
EXPLORERS = ("eg", "npb", "wb", "ts", "ucb")


class Plugins(NamedTuple):
    """What installed packages offer by entry points, and the errors of those that do not load."""

    found: dict[str, Any]
    broken: dict[str, BandstrapError]


def plugins(kind: type) -> Plugins:
    """All of one kind; a broken one matters only to those who select it."""
    found = Plugins({}, {})
    for point in entry_points(group=GROUPS[kind]):
        try:
            found.found[point.name] = _loaded(point, kind)
        except BandstrapError as error:
            found.broken[point.name] = error
    return found


def _loaded(point: EntryPoint, kind: type) -> Any:
    package = point.dist.name if point.dist else "an installed package"
    whose = f"entry point {point.name!r} of {package}"
    try:
        thing = point.load()
    except Exception as error:  # others' code may raise anything
        raise failed(whose, point.value, error, "fix or remove the package") from error
    return instance(thing, kind, whose, point.value)


def about(name: str, policy: Policy[Any]) -> str:
    """What a policy is, in one sentence: of your own, how its class begins to describe itself."""
    if name in REGISTRY:
        return REGISTRY[name].sentence
    return (type(policy).__doc__ or type(policy).__name__).strip().partition("\n")[0]


def affordable(names: tuple[str, ...], width: int) -> tuple[str, ...]:
    """Those of the names that are tried by default on contexts of this width."""
    return names if width <= WIDE else tuple(name for name in names if name in LEAN)


@dataclass(frozen=True)
class Selection:
    """The policies and models that a user selects; by default the usual ones.

    >>> [*Selection(("wb", "eg"), ("lin",)).candidates(())]
    ['wb-lin', 'eg-lin']
    """

    policies: tuple[str, ...] = ()  # "module:Class" among them too
    models: tuple[str, ...] = ()
    own_policies: Sequence[Any] | Mapping[str, Any] = ()  # "module:Class", policies, or by name
    own_models: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "policies", tuple(map(current, self.policies)))

    def check(self) -> None:
        """All of them exist; raises before a table is read."""
        self.candidates(())

    def candidates(self, usual: tuple[str, ...]) -> dict[str, Policy[Any]]:
        """The policies that take part, by name."""
        own_models = own_by_name(self.own_models, Model)
        known = Candidates.available(own_models)
        if self.policies or self.models:
            chosen = self._named(known, (*self.models, *own_models))
        else:
            chosen = [*usual, *known.others]
        own = self._own()
        for name in own.keys() & (known.policies.keys() | FORMER.keys()):
            raise InvalidInput("--policy", name, "another policy has this name; rename the class")
        return {**{name: known.policies[name] for name in chosen}, **own}

    def _own(self) -> dict[str, Policy[Any]]:
        """The user's, those first that stand among the others."""
        paths = [*filter(is_path, self.policies)]
        if isinstance(self.own_policies, Mapping):
            return {**own_by_name(paths, Policy), **own_by_name(self.own_policies, Policy)}
        return own_by_name([*paths, *self.own_policies], Policy)

    def _named(self, known: "Candidates", models: tuple[str, ...]) -> list[str]:
        """Each policy with each model; the full name of a policy is taken as it is."""
        for model in models:
            known.check_model(model)
        names: dict[str, None] = {}
        joined: set[str] = set()
        registered = [name for name in self.policies if not is_path(name)]
        for policy in registered if self.policies else EXPLORERS:
            pairs = {f"{policy}-{model}": model for model in models}
            found = {name: model for name, model in pairs.items() if name in known.pairs}
            if not found and self.policies:
                known.check_policy(policy, pairs)
                names[policy] = None
            names.update(dict.fromkeys(found))
            joined.update(found.values())
        for model in models:
            if model not in joined:
                policies = ",".join(self.policies)
                remedy = f"none of {policies} can be joined with it; add one, as in --policies wb"
                raise InvalidInput("model", model, remedy)
        return list(names)


@dataclass(frozen=True)
class Candidates:
    """Every policy that can be selected by name."""

    policies: dict[str, Policy[Any]]
    pairs: dict[str, str]  # policies that join a family with a model, and that model
    others: tuple[str, ...]  # from packages and from the user's models
    broken: dict[str, BandstrapError]  # policies of packages that cannot be loaded, and why
    broken_models: dict[str, BandstrapError]

    @classmethod
    def available(cls, own_models: dict[str, Model] | None = None) -> "Candidates":
        """Ours, those of installed packages, and those that join the user's own models."""
        policies, models = plugins(Policy), plugins(Model)
        pairs = {each.name: each.joins for each in REGISTRY.values() if each.joins}
        joint: dict[str, Policy[Any]] = {}
        for name, model in {**models.found, **(own_models or {})}.items():
            with_it = _with_model(name, model)
            joint.update(with_it)
            pairs.update(dict.fromkeys(with_it, name))
        broken = dict(policies.broken)
        for name, error in models.broken.items():
            broken.update({f"{family}-{name}": error for family in REFITTING})
        ours = {name: make(PRIOR) for name, make in CONTEXTUAL.items()}
        ours |= {name: make() for name, make in POLICIES.items()}
        known = {**ours, **policies.found, **joint}
        return cls(known, pairs, (*policies.found, *joint), broken, models.broken)

    def check_model(self, name: str) -> None:
        models = set(self.pairs.values())
        if name not in models:
            raise self.broken_models.get(name) or UnknownName("model", name, models)

    def check_policy(self, name: str, pairs: Iterable[str]) -> None:
        """The full name of a policy; with models, of one that takes contexts."""
        if name not in self.policies or (pairs and name in POLICIES):
            meant = next(iter(pairs), name)
            raise self.broken.get(name) or UnknownName("policy", meant, self.policies)


def _with_model(name: str, model: Model) -> dict[str, Policy[Any]]:
    return {
        f"eg-{name}": ContextualEpsilonGreedy(model, Decay(50.0), PRIOR),
        f"npb-{name}": ContextualBootstrap(Multinomial(), model, PRIOR),
        f"wb-{name}": ContextualBootstrap(Exponential(), model, PRIOR),
    }

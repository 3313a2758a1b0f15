"""What a service does: app.toml as frozen dataclasses."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from bandstrap.bandit.arms import checked_name
from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.control import Control
from bandstrap.bandit.decision import Arm
from bandstrap.bandit.inputs import checked_reward
from bandstrap.bandit.propensity import Propensity
from bandstrap.errors import InvalidInput, OutputError, UnknownName
from bandstrap.evaluation.targets.reading import policy_named
from bandstrap.policies.base import Policy
from bandstrap.policies.default import Default
from bandstrap.policies.own import is_path, made
from bandstrap.problem import Support
from bandstrap.service.candidates import Told, chosen, named
from bandstrap.service.contexts import Declared, check_context, check_declared
from bandstrap.storage.files import reading
from bandstrap.validation import is_finite, is_whole, require_positive, require_share, require_whole

__all__ = ["Experiment", "Gate", "Guardrail", "Key", "Mode", "Role", "ServiceConfig", "read_config"]

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
T = TypeVar("T")
NAME = 64  # characters of an experiment's name
CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class Mode(Enum):
    """Who decides."""

    ONLINE = "online"  # the policy
    SHADOW = "shadow"  # your rule, while the policy says what it would do
    LOGGING = "logging"  # your rule, and no policy runs


class Role(Enum):
    """What a key may do."""

    DECIDE = "decide"
    REWARD = "reward"
    READ = "read"
    ADMIN = "admin"


@dataclass(frozen=True)
class Key:
    """A key that opens some of the doors; only its SHA-256 is known here."""

    name: str
    sha256: str
    roles: frozenset[Role]


@dataclass(frozen=True)
class Gate:
    """When a candidate takes over: once the lower bound of its lift is above `margin`."""

    margin: float = 0.0
    level: float = 0.95

    def __post_init__(self) -> None:
        if not is_finite(self.margin):
            raise InvalidInput("promote.margin", self.margin, "give a number")
        require_share(level=self.level)


@dataclass(frozen=True)
class Guardrail:
    """A metric that comes with rewards; an arm whose mean is surely beyond a limit is stopped.

    Its values lie between `low` and `high`: the sequence that watches them needs bounds.
    """

    metric: str
    most: float | None = None
    least: float | None = None
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if (self.most is None) == (self.least is None):
            raise InvalidInput(f"guardrails.{self.metric}", None, "give most or least, one of them")
        limit = self.least if self.most is None else self.most
        if not all(map(is_finite, (self.low, self.high, limit))) or not self.low < self.high:
            raise InvalidInput(f"guardrails.{self.metric}", limit, "give finite low < high")


@dataclass(frozen=True)
class Experiment:
    """Arms, a policy, and what counts as a reward.

    >>> news = Experiment("news", ("a", "b"), policy="wb", window=1800.0)
    >>> news.bandit().arms
    ('a', 'b')
    """

    name: str
    arms: tuple[Arm, ...] | Mapping[Arm, Any]
    policy: str | None = None  # a name of the registry, module:Class(…), or None: the default
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    rewards: Support = field(default_factory=Support.interval)
    window: float = 3600.0  # seconds in which a reward counts
    default_reward: float | None = 0.0  # of a decision without one; None: it is not learnt
    floor: float = 0.02
    mode: Mode = Mode.ONLINE
    control: Control | None = None
    context: Declared = None  # {age = "number", city = "text"}, or how many numbers
    candidates: Mapping[str, Told] = field(default_factory=dict)  # a name and a policy
    promote: Gate | None = None  # None: a person promotes
    guardrails: tuple[Guardrail, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < len(self.name) <= NAME or not CHARACTERS.issuperset(self.name):
            remedy = f"use at most {NAME} letters, digits, dots, dashes and underscores"
            raise InvalidInput("experiments", self.name, remedy)
        require_positive(window=self.window)
        require_whole(0, seed=self.seed)
        for arm in self.arms:
            checked_name(arm)
        if self.name in self.candidates:
            raise InvalidInput("candidates", self.name, "choose a name that is not taken")
        check_declared(self.context)
        if self.default_reward is not None:
            _check_default(self.default_reward, self.rewards)
        for told in (None, *self.candidates.values()):  # refuse now what cannot be made
            self.bandit(told)

    def described(self, name: str) -> str:
        """What decides under a name: a candidate's policy, else the experiment's own."""
        return named(self.candidates.get(name, self.policy)) or "the default policy"

    def check_context(self, context: Any) -> None:
        """Refuse a decision's context that is not as the configuration declares it."""
        check_context(self.context, context)

    def bandit(self, candidate: Told | None = None) -> Bandit:
        """A new bandit: of the experiment's own policy, or of a candidate's."""
        own = self.policy, self.parameters
        return Bandit(
            _policy(*(own if candidate is None else chosen(candidate))),
            dict(self.arms) if isinstance(self.arms, Mapping) else self.arms,
            seed=self.seed,
            rewards=self.rewards,
            propensity=Propensity(floor=self.floor),
            control=self.control,
        )


@dataclass(frozen=True)
class ServiceConfig:
    """All experiments of a service, where they are stored and who may ask."""

    experiments: Mapping[str, Experiment]
    store: str = "bandstrap.sqlite"  # a path, or postgresql://…
    keys: tuple[Key, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    reload: float = 1.0  # seconds, at most, until deciders use what was learnt
    publish: float = 1.0  # seconds between two snapshots of what was learnt
    most_bytes: int = 1_000_000  # of a request's body
    timeout: float = 10.0  # seconds that a client has for its request
    trusted: tuple[str, ...] = ()  # module:Class of policies' own classes that snapshots may name

    def __post_init__(self) -> None:
        if not self.experiments:
            raise InvalidInput("experiments", {}, "describe at least one: [experiments.NAME]")
        require_positive(reload=self.reload, publish=self.publish, timeout=self.timeout)
        require_whole(1, workers=self.workers, most_bytes=self.most_bytes)
        if not is_whole(self.port) or not 0 <= self.port < 65536:
            raise InvalidInput("port", self.port, "give 0 to 65535")


def read_config(path: str | Path) -> ServiceConfig:
    """The configuration in a TOML file."""
    try:
        with reading(Path(path), "give a TOML file") as file:
            told = tomllib.loads(file.read().decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OutputError(path, f"is not TOML ({error})", "correct it") from error
    return config_from(told)


def config_from(told: Mapping[str, Any]) -> ServiceConfig:
    """The configuration in tables, as TOML gives them.

    >>> config = config_from({"experiments": {"news": {"arms": ["a", "b"], "window": "30m"}}})
    >>> config.experiments["news"].window
    1800.0
    """
    service = dict(_table("service", told.get("service", {})))
    _check_names("app.toml", told, ("service", "keys", "experiments"))
    _check_names("service", service, _names(ServiceConfig) - {"experiments", "keys"})
    if "trusted" in service:
        service["trusted"] = _texts("service.trusted", service["trusted"])
    for name in ("store", "host"):
        _text(f"service.{name}", service.get(name, ""))
    return ServiceConfig(
        experiments={
            name: _experiment(name, table)
            for name, table in _table("experiments", told.get("experiments", {})).items()
        },
        keys=tuple(
            _key(name, table) for name, table in _table("keys", told.get("keys", {})).items()
        ),
        **service,
    )


def seconds(parameter: str, value: Any) -> float:
    """Seconds, or a text as in 30m, 2h or 7d.

    >>> seconds("window", "2h"), seconds("window", 90)
    (7200.0, 90.0)
    """
    text = str(value).strip()
    unit = UNITS.get(text[-1:]) if isinstance(value, str) else 1.0
    number = text[:-1] if isinstance(value, str) else text
    try:
        found = float(number) * (unit or inf)
    except ValueError:
        found = inf
    if not is_finite(found) or found <= 0 or isinstance(value, bool):
        raise InvalidInput(parameter, value, "give seconds, or as in 30m, 2h or 7d")
    return found


def _check_default(reward: float, support: Support) -> None:
    try:
        checked_reward(reward, support)
    except InvalidInput as error:
        remedy = f'give a reward, or "none" ({error})'
        raise InvalidInput("default_reward", reward, remedy) from error


def _experiment(name: str, told: Any) -> Experiment:
    table = dict(_table(f"experiments.{name}", told))
    _check_names(f"experiments.{name}", table, _names(Experiment) - {"name"})
    arms = table.pop("arms", [])
    if not isinstance(arms, Mapping | list):
        raise InvalidInput(f"experiments.{name}.arms", arms, "give a list of names, or a table")
    readers: dict[str, Callable[[Any], Any]] = {
        "rewards": _support,
        "window": lambda value: seconds("window", value),
        "mode": _mode,
        "policy": lambda value: None if value is None else _text("policy", value),
        "parameters": lambda value: _table("parameters", value),
        "candidates": lambda value: _table("candidates", value),
        "control": lambda value: _made(Control, "control", value, ("share", "arm")),
        "promote": lambda value: _made(Gate, "promote", value, ("margin", "level")),
        "guardrails": _guardrails,
        "default_reward": lambda value: None if value == "none" else value,
    }
    given = {key: readers[key](value) if key in readers else value for key, value in table.items()}
    return Experiment(name, arms if isinstance(arms, Mapping) else tuple(arms), **given)


def _support(told: Any) -> Support:
    """[low, high], "binary", or {values = […]}."""
    if told == "binary":
        return Support.binary()
    if isinstance(told, Mapping):
        return Support.categories(told.get("values", ()))
    if isinstance(told, list) and len(told) == 2:
        return Support.interval(*told)
    raise InvalidInput("rewards", told, 'give [low, high], "binary" or {values = […]}')


def _mode(told: Any) -> Mode:
    known = [each.value for each in Mode]
    if told not in known:
        raise UnknownName("mode", told, known)
    return Mode(told)


def _guardrails(told: Any) -> tuple[Guardrail, ...]:
    rows = _table("guardrails", told).items()
    known = _names(Guardrail) - {"metric"}
    return tuple(
        _made(Guardrail, f"guardrails.{metric}", row, known, metric=metric) for metric, row in rows
    )


def _key(name: str, told: Any) -> Key:
    table = _table(f"keys.{name}", told)
    _check_names(f"keys.{name}", table, ("sha256", "roles"))
    digest, roles = table.get("sha256", ""), table.get("roles", [])
    if not isinstance(digest, str) or len(digest) != 64 or set(digest) - set("0123456789abcdef"):
        remedy = "give the SHA-256 of the key in hexadecimal: `bandstrap serve --new-key` makes one"
        raise InvalidInput(f"keys.{name}.sha256", digest, remedy)
    known = [each.value for each in Role]
    for role in _texts(f"keys.{name}.roles", roles):
        if role not in known:
            raise UnknownName("role", role, known)
    return Key(name, digest, frozenset(map(Role, roles)))


def _policy(name: str | None, parameters: Mapping[str, Any]) -> Policy[Any]:
    """By its name, by an import path with its own parameters, or the default."""
    if name is None or is_path(name):
        if parameters:
            remedy = "name a policy of the registry, or write them into module:Class(…)"
            raise InvalidInput("parameters", dict(parameters), remedy)
        policy: Policy[Any] = Default() if name is None else made(name, Policy)
        return policy
    named: Any = policy_named(name)  # a dataclass, whatever its class
    try:
        chosen: Policy[Any] = replace(named, **parameters) if parameters else named
    except TypeError as error:
        remedy = f"{name} has no such parameter: {error}"
        raise InvalidInput("parameters", dict(parameters), remedy) from error
    return chosen


def _made(kind: Callable[..., T], where: str, told: Any, known: Iterable[str], **given: Any) -> T:
    """What a table describes."""
    table = _table(where, told)
    _check_names(where, table, known)
    try:
        return kind(**given, **table)
    except TypeError as error:  # one is missing
        remedy = f"give {', '.join(sorted(known))} ({error})"
        raise InvalidInput(where, dict(table), remedy) from error


def _text(parameter: str, told: Any) -> str:
    if not isinstance(told, str):
        raise InvalidInput(parameter, told, "give a text")
    return told


def _texts(parameter: str, told: Any) -> tuple[str, ...]:
    if not isinstance(told, list):
        raise InvalidInput(parameter, told, "give a list of texts")
    return tuple(_text(parameter, each) for each in told)


def _names(kind: type) -> set[str]:
    return {each.name for each in fields(kind)}


def _table(parameter: str, told: Any) -> Mapping[str, Any]:
    if not isinstance(told, Mapping):
        raise InvalidInput(parameter, told, "give a table")
    return told


def _check_names(where: str, told: Mapping[str, Any], known: Iterable[str]) -> None:
    for name in told:
        if name not in known:
            raise UnknownName(f"setting of {where}", name, known)

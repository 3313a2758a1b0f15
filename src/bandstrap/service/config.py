"""What a service does: app.toml as frozen dataclasses."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from math import inf
from pathlib import Path
from typing import Any

from bandstrap.bandit.arms import checked_name
from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.control import Control
from bandstrap.bandit.decision import Arm
from bandstrap.bandit.propensity import Propensity
from bandstrap.errors import InvalidInput, OutputError, UnknownName
from bandstrap.evaluation.targets.reading import policy_named
from bandstrap.policies.base import Policy
from bandstrap.policies.default import Default
from bandstrap.policies.own import is_path, made
from bandstrap.problem import Support
from bandstrap.validation import is_finite, is_whole, require_positive, require_share, require_whole

__all__ = ["Experiment", "Gate", "Guardrail", "Key", "Mode", "Role", "ServiceConfig", "read_config"]

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
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
    candidates: Mapping[str, str] = field(default_factory=dict)  # a name and a policy
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
        for text in (self.policy, *self.candidates.values()):  # refuse now what cannot be made
            self.bandit(text)

    def described(self, name: str) -> str:
        """What decides under a name: a candidate's policy, else the experiment's own."""
        return self.candidates.get(name, self.policy) or "the default policy"

    def bandit(self, policy: str | None = None) -> Bandit:
        """A new bandit: of the experiment's own policy, or of a candidate's."""
        own = policy is None or policy == self.policy
        return Bandit(
            _policy(self.policy if own else policy, self.parameters if own else {}),
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
        told = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise OutputError(path, f"cannot be read ({error.strerror})", "give a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OutputError(path, f"is not TOML ({error})", "correct it") from error
    return config_from(told)


def config_from(told: Mapping[str, Any]) -> ServiceConfig:
    """The configuration in tables, as TOML gives them.

    >>> config = config_from({"experiments": {"news": {"arms": ["a", "b"], "window": "30m"}}})
    >>> config.experiments["news"].window
    1800.0
    """
    service = dict(told.get("service", {}))
    _check_names("app.toml", told, ("service", "keys", "experiments"))
    _check_names("service", service, _names(ServiceConfig) - {"experiments", "keys"})
    if "trusted" in service:
        service["trusted"] = tuple(service["trusted"])
    return ServiceConfig(
        experiments={
            name: _experiment(name, table)
            for name, table in _table("experiments", told.get("experiments", {})).items()
        },
        keys=tuple(_key(name, table) for name, table in told.get("keys", {}).items()),
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


def _experiment(name: str, told: Any) -> Experiment:
    table = dict(_table(f"experiments.{name}", told))
    _check_names(f"experiments.{name}", table, _names(Experiment) - {"name"})
    arms = table.pop("arms", ())
    readers: dict[str, Callable[[Any], Any]] = {
        "rewards": _support,
        "window": lambda value: seconds("window", value),
        "mode": _mode,
        "control": lambda value: Control(**_table("control", value)),
        "promote": lambda value: Gate(**_table("promote", value)),
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
    return tuple(Guardrail(metric, **_table(f"guardrails.{metric}", row)) for metric, row in rows)


def _key(name: str, told: Any) -> Key:
    table = _table(f"keys.{name}", told)
    _check_names(f"keys.{name}", table, ("sha256", "roles"))
    digest, roles = table.get("sha256", ""), table.get("roles", [])
    if len(digest) != 64 or set(digest) - set("0123456789abcdef"):
        remedy = "give the SHA-256 of the key in hexadecimal: `bandstrap serve --new-key` makes one"
        raise InvalidInput(f"keys.{name}.sha256", digest, remedy)
    known = [each.value for each in Role]
    for role in roles:
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

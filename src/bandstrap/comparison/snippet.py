"""The lines of Python that use a policy in a product: they run as they are."""

from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from inspect import signature
from typing import Any

from bandstrap.comparison.rewards import RewardScale, TableRewards
from bandstrap.policies import Policy
from bandstrap.problem import Support

UNWRITTEN = "encoder.json"


def snippet(policy: Policy[Any], rewards: TableRewards, encoder: str | None) -> str:
    """Imports, and four lines: encoder, bandit, decision, reward.

    `encoder` is the encoder's file, None if it was not written.
    """
    code = _Code()
    made = code.of(policy)
    binary = rewards.payoffs.support == Support.binary()
    support = "Support.binary()" if binary else "Support.interval(0, 1)"
    written = f"written by found.encoder.save({UNWRITTEN!r})"
    about = written if encoder is None else "turns a row, as a dict, into a context"
    lines = [
        *code.imports(),
        f"encode = Encoder.load({encoder or UNWRITTEN!r})  # {about}",
        f"bandit = Bandit({made}, arms={[*rewards.arms]!r}, rewards={support}, seed=0)"
        + code.doubt(),
        "decision = bandit.decide(encode(encode.example))  # your row here",
        f"bandit.learn(decision, reward=1.0){_scale(rewards.scale)}",
    ]
    return "\n".join(lines) + "\n"


def _scale(scale: RewardScale) -> str:
    if scale == RewardScale():
        return ""
    sign = "-" if scale.low > 0 else "+"
    return f"  # (yours {sign} {abs(scale.low)!r}) / {scale.width!r}"


class _Code:
    """The expressions that construct objects, and the imports that these need."""

    def __init__(self) -> None:
        self.homes = {"Bandit": "bandstrap", "Encoder": "bandstrap", "Support": "bandstrap"}
        self.unknown: list[str] = []  # classes whose arguments cannot be found out

    def of(self, thing: Any) -> str:
        """The expression that constructs it, without default values."""
        if isinstance(thing, list | tuple):
            inside = "".join(f"{self.of(each)}, " for each in thing)
            return f"[{inside}]" if isinstance(thing, list) else f"({inside})"
        if type(thing).__module__ == "builtins":
            return repr(thing)
        name = type(thing).__name__
        self.homes[name] = _home(type(thing))
        arguments = [f"{key}={self.of(value)}" for key, value in self._arguments(thing)]
        return f"{name}({', '.join(arguments)})"

    def _arguments(self, thing: Any) -> Iterator[tuple[str, Any]]:
        """Of a dataclass or a scikit-learn estimator."""
        if is_dataclass(thing):
            for field in fields(thing):
                value = getattr(thing, field.name)
                if field.init and not _is_default(field, value):
                    yield field.name, value
        elif hasattr(thing, "get_params"):
            defaults = signature(type(thing)).parameters
            for name, value in thing.get_params(deep=False).items():
                if repr(defaults[name].default) != repr(value):
                    yield name, value
        elif getattr(thing, "__dict__", None):
            self.unknown.append(type(thing).__name__)

    def imports(self) -> list[str]:
        names: dict[str, list[str]] = {}
        for name, home in self.homes.items():
            names.setdefault(home, []).append(name)
        return [
            f"from {home} import {', '.join(sorted(some))}" for home, some in sorted(names.items())
        ]

    def doubt(self) -> str:
        """A comment where the user has to finish the line."""
        return f"  # {', '.join(self.unknown)}: give your arguments" if self.unknown else ""


def _is_default(field: Any, value: Any) -> bool:
    default = field.default
    if default is MISSING and field.default_factory is not MISSING:
        default = field.default_factory()
    return default is not MISSING and repr(default) == repr(value)


def _home(kind: type) -> str:
    """Where a user imports it from."""
    import bandstrap

    ours = getattr(bandstrap, kind.__name__, None) is kind
    return "bandstrap" if ours else kind.__module__

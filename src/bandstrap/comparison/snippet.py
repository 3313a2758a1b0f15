"""The lines of Python that go on with a policy: they run as they are."""

from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from inspect import signature
from typing import Any

from bandstrap.comparison.payment import Payment, Units
from bandstrap.policies import Policy
from bandstrap.problem import Support

UNWRITTEN = "encoder.json"


def snippet(policy: Policy[Any], payment: Payment, encoder: str | None) -> str:
    """An import, and three lines: the bandit, a decision, its reward.

    `encoder` is where the encoder was written, None if it was not.
    """
    code = _Code()
    made = code.of(policy)
    binary = payment.payoffs.support == Support.binary()
    support = "Support.binary()" if binary else "Support.interval(0, 1)"
    lines = [
        *code.imports(),
        f"encode = Encoder.load({encoder or UNWRITTEN!r})  # {_about(encoder)}",
        f"bandit = Bandit({made}, arms={[*payment.arms]!r}, rewards={support}, seed=0)"
        + code.doubt(),
        "decision = bandit.decide(encode(encode.example))  # give a row of your own",
        f"bandit.learn(decision, reward=1.0){_scale(payment.units)}",
    ]
    return "\n".join(lines) + "\n"


def _about(encoder: str | None) -> str:
    if encoder is None:
        return f"written by found.encoder.save({UNWRITTEN!r})"
    return "turns a row, as a dict, into a context"


def _scale(units: Units) -> str:
    sign = "-" if units.low > 0 else "+"
    return f"  # (yours {sign} {abs(units.low)!r}) / {units.width!r}" if units.scaled else ""


class _Code:
    """How objects are made, and what has to be imported for it."""

    def __init__(self) -> None:
        self.homes = {"Bandit": "bandstrap", "Encoder": "bandstrap", "Support": "bandstrap"}
        self.unknown: list[str] = []  # classes of which it is not known how one was made

    def of(self, thing: Any) -> str:
        """The expression that makes it, without what is so by default."""
        if isinstance(thing, list | tuple):
            inside = "".join(f"{self.of(each)}, " for each in thing)
            return f"[{inside}]" if isinstance(thing, list) else f"({inside})"
        if type(thing).__module__ == "builtins":
            return repr(thing)
        name = type(thing).__name__
        self.homes[name] = _home(type(thing))
        given = [f"{key}={self.of(value)}" for key, value in self._given(thing)]
        return f"{name}({', '.join(given)})"

    def _given(self, thing: Any) -> Iterator[tuple[str, Any]]:
        """What is told to make it: of a dataclass, and of an estimator of scikit-learn's."""
        if is_dataclass(thing):
            for field in fields(thing):
                value = getattr(thing, field.name)
                if field.init and not _usual(field, value):
                    yield field.name, value
        elif hasattr(thing, "get_params"):
            usual = signature(type(thing)).parameters
            for name, value in thing.get_params(deep=False).items():
                if repr(usual[name].default) != repr(value):
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
        """A word where the reader has to finish a line."""
        return f"  # {', '.join(self.unknown)}: made as yours was" if self.unknown else ""


def _usual(field: Any, value: Any) -> bool:
    default = field.default
    if default is MISSING and field.default_factory is not MISSING:
        default = field.default_factory()
    return default is not MISSING and repr(default) == repr(value)


def _home(kind: type) -> str:
    """Where a user imports it from."""
    import bandstrap

    ours = getattr(bandstrap, kind.__name__, None) is kind
    return "bandstrap" if ours else kind.__module__

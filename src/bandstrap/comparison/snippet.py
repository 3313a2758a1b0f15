"""The lines of Python that go on with a policy: they run as they are."""

from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from bandstrap.comparison.payment import Payment
from bandstrap.policies import Policy
from bandstrap.problem import Support


def snippet(policy: Policy[Any], payment: Payment, encoder: str) -> str:
    """An import, and three lines: the bandit, a decision, its reward."""
    names: dict[str, str] = {"Bandit": "bandstrap", "Encoder": "bandstrap", "Support": "bandstrap"}
    made = _source(policy, names)
    binary = payment.payoffs.support == Support.binary()
    support = "Support.binary()" if binary else "Support.interval(0, 1)"
    reward = "reward=1.0"
    if payment.scaled:
        sign = "-" if payment.low > 0 else "+"
        reward += f")  # (yours {sign} {abs(payment.low):g}) / {payment.width:g}"
    else:
        reward += ")"
    lines = [
        *_imports(names),
        f"encode = Encoder.load({encoder!r})  # turns a row, as a dict, into a context",
        f"bandit = Bandit({made}, arms={[*payment.arms]!r}, rewards={support}, seed=0)",
        "decision = bandit.decide(encode(encode.example))  # give a row of your own",
        f"bandit.learn(decision, {reward}",
    ]
    return "\n".join(lines) + "\n"


def _imports(names: dict[str, str]) -> list[str]:
    homes: dict[str, list[str]] = {}
    for name, home in names.items():
        homes.setdefault(home, []).append(name)
    return [f"from {home} import {', '.join(sorted(some))}" for home, some in sorted(homes.items())]


def _source(thing: Any, names: dict[str, str]) -> str:
    """How an object of ours is made, without what is so by default; its class goes to `names`."""
    if not is_dataclass(thing):
        if type(thing).__module__ == "builtins":
            return repr(thing)
        names[type(thing).__name__] = _home(type(thing))
        return f"{type(thing).__name__}()"
    names[type(thing).__name__] = _home(type(thing))
    given = []
    for field in fields(thing):
        value = getattr(thing, field.name)
        if field.init and not _usual(field, value):
            given.append(f"{field.name}={_source(value, names)}")
    return f"{type(thing).__name__}({', '.join(given)})"


def _usual(field: Any, value: Any) -> bool:
    default = field.default
    if default is MISSING and field.default_factory is not MISSING:
        default = field.default_factory()
    return default is not MISSING and repr(default) == repr(value)


def _home(kind: type) -> str:
    """Where a user imports it from."""
    import bandstrap

    return "bandstrap" if hasattr(bandstrap, kind.__name__) else kind.__module__

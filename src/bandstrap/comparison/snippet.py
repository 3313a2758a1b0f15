"""The lines of Python that use a policy in a product: they run as they are."""

import json
from collections.abc import Iterator
from dataclasses import MISSING, asdict, fields, is_dataclass
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import Any

from bandstrap.comparison.product import live_policy, live_support
from bandstrap.comparison.table import PreparedTable
from bandstrap.comparison.warm_start import Lesson
from bandstrap.policies import Policy
from bandstrap.problem import Support

WIDTH = 88  # characters of a line, where it can be broken
ENCODER, WARM_START = "encoder.json", "warm_start.parquet"


def snippet(policy: Policy[Any], table: PreparedTable, lesson: Lesson, out: Path | None) -> str:
    """The whole loop: load or build, decide, and learn the reward when it comes.

    The bandit has a `lesson` of the table first. `out` is the folder of the encoder and of its
    rows; None if nothing was written, and they are in `found`.
    """
    code = _Code()
    made = code.of(live_policy(policy, table.rewards))
    arms, support = _items(table.rewards.arms), _support(live_support(table.rewards))
    encoder, teacher = _sources(out)
    home, state = (out or Path()).resolve(), f"live-{_digest(made, table)}.bandit"
    if out is not None:
        code.homes |= {"Encoder": "bandstrap", "WarmStart": "bandstrap"}
    trust = f", trusted=[{', '.join(code.own)}]" if code.own else ""
    reward = float(table.rewards.in_units(slice(1)).max())
    lines = [
        *code.imports(),
        "",
        f"folder = Path({str(home)!r})",
        f"state = folder / {state!r}  # what it has learnt: kept when your program restarts",
        f"encode = {encoder}  # turns a row of yours, a dict, into a context",
        "if state.exists():",
        f"    bandit = Bandit.load(state{trust})",
        "else:",
        "    bandit = Bandit(",
        f"        {made},{code.doubt()}",
        f"        arms={arms},",
        f"        rewards={support},",
        "    )",
        f"    {teacher}.{lesson.code}",
        "",
        "row = encode.example  # your row here",
        "decision = bandit.decide(encode(row))  # do decision.arm, keep decision.id",
        "bandit.save(state)",
        "",
        f"bandit.learn(decision.id, reward={reward!r})  # later, {_units(table)}",
        "bandit.save(state)",
    ]
    return "\n".join(lines) + "\n"


def _sources(out: Path | None) -> tuple[str, str]:
    if out is None:
        return "found.encoder", "found.warm_start"
    return f"Encoder.load(folder / {ENCODER!r})", f"WarmStart.load(folder / {WARM_START!r})"


def _items(names: tuple[str, ...]) -> str:
    """A list, over several lines if it is long."""
    flat = repr([*names])
    if len(flat) + 14 <= WIDTH:
        return flat
    return "\n".join(["[", *(f"            {name!r}," for name in names), "        ]"])


def _support(support: Support) -> str:
    if support == Support.binary():
        return "Support.binary()"
    if support.values is not None:
        return f"Support.categories({list(support.values)!r})"
    return f"Support.interval({support.low!r}, {support.high!r})"


def _units(table: PreparedTable) -> str:
    support = live_support(table.rewards)
    if support == Support.binary():
        return "when it is known: 1 if that was right, else 0"
    return f"in your units: from {support.low:g} to {support.high:g}, else it is refused"


def _digest(made: str, table: PreparedTable) -> str:
    """Another policy, encoder or reward has another file: none reads what is not its own."""
    encoder = [
        [f"{value:.9g}" if isinstance(value, float) else value for value in vars(feature).values()]
        for feature in table.encoder.features
    ]  # the last digits differ from one processor to another
    facts = [made, table.rewards.arms, asdict(table.rewards.scale), encoder]
    return sha256(json.dumps(facts).encode()).hexdigest()[:8]


class _Code:
    """The expressions that construct objects, and the imports that these need."""

    def __init__(self) -> None:
        self.homes = {"Bandit": "bandstrap", "Support": "bandstrap", "Path": "pathlib"}
        self.unknown: list[str] = []  # classes whose arguments cannot be found out
        self.own: list[str] = []  # classes that a saved file may name only if they are trusted

    def of(self, thing: Any) -> str:
        """The expression that constructs it, without default values."""
        if isinstance(thing, list | tuple):
            inside = "".join(f"{self.of(each)}, " for each in thing)
            return f"[{inside}]" if isinstance(thing, list) else f"({inside})"
        if type(thing).__module__ == "builtins":
            return repr(thing)
        name = type(thing).__name__
        self.homes[name] = _home(type(thing))
        if self.homes[name].partition(".")[0] not in ("bandstrap", "sklearn"):
            self.own.append(name)
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
        """Those of the standard library first, each on one line if it fits."""
        names: dict[str, list[str]] = {}
        for name, home in self.homes.items():
            names.setdefault(home, []).append(name)
        ordered = sorted(names.items(), key=lambda item: (item[0] != "pathlib", item[0]))
        return [_import(home, sorted(some)) for home, some in ordered]

    def doubt(self) -> str:
        """A comment where the user has to finish the line."""
        return f"  # {', '.join(self.unknown)}: give your arguments" if self.unknown else ""


def _import(home: str, names: list[str]) -> str:
    flat = f"from {home} import {', '.join(names)}"
    if len(flat) <= WIDTH:
        return flat
    return "\n".join([f"from {home} import (", *(f"    {name}," for name in names), ")"])


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

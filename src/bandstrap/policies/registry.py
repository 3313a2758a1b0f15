"""Every named policy, one entry each. Nothing else knows names, and nothing parses them."""

import warnings
from collections.abc import Callable
from typing import Any

from bandstrap.errors import Renamed
from bandstrap.policies.base import Policy
from bandstrap.policies.contextual.entries import ENTRIES as WITH_CONTEXTS
from bandstrap.policies.contextual.entries import SCHEDULE, Maker
from bandstrap.policies.entry import Entry
from bandstrap.policies.rewards.entries import ENTRIES as WITHOUT_CONTEXTS

REGISTRY: dict[str, Entry] = {each.name: each for each in (*WITHOUT_CONTEXTS, *WITH_CONTEXTS)}
FORMER: dict[str, str] = {old: each.name for each in REGISTRY.values() for old in each.formerly}

POLICIES: dict[str, Callable[[], Policy[Any]]] = {
    each.name: each.make for each in REGISTRY.values() if not each.contextual
}
CONTEXTUAL: dict[str, Maker] = {
    each.name: each.make for each in REGISTRY.values() if each.contextual
}


def named(**facts: str) -> tuple[str, ...]:
    """The names of all entries with these facts, as in `named(model="linear", variant="")`."""
    return tuple(
        each.name
        for each in REGISTRY.values()
        if all(getattr(each, fact) == value for fact, value in facts.items())
    )


def compared(when: str) -> tuple[str, ...]:
    """The names of the policies that `compare` tries unasked, on this occasion."""
    return tuple(each.name for each in REGISTRY.values() if when in each.compared)


SCHEDULES = named(variant=SCHEDULE)


def current(name: str) -> str:
    """The current name; a former one is accepted with a notice."""
    if name not in FORMER:
        return name
    warnings.warn(f"policy {name!r} is now called {FORMER[name]!r}", Renamed, stacklevel=2)
    return FORMER[name]


def stream(name: str) -> str:
    """What seeds the runs of a policy by this name, ours or not."""
    return REGISTRY[name].stream if name in REGISTRY else name

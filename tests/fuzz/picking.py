"""Which places are changed: rather those that something is indexed by."""

from collections.abc import Callable
from random import Random
from typing import Any

from fuzz.world import World
from hostile import Raw, Slot, slots

Change = Callable[[Raw, Random, World], str | None]  # says what it changed; None if it could not

# Attributes that memory is indexed by, or that say how large something is or how often it is done.
KEEN = {
    "all", "arms", "batch", "columns", "count", "counts", "depth", "draws", "due", "every",
    "examples", "factored_rows", "factors", "first", "fits", "fitted_rows", "groups", "heads",
    "hidden", "inner", "keeping", "keeps", "known", "known_fits", "known_rows", "layers", "leaf",
    "leaves", "n_arms", "n_features", "names", "new", "next", "nodes", "ones", "owed", "passes",
    "patience", "penalty", "places", "problem", "pulls", "queue", "queue_arms", "queued",
    "replay", "replicas", "replicates", "room", "rounds", "rows", "runs", "scheme", "since",
    "sizes", "steps", "touched", "unstarted", "untaught", "used", "values", "version",
    "waiting", "width", "words", "zeros",
}  # fmt: skip


def picked(found: list[Slot], rng: Random) -> Slot | None:
    """One of them, rather one that matters."""
    if not found:
        return None
    return rng.choices(found, [6 if slot.name in KEEN else 1 for slot in found])[0]


def of_kind(raw: Raw, *kinds: str) -> list[Slot]:
    """Places with nodes of these kinds, or plain values of these types."""
    return [slot for slot in slots(raw) if slot.kind in kinds]


def short(value: Any) -> str:
    """A value for a description."""
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}..."

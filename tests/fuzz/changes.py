"""Changes of an honest file, chosen by a seed: some at once, or one by one as they are taken."""

from collections.abc import Callable, Iterator
from random import Random

from fuzz.in_archive import IN_ARCHIVE
from fuzz.in_arrays import IN_ARRAYS
from fuzz.in_objects import IN_OBJECTS
from fuzz.in_places import IN_PLACES
from fuzz.in_references import IN_REFERENCES
from fuzz.in_values import IN_VALUES
from fuzz.picking import Change
from fuzz.world import World
from hostile import Raw

INSIDE = {**IN_VALUES, **IN_OBJECTS, **IN_REFERENCES, **IN_ARRAYS, **IN_PLACES}
CHANGES = {**INSIDE, **IN_ARCHIVE}
HOW_MANY = (1, 1, 1, 1, 1, 1, 2, 2, 3, 5)
TAKEN, OFFERED = 4, 12  # changes one by one: so many at most, out of so many

Takes = Callable[[Raw, list[str]], bool]  # whether a file with these changes is loaded


def changed(raw: Raw, seed: str, world: World) -> tuple[Raw, list[str]]:
    """A changed copy, and what was changed; the same for the same seed."""
    rng, made = Random(seed), raw.copy()
    wanted = rng.choice(HOW_MANY)
    some = _made(made, rng, world, CHANGES)
    return made, [next(some) for _ in range(wanted)]


def crept(raw: Raw, seed: str, world: World, takes: Takes) -> tuple[Raw, list[str]]:
    """A copy with changes of which each was taken: what a loader lets through adds up."""
    rng, told = Random(seed), list[str]()
    for _ in range(OFFERED):
        candidate = raw.copy()
        what = next(_made(candidate, rng, world, INSIDE))
        if takes(candidate, [*told, what]):
            raw, told = candidate, [*told, what]
        if len(told) == TAKEN:
            break
    return raw, told


def _made(raw: Raw, rng: Random, world: World, changes: dict[Change, float]) -> Iterator[str]:
    """Change after change."""
    while True:
        change = rng.choices(list(changes), list(changes.values()))[0]
        what = change(raw, rng, world)
        if what is not None:
            yield f"{change.__name__}: {what}"

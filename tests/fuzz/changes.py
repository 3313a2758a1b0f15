"""One to five changes of an honest file, chosen by a seed."""

from random import Random

from fuzz.in_archive import IN_ARCHIVE
from fuzz.in_arrays import IN_ARRAYS
from fuzz.in_objects import IN_OBJECTS
from fuzz.in_places import IN_PLACES
from fuzz.in_references import IN_REFERENCES
from fuzz.in_values import IN_VALUES
from fuzz.world import World
from hostile import Raw

CHANGES = {**IN_VALUES, **IN_OBJECTS, **IN_REFERENCES, **IN_ARRAYS, **IN_PLACES, **IN_ARCHIVE}
HOW_MANY = (1, 1, 1, 1, 1, 1, 2, 2, 3, 5)


def changed(raw: Raw, seed: str, world: World) -> tuple[Raw, list[str]]:
    """A changed copy, and what was changed; the same for the same seed."""
    rng, made, told = Random(seed), raw.copy(), []
    wanted = rng.choice(HOW_MANY)
    while len(told) < wanted:
        change = rng.choices(list(CHANGES), list(CHANGES.values()))[0]
        what = change(made, rng, world)
        if what is not None:
            told.append(f"{change.__name__}: {what}")
    return made, told

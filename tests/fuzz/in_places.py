"""Changes of where arrays say that they lie, and of the memory there."""

from random import Random
from typing import Any

import numpy as np

from fuzz.in_arrays import TYPES, arrays, with_places
from fuzz.picking import Change, of_kind, picked
from fuzz.values import SHAPES
from fuzz.world import World
from hostile import Raw, array_at

EXTENTS = (0, 1, 2, 3, 4, 7, 8, 31, 63, 64, 65, -1, 2**20, 2**31, 2**40, 2**61, 2**62, 2**63, 2**64)
OFFSETS = (0, 8, -8, 1, 4, 16, 64, 4096, 2**31, 2**40, 2**62, 2**63, -(2**63), 2**64 - 8, -(2**40))


def other_place(raw: Raw, rng: Random, world: World) -> str | None:
    slot = picked(with_places(raw), rng)
    if slot is None:
        return None
    place = raw.places[slot.value[1]]
    key = rng.choice([*place, "shape", "strides", "start"])
    was = place.get(key)
    place[key] = _other(key, was, place, rng)
    if key == "shape" and rng.random() < 0.3:  # nothing at all, however large
        place["shape"] = [0, *place["shape"]] if isinstance(place["shape"], list) else [0, 2**62]
        place["strides"] = [0] * len(place["shape"])
    return f"{slot.path}: {key} {was} became {place[key]!r:.80}"


def read_only(raw: Raw, rng: Random, world: World) -> str | None:
    slot = picked(with_places(raw), rng)
    if slot is None:
        return None
    place = raw.places[slot.value[1]]
    place["writeable"] = not place.get("writeable")
    return f"{slot.path}: writeable became {place['writeable']}"


def other_strides(raw: Raw, rng: Random, world: World) -> str | None:
    """An array within its memory whose elements overlap or come in another order."""
    slot = picked([each for each in arrays(raw) if array_at(raw, each).ndim], rng)
    if slot is None:
        return None
    place = raw.places[slot.value[1]]
    was = place["strides"] = [*place["strides"]]
    at = rng.randrange(len(was))
    place["strides"] = [*was[:at], rng.choice((0, was[at] // 2, 1, -was[at])), *was[at + 1 :]]
    if place["strides"][at] < 0:
        place["start"] += was[at] * max(0, place["shape"][at] - 1)
    return f"{slot.path}: strides {was} became {place['strides']}"


def aliased(raw: Raw, rng: Random, world: World) -> str | None:
    """Two arrays in one memory."""
    found = arrays(raw)
    one, two = picked(found, rng), picked(found, rng)
    if one is None or two is None:
        return None
    how = rng.choice(("node", "place", "memory"))
    first, second = one.value[1], two.value[1]
    if how == "node":
        one.value[1] = second
    elif how == "place":
        raw.places[first] = {**raw.places[second]}
    else:
        raw.places[first] = {**raw.places[first], "name": raw.places[second]["name"], "start": 0}
    return f"{one.path} has the {how} of {two.path}"


def other_number(raw: Raw, rng: Random, world: World) -> str | None:
    slot = picked(of_kind(raw, "array", "scalar"), rng)
    if slot is None or len(slot.value) < 2:
        return None
    slot.value[1] = rng.choice(
        (-1, 0, len(raw.places), 2**64, rng.randrange(len(raw.places) + 1), "0")
    )
    return f"{slot.path}: array number {slot.value[1]!r}"


def other_memory(raw: Raw, rng: Random, world: World) -> str | None:
    """Memory cut, grown, gone, or of another type."""
    name = rng.choice(sorted(raw.arrays))
    array = raw.arrays[name]
    how = rng.choice(
        ("cut", "one less", "grown", "gone", "empty", "other type", "two axes", "large")
    )
    if how == "gone":
        del raw.arrays[name]
    else:
        raw.arrays[name] = _reshaped(array, how, rng)
    return f"{name} {how}"


def other_list_of_places(raw: Raw, rng: Random, world: World) -> str | None:
    if not raw.places:
        return None
    how = rng.choice(("gone", "twice", "shuffled", "odd"))
    at = rng.randrange(len(raw.places))
    if how == "gone":
        del raw.places[at]
    elif how == "twice":
        raw.places.insert(at, {**raw.places[at]})
    elif how == "shuffled":
        rng.shuffle(raw.places)
    else:
        raw.places[at] = rng.choice(SHAPES)
    return f"place {at} {how}"


def _reshaped(array: np.ndarray, how: str, rng: Random) -> np.ndarray:
    if how == "large":
        return np.zeros(2**23, array.dtype)
    if how == "grown":
        return np.resize(array, array.size * 2 + 1) if array.size else np.zeros(9, array.dtype)
    if how == "other type":
        return np.zeros(array.size, rng.choice(TYPES))
    if how == "two axes":
        return array.reshape(1, -1)
    return array[: {"cut": array.size // 2, "one less": max(0, array.size - 1)}.get(how, 0)].copy()


def _other(key: str, was: Any, place: dict[str, Any], rng: Random) -> Any:
    if rng.random() < 0.1:
        return rng.choice(SHAPES)
    if key == "start":
        return rng.choice(OFFSETS)
    if key in ("shape", "strides") and isinstance(was, (list, tuple)):
        now = [*was]
        choices = EXTENTS if key == "shape" else OFFSETS
        if now and rng.random() < 0.8:
            now[rng.randrange(len(now))] = rng.choice(choices)
        else:
            now.append(rng.choice(choices))
        return now
    if key == "name":
        return rng.choice(("memory0", "memory1", "type0", "header", "text", "none", "", 0))
    return rng.choice((not was, 0, "yes", 2**63))


# How often each is made.
IN_PLACES: dict[Change, float] = {
    other_place: 4, read_only: 0.7, other_strides: 1.5, aliased: 2, other_number: 1,
    other_memory: 1.5, other_list_of_places: 0.7,
}  # fmt: skip

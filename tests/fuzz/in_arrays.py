"""Changes of arrays: their numbers, types and shapes."""

import math
from random import Random
from typing import Any

import numpy as np

from fuzz.picking import Change, of_kind, picked
from fuzz.values import INTEGERS, REALS, near
from fuzz.world import World
from hostile import Raw, Slot, array_at, put_array

TYPES = (
    "f8",
    "f4",
    "i8",
    "i4",
    "u8",
    "u1",
    "bool",
    ">f8",
    ">i8",
    "c16",
    "f2",
    "S8",
    "U2",
    "V8",
    "M8[s]",
)
FIELDS = ("link", "link", "link", "count", "count", "low", "high", "sum")


def other_elements(raw: Raw, rng: Random, world: World) -> str | None:
    slot = picked([each for each in arrays(raw) if array_at(raw, each).size], rng)
    if slot is None:
        return None
    array = array_at(raw, slot)
    name = ""
    if array.dtype.names:
        name = rng.choice(
            [each for each in FIELDS if each in array.dtype.names] or array.dtype.names
        )
        array = array[name]
    places = _some_places(array, rng)
    now = _element(array, places[0], rng)
    for place in places:
        array[place] = now
    return f"{slot.path}.{name}{[tuple(map(int, place)) for place in places[:3]]} became {now!r}"


def all_elements(raw: Raw, rng: Random, world: World) -> str | None:
    """The whole array scaled, reversed, shuffled, or made alike."""
    slot = picked([each for each in arrays(raw) if array_at(raw, each).size], rng)
    if slot is None:
        return None
    array = array_at(raw, slot)
    if array.dtype.names:
        array = array[rng.choice(array.dtype.names)]
    how = rng.choice(("alike", "shuffled", "reversed", "scaled", "negative", "more"))
    flat = array.flatten()
    if how == "alike":
        flat[:] = _element(array, (0,) * array.ndim, rng)
    elif how == "shuffled":
        np.random.default_rng(rng.randrange(2**32)).shuffle(flat)
    elif how == "reversed":
        flat = flat[::-1]
    elif flat.dtype.kind in "fi":
        by: Any = {"scaled": rng.choice((2, 1e3, 1e150)), "negative": -1, "more": 1}[how]
        with np.errstate(all="ignore"):
            flat = (flat + by if how == "more" else flat * by).astype(flat.dtype)
    array[...] = flat.reshape(array.shape)
    return f"{slot.path}: all elements {how}"


def other_size(raw: Raw, rng: Random, world: World) -> str | None:
    """An array that is longer, shorter or of other dimensions, with a place that fits it."""
    slot = picked(arrays(raw), rng)
    if slot is None:
        return None
    array = array_at(raw, slot)
    shape = [*array.shape]
    how = rng.choice(("axis", "axis", "axis", "fewer", "more", "flat", "turned"))
    if how == "axis" and shape:
        at = rng.randrange(len(shape))
        shape[at] = max(0, rng.choice((shape[at] - 1, shape[at] + 1, 0, 1, shape[at] * 2)))
    elif how == "fewer":
        shape = shape[1:]
    elif how == "more":
        shape = [1, *shape] if rng.random() < 0.5 else [*shape, 1]
    elif how == "flat":
        shape = [array.size]
    else:
        shape = shape[::-1]
    put_array(
        raw, slot.value[1], np.resize(array, shape) if array.size else np.zeros(shape, array.dtype)
    )
    return f"{slot.path}: {array.shape} became {tuple(shape)}"


def other_axis(raw: Raw, rng: Random, world: World) -> str | None:
    """Every axis of one length made longer or shorter, as if there were other arms."""
    slot = picked([each for each in arrays(raw) if any(array_at(raw, each).shape)], rng)
    if slot is None:
        return None
    was = rng.choice([extent for extent in array_at(raw, slot).shape if extent])
    now = max(0, was + rng.choice((-1, 1)))
    for each in arrays(raw):
        array = array_at(raw, each)
        if was in array.shape:
            shape = [now if extent == was else extent for extent in array.shape]
            put_array(raw, each.value[1], np.resize(array, shape))
    return f"axes of {was} became {now}"


def other_type(raw: Raw, rng: Random, world: World) -> str | None:
    """Converted, or the same bytes taken for something else."""
    slot = picked(arrays(raw), rng)
    if slot is None:
        return None
    array, number, now = array_at(raw, slot), slot.value[1], np.dtype(rng.choice(TYPES))
    if rng.random() < 0.5 and array.dtype.kind in "fiub" and now.kind in "fiubc":
        with np.errstate(all="ignore"):
            put_array(raw, number, array.astype(now))
    else:
        raw.arrays[f"type{number}"] = np.empty(0, now)
    return f"{slot.path}: {array.dtype} became {now}"


def other_byte_order(raw: Raw, rng: Random, world: World) -> str | None:
    slot = picked(arrays(raw), rng)
    if slot is None:
        return None
    array = array_at(raw, slot)
    put_array(raw, slot.value[1], array.astype(array.dtype.newbyteorder(">")))
    return f"{slot.path}: big-endian"


def arrays(raw: Raw) -> list[Slot]:
    """Arrays that still lie where they say."""
    return [slot for slot in with_places(raw) if _fits(raw, slot)]


def with_places(raw: Raw) -> list[Slot]:
    return [each for each in of_kind(raw, "array", "scalar") if _has_place(raw, each)]


def _has_place(raw: Raw, slot: Slot) -> bool:
    number = slot.value[1] if len(slot.value) > 1 else None
    known = type(number) is int and 0 <= number < len(raw.places)
    return known and isinstance(raw.places[number], dict)


def _fits(raw: Raw, slot: Slot) -> bool:
    """Whether an array can be read where it says that it lies."""
    try:
        array = array_at(raw, slot)
        memory = raw.arrays[raw.places[slot.value[1]]["name"]]
    except (AttributeError, TypeError, ValueError, KeyError, OverflowError, BufferError):
        return False
    steps = zip(array.shape, array.strides, strict=True)
    reach = sum((n - 1) * abs(stride) for n, stride in steps) if array.size else 0
    known = array.dtype.kind in "fiub" or array.dtype.names is not None
    return known and reach <= memory.nbytes and max((0, *array.shape)) < 2**24


def _some_places(array: np.ndarray, rng: Random) -> list[tuple[int, ...]]:
    """Where to change something, rather where something is."""
    used = np.argwhere(array != 0) if rng.random() < 0.6 else np.zeros((0, array.ndim), int)
    every = used if len(used) else np.argwhere(np.ones(array.shape, bool))
    count = rng.choice((1, 1, 1, 2, 5))
    return [tuple(every[rng.randrange(len(every))]) for _ in range(count)]


def _element(array: np.ndarray, place: tuple[int, ...], rng: Random) -> Any:
    """A value for an element: hostile, near the one that is there, or another element's."""
    draw = rng.random()
    was = array[place].item()
    if draw < 0.25:
        return _cast(array[tuple(rng.randrange(n) for n in array.shape)].item(), array.dtype)
    if draw < 0.55 and type(was) in (bool, int, float):
        return _cast(near(was, rng), array.dtype)
    return _cast(rng.choice(REALS if array.dtype.kind == "f" else INTEGERS), array.dtype)


def _cast(value: Any, dtype: np.dtype[Any]) -> Any:
    """The nearest value that the type can have."""
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        finite = value if math.isfinite(value) else 0
        return dtype.type(min(max(int(finite), int(bounds.min)), int(bounds.max)))
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype)[()]


# How often each is made.
IN_ARRAYS: dict[Change, float] = {
    other_elements: 12, all_elements: 3, other_size: 4, other_axis: 1.5, other_type: 2,
    other_byte_order: 0.7,
}  # fmt: skip

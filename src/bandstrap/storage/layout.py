"""Arrays as flat memory and places in it, so that sharing and order survive storage."""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.exceptions import TooHardError

from bandstrap.arrays import Array
from bandstrap.storage.schema import Refused, require

PLACE = {"name", "start", "shape", "strides", "writeable"}
FAR = 2**48  # longer than any array
MOST_AXES = 32
MOST_EMPTY = 2**24  # the longest axis of an empty array
MOST_TIMES = 64  # that a broadcast array may repeat its memory
MOST_OVERLAPS = 100  # arrays that share a byte
EFFORT = 10_000  # to decide whether two arrays overlap
WASTE = 4  # a view is stored with its base array unless that is this many times larger


def layouts(arrays: list[Array], first: int = 0) -> tuple[dict[str, Array], list[dict[str, Any]]]:
    """The memory to store, by name, and the place of each array in it.

    Arrays that share memory are stored once, as that memory. They are numbered from `first`.
    """
    shared = Counter(id(_root(array)) for array in arrays)
    stored: dict[str, Array] = {}
    names: dict[int, str] = {}
    places: list[dict[str, Any]] = []
    for number, given in enumerate(arrays, first):
        array, root = given, _root(given)
        cut = not _dense(array) and root.nbytes <= WASTE * array.nbytes
        whole = root if (shared[id(root)] > 1 or cut) and _dense(root) else array
        if not _dense(whole):
            whole = array = _packed(array)
        name = names.setdefault(id(whole), f"memory{number}")
        stored[name] = _by_stride(whole).reshape(-1)
        stored[f"type{number}"] = np.empty(0, array.dtype)
        places.append(
            {
                "name": name,
                "start": _address(array) - _address(whole),
                "shape": array.shape,
                "strides": array.strides,
                "writeable": array.flags.writeable,
            }
        )
    return stored, places


def laid_out(stored: Mapping[str, Array], places: Any) -> list[Array]:
    """The arrays; refuses places outside the memory that they name."""
    require(type(places) is list, "places are not a list")
    return [_array(stored, number, place) for number, place in enumerate(places)]


def _array(stored: Mapping[str, Array], number: int, place: Any) -> Array:
    require(type(place) is dict and place.keys() == PLACE, "a place is malformed")
    require(type(place["name"]) is str, "a place is malformed")
    memory, like = stored.get(place["name"]), stored.get(f"type{number}")
    if memory is None or like is None:
        raise Refused(f"array {number} is missing")
    require(memory.ndim == 1 and memory.flags.c_contiguous, "memory is not in one piece")
    shape, strides = _whole(place["shape"]), _whole(place["strides"])
    require(len(shape) == len(strides) <= MOST_AXES, "axes and strides differ in number")
    require(type(place["start"]) is int, "an array has no start")
    _check_extent(shape, strides, place["start"], like.dtype.itemsize, memory.nbytes)
    array: Array = np.ndarray(shape, like.dtype, memory, place["start"], strides)
    require(type(place["writeable"]) is bool, "a place is malformed")
    array.flags.writeable = place["writeable"]
    return array


def _whole(numbers: Any) -> tuple[int, ...]:
    require(type(numbers) is list, "a shape is not a list")
    require(all(type(each) is int and abs(each) < FAR for each in numbers), "a shape is malformed")
    return tuple(numbers)


def _check_extent(
    shape: tuple[int, ...], strides: tuple[int, ...], start: int, itemsize: int, nbytes: int
) -> None:
    """Refuse arrays that reach outside their memory; Python's integers do not overflow."""
    require(all(length >= 0 for length in shape), "a shape is malformed")
    reaches = [stride * (length - 1) for stride, length in zip(strides, shape, strict=True)]
    first, last = start, start + itemsize
    if 0 in shape:  # nothing is read, but loops over other axes must end
        require(max(shape) <= MOST_EMPTY, "an empty array is too long")
        last = start
    else:
        first += sum(reach for reach in reaches if reach < 0)
        last += sum(reach for reach in reaches if reach > 0)
        require(prod(shape) * itemsize <= MOST_TIMES * nbytes, "an array repeats its memory")
    require(first >= 0 and last <= nbytes, "an array reaches outside its memory")


def check_apart(arrays: Iterable[Array], owned: Iterable[Array]) -> None:
    """Refuse arrays that share memory with an owned one: both would write to it."""
    own = {id(array) for array in owned}
    active: list[tuple[int, bool, Array]] = []
    for array in sorted((each for each in arrays if each.size), key=_bounds):
        (begin, end), mine = _bounds(array), id(array) in own
        active = [span for span in active if span[0] > begin]
        require(len(active) <= MOST_OVERLAPS, "too many arrays share memory")
        apart = all(not (mine or theirs) or not _overlap(array, it) for _, theirs, it in active)
        require(apart, "two arrays share memory")
        active.append((end, mine, array))


def _bounds(array: Array) -> tuple[int, int]:
    """The first byte and the one after the last."""
    reaches = [stride * (n - 1) for stride, n in zip(array.strides, array.shape, strict=True)]
    first = _address(array) + sum(reach for reach in reaches if reach < 0)
    return first, first + sum(map(abs, reaches)) + array.itemsize


def _overlap(one: Array, other: Array) -> bool:
    """Whether arrays have a byte in common; True if that is hard to decide."""
    try:
        overlap: Any = np.shares_memory  # whose stub allows two efforts only
        return bool(overlap(one, other, max_work=EFFORT))
    except TooHardError:
        return True


def _root(array: Array) -> Array:
    """The array that owns its memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _dense(array: Array) -> bool:
    """Whether it fills its memory, in any order of its axes."""
    return bool(_by_stride(array).flags.c_contiguous)


def _by_stride(array: Array) -> Array:
    return array.transpose(np.argsort([-stride for stride in array.strides], kind="stable"))


def _packed(array: Array) -> Array:
    copy = np.array(array, order="C")
    copy.flags.writeable = array.flags.writeable
    return copy


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])

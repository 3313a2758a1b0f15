"""Arrays as flat memory and how they lie in it, so that sharing and order survive storage."""

from collections import Counter
from typing import Any

import numpy as np

WASTE = 4  # a view is stored with the array it is cut from unless that is so much larger


def layouts(arrays: list[np.ndarray]) -> tuple[dict[str, np.ndarray], list[dict[str, Any]]]:
    """What to store, by name, and the place of each array in it.

    Arrays that share memory are stored once, as that memory.
    """
    shared = Counter(id(_root(array)) for array in arrays)
    stored: dict[str, np.ndarray] = {}
    names: dict[int, str] = {}
    places: list[dict[str, Any]] = []
    for given in arrays:
        array, root = given, _root(given)
        cut = not _dense(array) and root.nbytes <= WASTE * array.nbytes
        whole = root if (shared[id(root)] > 1 or cut) and _dense(root) else array
        if not _dense(whole):
            whole = array = _packed(array)
        name = names.setdefault(id(whole), f"memory{len(places)}")
        stored[name] = _flat(whole)
        stored[f"type{len(places)}"] = np.empty(0, array.dtype)
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


def laid_out(stored: dict[str, np.ndarray], places: list[dict[str, Any]]) -> list[np.ndarray]:
    """The arrays again."""
    arrays = []
    for i, place in enumerate(places):
        array: np.ndarray = np.ndarray(
            tuple(place["shape"]),
            stored[f"type{i}"].dtype,
            stored[place["name"]],
            place["start"],
            tuple(place["strides"]),
        )
        array.flags.writeable = place["writeable"]
        arrays.append(array)
    return arrays


def _root(array: np.ndarray) -> np.ndarray:
    """The array whose memory this one lies in."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _dense(array: np.ndarray) -> bool:
    """Whether it fills its memory, in whatever order of its axes."""
    return bool(_by_stride(array).flags.c_contiguous)


def _flat(array: np.ndarray) -> np.ndarray:
    return _by_stride(array).reshape(-1)


def _by_stride(array: np.ndarray) -> np.ndarray:
    return array.transpose(np.argsort([-stride for stride in array.strides], kind="stable"))


def _packed(array: np.ndarray) -> np.ndarray:
    copy = np.array(array, order="C")
    copy.flags.writeable = array.flags.writeable
    return copy


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])

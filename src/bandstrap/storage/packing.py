"""Objects of plain attributes as arrays and JSON, to be saved.

Unlike a pickle this contains no code, and arrays come back with their type, memory order, write
flag and shared memory. All of that can matter to the last bit.

What is not plain, such as a model of another library, its owner leaves out and makes again: a class
names such attributes in `unsaved`, and its method `restore()` is called when all else is there,
inner objects first. `storage.unpacking` is the way back.
"""

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import BandstrapError
from bandstrap.storage.layout import layouts
from bandstrap.storage.registry import name_of, registered
from bandstrap.storage.schema import kinds_of

WRITTEN_IN_PYTHON = 1 << 9  # CPython's mark of a class that is not built in


class CannotPack(BandstrapError, TypeError):  # noqa: N818
    """Something that is not plain."""


class Packed(NamedTuple):
    """Arrays by name, and JSON text for the structure that holds them."""

    arrays: dict[str, Array]
    text: str


def pack(thing: object) -> Packed:
    """Take an object apart.

    >>> pack({"a": [1, True]}).text
    '{"tree": ["dict", [["a", ["list", [1, true], 1]]], 0], "places": []}'
    """
    packer = _Packer()
    try:
        tree = packer.walk(thing, "")
    except RecursionError as error:
        raise CannotPack(f"a {type(thing).__name__} is nested too deep to be saved") from error
    arrays, places = layouts(packer.arrays)
    return Packed(arrays, json.dumps({"tree": tree, "places": places}))


class _Packer:
    """Nodes of the tree are [kind, ...]; what has been met before is ["same", number]."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []
        self.met: dict[int, int] = {}
        self.kept: list[object] = []  # keeps objects alive, so that no `id` is used twice

    def walk(self, thing: Any, path: str) -> Any:
        if thing is None or type(thing) in (bool, int, float, str):
            return thing
        if id(thing) in self.met:
            return ["same", self.met[id(thing)]]
        number = self.met[id(thing)] = len(self.met)
        self.kept.append(thing)
        return [*self._parts(thing, path), number]

    def _parts(self, thing: Any, path: str) -> list[Any]:
        kind = type(thing)
        if isinstance(thing, np.ndarray):
            return ["array", self._array(thing, path)]
        if isinstance(thing, np.generic):
            return ["scalar", self._array(np.array(thing), path)]
        if kind in (list, tuple, set):
            return [kind.__name__, self._items(thing, path)]
        if kind is dict:
            return ["dict", [self._items(pair, f"{path}[{pair[0]!r}]") for pair in thing.items()]]
        if isinstance(thing, np.random.Generator):
            bits = thing.bit_generator
            return ["generator", type(bits).__name__, self.walk(bits.state, path)]
        if isinstance(thing, Enum):
            return ["enum", _found(kind, path), thing.name]
        if isinstance(thing, tuple):
            return ["named", _found(kind, path), self._items(thing, path)]
        if _is_global(thing):
            return ["global", name_of(thing)]
        if not (hasattr(thing, "__dict__") and kind.__flags__ & WRITTEN_IN_PYTHON):
            raise CannotPack(f"{path or 'object'}: a {kind.__name__} cannot be saved")
        held = thing.to_saved() if hasattr(kind, "to_saved") else vars(thing)
        saved = {key: value for key, value in held.items() if key not in unsaved(kind)}
        _check_declared(kind, saved, path)
        attributes = {key: self.walk(value, f"{path}.{key}") for key, value in saved.items()}
        return ["object", _found(kind, path), attributes]

    def _items(self, items: Any, path: str) -> list[Any]:
        return [self.walk(item, f"{path}[{i}]") for i, item in enumerate(items)]

    def _array(self, array: Array, path: str) -> int:
        if array.dtype.hasobject:
            raise CannotPack(f"{path}: an array of objects cannot be saved")
        self.arrays.append(array)
        return len(self.arrays) - 1


def _check_declared(kind: type, saved: Mapping[str, Any], path: str) -> None:
    """Refuse attributes that a user added to an object of ours: no file may hold them."""
    more = [] if registered(name_of(kind)) is not kind else sorted(saved.keys() - kinds_of(kind))
    if more:
        raise CannotPack(f"{path or 'object'}: a {kind.__name__} has no field {', '.join(more)}")


def unsaved(kind: type) -> tuple[str, ...]:
    """The attributes that objects of a class make again."""
    return getattr(kind, "unsaved", ())


def _name(thing: Any) -> str:
    return f"{thing.__module__}:{thing.__qualname__}"


def _found(kind: type, path: str) -> str:
    """The name of a class, if the class can be found by it."""
    if not _is_global(kind):
        raise CannotPack(f"{path or 'object'}: {_name(kind)} cannot be found by that name")
    return name_of(kind)


def _is_global(thing: Any) -> bool:
    """Whether it is a function or class that can be found by its name."""
    with suppress(AttributeError, KeyError):
        return find(_name(thing)) is thing
    return False


def find(name: str) -> Any:
    """A class or function of a module that is loaded, by name; a KeyError if there is none."""
    module, _, path = name.partition(":")
    try:
        return attrgetter(path)(sys.modules[module])
    except AttributeError:
        raise KeyError(name) from None

"""Objects of plain attributes as arrays and JSON, to be saved.

Unlike a pickle this contains no code, and arrays come back with their type, memory order, write
flag and shared memory. All of that can matter to the last bit.

What is not plain, such as a model of another library, its owner leaves out and makes again: a class
names such attributes in `unsaved`, and its method `restore()` is called when all else is there,
inner objects first. `storage.unpacking` is the way back.
"""

import json
import sys
from collections.abc import Callable, Mapping
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
PLAIN = frozenset((str, int, float, bool, type(None)))
BLOCK = 4096  # items of a list that are made text at once: no other thread runs meanwhile


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
    return Snapshot(thing, copies=False).packed()


class Snapshot:
    """An object as it is now, to be packed later: it may change in between.

    Taking it is quick. Arrays are copied; what is long and is not made of arrays writes a method
    `copy_to_save`, and is taken apart later.
    """

    def __init__(self, thing: object, copies: bool = True) -> None:
        self._packer, self._kind = _Packer(), type(thing)
        self._tree = self._walked(lambda: self._packer.walk(thing, ""))
        arrays, self._places = layouts(self._packer.arrays)
        self._arrays = {name: each.copy() for name, each in arrays.items()} if copies else arrays

    def packed(self) -> Packed:
        """Take apart what is left."""
        first = len(self._packer.arrays)
        self._walked(self._packer.finish)
        arrays, places = layouts(self._packer.arrays[first:], first)
        known = json.dumps([*self._places, *places])
        text = f'{{"tree": {_text(self._tree)}, "places": {known}}}'
        return Packed({**self._arrays, **arrays}, text)

    def _walked(self, walk: Callable[[], Any]) -> Any:
        try:
            return walk()
        except RecursionError as error:
            raise CannotPack(f"a {self._kind.__name__} is nested too deep to be saved") from error


class _Packer:
    """Nodes of the tree are [kind, ...]; what has been met before is ["same", number]."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []
        self.met: dict[int, int] = {}
        self.kept: list[object] = []  # keeps objects alive, so that no `id` is used twice
        self.left: list[tuple[list[Any], Any, str]] = []  # nodes to fill, of such copies

    def walk(self, thing: Any, path: str) -> Any:
        if type(thing) in PLAIN:
            return thing
        if id(thing) in self.met:
            return ["same", self.met[id(thing)]]
        number = self.met[id(thing)] = len(self.met)
        self.kept.append(thing)
        if hasattr(type(thing), "copy_to_save"):
            node: list[Any] = [number]
            self.left.append((node, thing.copy_to_save(), path))
            return node
        return [*self._parts(thing, path), number]

    def finish(self) -> None:
        """Walk what was put off."""
        while self.left:
            node, thing, path = self.left.pop(0)
            self.kept.append(thing)
            node[:0] = self._parts(thing, path)

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
        return [
            item if type(item) in PLAIN else self.walk(item, f"{path}[{i}]")
            for i, item in enumerate(items)
        ]

    def _array(self, array: Array, path: str) -> int:
        if array.dtype.hasobject:
            raise CannotPack(f"{path}: an array of objects cannot be saved")
        self.arrays.append(array)
        return len(self.arrays) - 1


def _text(node: Any) -> str:
    """A node as JSON, long lists in blocks."""
    if type(node) is list and node[0] == "object":
        _, name, attributes, number = node
        inner = ", ".join(f"{json.dumps(key)}: {_text(it)}" for key, it in attributes.items())
        return f'["object", {json.dumps(name)}, {{{inner}}}, {number}]'
    if type(node) is list and type(node[1]) is list and len(node[1]) > BLOCK:
        kind, items, *rest = node
        blocks = (json.dumps(items[i : i + BLOCK])[1:-1] for i in range(0, len(items), BLOCK))
        return f"[{json.dumps(kind)}, [{', '.join(blocks)}], {json.dumps(rest)[1:-1]}]"
    return json.dumps(node)


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

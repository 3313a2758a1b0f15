"""Objects of plain attributes as arrays and JSON, and back: what a run is saved as.

Unlike a pickle it holds no code, and arrays come back as they were: type, memory order, whether
they may be written to, and which of them share memory. All of that can matter to the last bit.

What is not plain, like a model of another library, its owner leaves out and makes again: a class
names such attributes in `unsaved`, and its method `restore()` is called when all else is there,
inner objects first.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from bandstrap.errors import BandstrapError
from bandstrap.layout import laid_out, layouts

WRITTEN_IN_PYTHON = 1 << 9  # CPython's mark of a class that is not built in
BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
# Where classes are whose objects are saved. Nothing else of this package is imported for a file:
# other modules may do something when imported.
HOLDERS = (
    "bandit", "columns", "compiled", "datasets", "environments", "fractions", "history", "kernels",
    "models", "policies", "priors", "problem", "resampling", "simulation",
)  # fmt: skip


class CannotPack(BandstrapError, TypeError):  # noqa: N818
    """Something that is neither plain nor made of plain things."""


class CannotRestore(BandstrapError, ValueError):  # noqa: N818
    """Something that is there but for what its owner was to make again."""


class Packed(NamedTuple):
    """Arrays by number, and a JSON text that says how they hang together."""

    arrays: dict[str, np.ndarray]
    text: str


def pack(thing: object) -> Packed:
    """Take an object apart.

    >>> unpack(pack({"a": [1, np.arange(3)]}))
    {'a': [1, array([0, 1, 2])]}
    """
    packer = _Packer()
    try:
        tree = packer.walk(thing, "")
    except RecursionError as error:
        raise CannotPack(f"a {type(thing).__name__} is nested too deep to be saved") from error
    arrays, places = layouts(packer.arrays)
    return Packed(arrays, json.dumps({"tree": tree, "places": places}))


def unpack(packed: Packed, found: Callable[[str], Any] | None = None) -> Any:
    """Put an object together again; `found` gives a class or function for its name."""
    data = json.loads(packed.text)
    unpacker = _Unpacker(laid_out(packed.arrays, data["places"]), found or find)
    thing = unpacker.walk(data["tree"])
    for unfinished in unpacker.unfinished:
        kind = type(unfinished)
        try:
            kind.restore(unfinished)  # the class's own, whatever attributes the file has
        except (BandstrapError, ImportError):
            raise
        except Exception as error:  # whatever a model of another library raises
            raise CannotRestore(f"a {kind.__name__} could not be made again: {error}") from error
    return thing


class _Packer:
    """Nodes of the tree are [kind, ...]; what has been met before is ["same", number]."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self.met: dict[int, int] = {}
        self.kept: list[object] = []  # holds what was met, or its identity might be used again

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
            return ["global", _name(thing)]
        if not (hasattr(thing, "__dict__") and kind.__flags__ & WRITTEN_IN_PYTHON):
            raise CannotPack(f"{path or 'object'}: a {kind.__name__} cannot be saved")
        saved = {key: value for key, value in vars(thing).items() if key not in _unsaved(kind)}
        attributes = {key: self.walk(value, f"{path}.{key}") for key, value in saved.items()}
        return ["object", _found(kind, path), attributes]

    def _items(self, items: Any, path: str) -> list[Any]:
        return [self.walk(item, f"{path}[{i}]") for i, item in enumerate(items)]

    def _array(self, array: np.ndarray, path: str) -> int:
        if array.dtype.hasobject:
            raise CannotPack(f"{path}: an array of objects cannot be saved")
        self.arrays.append(array)
        return len(self.arrays) - 1


class _Unpacker:
    def __init__(self, arrays: list[np.ndarray], found: Callable[[str], Any]) -> None:
        self.arrays = arrays
        self.found = found
        self.made: dict[int, Any] = {}
        self.unfinished: list[Any] = []  # objects that have something to make again

    def walk(self, node: Any) -> Any:
        if not isinstance(node, list):
            return node
        if node[0] == "same":
            return self.made[node[1]]
        number = node[-1]
        if node[0] == "object":  # made before its attributes, which may point back to it
            self.made[number] = made = object.__new__(self.found(node[1]))
            unsaved = _unsaved(type(made))
            for name, value in node[2].items():
                if name not in unsaved:
                    object.__setattr__(made, name, self.walk(value))
            if unsaved:
                self.unfinished.append(made)
        elif node[0] in ("list", "dict"):
            self.made[number] = self._container(node, [] if node[0] == "list" else {})
        else:
            self.made[number] = self._leaf(*node[:-1])
        return self.made[number]

    def _container(self, node: Any, made: Any) -> Any:
        self.made[node[-1]] = made
        if node[0] == "list":
            made.extend(self.walk(item) for item in node[1])
        else:
            made.update((self.walk(key), self.walk(value)) for key, value in node[1])
        return made

    def _leaf(self, kind: str, first: Any, second: Any = None) -> Any:
        if kind == "array":
            return self.arrays[first]
        if kind == "scalar":
            return self.arrays[first][()]
        if kind == "generator":
            if first not in BIT_GENERATORS:
                raise ValueError(f"{first} is no bit generator")
            bits = getattr(np.random, first)()
            bits.state = self.walk(second)
            return np.random.Generator(bits)
        if kind == "global":
            return self.found(first)
        if kind == "enum":
            return self.found(first)[second]
        if kind == "named":
            return self.found(first)._make(self.walk(item) for item in second)
        items = [self.walk(item) for item in first]
        return tuple(items) if kind == "tuple" else set(items)


def _unsaved(kind: type) -> tuple[str, ...]:
    """The attributes that objects of a class make again themselves."""
    return getattr(kind, "unsaved", ())


def _name(thing: Any) -> str:
    return f"{thing.__module__}:{thing.__qualname__}"


def _found(kind: type, path: str) -> str:
    """The name of a class, if that is enough to find it again."""
    if not _is_global(kind):
        raise CannotPack(f"{path or 'object'}: {_name(kind)} is not to be found by that name")
    return _name(kind)


def _is_global(thing: Any) -> bool:
    """Whether it is a function or class that can be found by its name."""
    with suppress(AttributeError, KeyError):
        return find(_name(thing)) is thing
    return False


def is_ours(name: str) -> bool:
    """Whether a name is of a module of this package whose objects are saved."""
    package, *inner = name.partition(":")[0].split(".")
    return package == "bandstrap" and bool(inner) and inner[0] in HOLDERS


def find(name: str) -> Any:
    """A class or function by name; nothing is imported for it but modules of this package."""
    module, _, path = name.partition(":")
    if module not in sys.modules and is_ours(module):
        import_module(module)
    found: Any = sys.modules[module]
    for part in path.split("."):
        found = getattr(found, part)
    return found

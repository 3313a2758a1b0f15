"""Objects rebuilt from arrays and JSON, each once its fields have passed.

Only what classes declare comes back (see `storage.schema`). A file may name the classes of
`storage.registry` and those that the caller trusts. Objects of the former are made of declared
fields alone, by a constructor that takes them if there is one, and then verify themselves. Objects
of the latter may hold anything that a file can.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import BandstrapError
from bandstrap.storage.layout import check_apart, laid_out
from bandstrap.storage.packing import PLAIN, Packed, find, unsaved
from bandstrap.storage.registry import registered
from bandstrap.storage.schema import Refused, check_fields, kinds_of, owned_by, require

# Positions by which bit generators index their memory, and the largest: NumPy takes any number.
BIT_GENERATORS: dict[str, dict[str, int]] = {
    "MT19937": {"pos": 624},
    "PCG64": {},
    "PCG64DXSM": {},
    "Philox": {"buffer_pos": 4},
    "SFC64": {},
}

Names = Mapping[str, Any]  # classes and functions that the caller trusts, by name
_TRUSTED: ContextVar[Names] = ContextVar("trusted")


class NotTrusted(BandstrapError, LookupError):  # noqa: N818
    """A class or function that is neither registered nor trusted."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"asks for {name}")


class CannotRestore(BandstrapError, ValueError):  # noqa: N818
    """An object whose owner could not make its unsaved parts again."""


class Loaded(dict[str, Any]):
    """Whatever modules of this process hold under a name: for objects that this process packed,
    never for files."""

    def __missing__(self, name: str) -> Any:
        return find(name)


def unpack(packed: Packed, trusted: Names) -> Any:
    """Put an object together again.

    >>> from bandstrap.storage.packing import pack
    >>> unpack(pack({"a": [1, np.arange(3)]}), trusted={})
    {'a': [1, array([0, 1, 2])]}
    """
    data = json.loads(packed.text)
    require(type(data) is dict and data.keys() == {"tree", "places"}, "it is no tree")
    before = _TRUSTED.set(trusted)
    try:
        unpacker = _Unpacker(laid_out(packed.arrays, data["places"]), trusted)
        thing = unpacker.walk(data["tree"])
        owned = [each for each in unpacker.owned.values() if type(each) is np.ndarray]
        check_apart(unpacker.arrays, owned)
        for unfinished in unpacker.unfinished:
            _restore(unfinished)
        return thing
    finally:
        _TRUSTED.reset(before)


def trusted_names() -> Names:
    """What the caller trusts, for a class that finds names in its own fields while it is made."""
    return _TRUSTED.get({})


def _restore(unfinished: Any) -> None:
    kind = type(unfinished)
    try:
        kind.restore(unfinished)  # the class's method, whatever the object's attributes
    except (BandstrapError, ImportError):
        raise
    except Exception as error:  # a model of another library may raise anything
        raise CannotRestore(f"a {kind.__name__} could not be made again: {error}") from error


class _Unpacker:
    """Nodes of the tree are [kind, ..., number]; what has been met before is ["same", number]."""

    def __init__(self, arrays: list[Array], trusted: Names) -> None:
        self.arrays = arrays
        self.trusted = trusted
        self.made: dict[int, Any] = {}
        self.owned: dict[int, Any] = {}  # what belongs to one object alone, by `id`
        self.forms: dict[str, _Form] = {}  # of named tuples, by the names of their classes
        self.unfinished: list[Any] = []  # objects with unsaved parts to make again
        self.makers: dict[str, Callable[..., Any]] = {
            "array": self._array,
            "scalar": self._scalar,
            "list": self._list,
            "tuple": lambda items: tuple(self._list(items)),
            "set": lambda items: set(self._list(items)),
            "dict": self._dict,
            "generator": self._generator,
            "enum": lambda name, member: self._trusted(name)[member],
            "global": self._global,
            "named": self._named,
        }

    def walk(self, node: Any) -> Any:
        if type(node) in PLAIN:
            return node
        if type(node) is not list or len(node) < 2:
            raise Refused("a node is malformed")
        kind, *parts, number = node
        if type(kind) is not str or type(number) is not int:
            raise Refused("a node is malformed")
        if kind == "same":
            require(number in self.made and not parts, "it refers to nothing")
            return self.made[number]
        if number in self.made:
            raise Refused("two nodes have the same number")
        if kind == "object":
            return self._object(number, *parts)
        if kind not in self.makers:
            raise Refused("a node has an unknown kind")
        self.made[number] = made = self.makers[kind](*parts)
        return made

    def _array(self, place: Any) -> Array:
        require(type(place) is int and 0 <= place < len(self.arrays), "an array is missing")
        array: Array = self.arrays[place]
        return array

    def _scalar(self, place: Any) -> Any:
        array = self._array(place)
        require(array.shape == (), "a scalar is an array")
        return array[()]

    def _list(self, items: Any) -> list[Any]:
        require(type(items) is list, "a list is malformed")
        return [item if type(item) in PLAIN else self.walk(item) for item in items]

    def _dict(self, items: Any) -> dict[Any, Any]:
        require(type(items) is list, "a dict is malformed")
        require(all(type(pair) is list and len(pair) == 2 for pair in items), "a dict is malformed")
        made = {
            key if type(key) in PLAIN else self.walk(key): self.walk(value) for key, value in items
        }
        require(len(made) == len(items), "a dict has a key twice")
        return made

    def _generator(self, name: Any, state: Any) -> Rng:
        is_known = type(name) is str and name in BIT_GENERATORS
        require(is_known, f"{name!r:.40} is not a bit generator")
        known = self.walk(state)
        require(type(known) is dict and type(known.get("state")) is dict, "a state is malformed")
        for field, most in BIT_GENERATORS[name].items():
            place = {**known, **known["state"]}.get(field)
            require(type(place) is int and 0 <= place <= most, "a generator is out of range")
        require(known.get("has_uint32", 0) in (0, 1), "a state is malformed")
        bits = getattr(np.random, name)()
        bits.state = known
        return np.random.Generator(bits)

    def _global(self, name: Any) -> Any:
        found = registered(name)
        return self._trusted(name) if found is None or isinstance(found, type) else found

    def _named(self, name: Any, items: Any) -> Any:
        form = self.forms.get(name) if type(name) is str else None
        if form is None:
            form = self.forms[name] = _form(self._class(name), registered(name) is not None)
        values = self._list(items)
        if len(values) != len(form.names):
            least = len(form.names) - len(form.defaults)
            require(least <= len(values) < len(form.names), "a named tuple is malformed")
            values += [form.defaults[name] for name in form.names[len(values) :]]
        # As `_check`, in fewer steps: a file may hold tens of thousands of named tuples.
        lengths: dict[str, int] = {}
        try:
            for check, value in zip(form.checks, values):  # noqa: B905 - none for others' classes
                check(value, lengths)
        except Refused:
            self._check(form.kind, dict(zip(form.names, values, strict=True)))  # names the field
            raise
        for place, owned in form.owners:
            self._own(form.kind, owned(values[place]))
        made = form.kind._make(values)
        return _verified(form.kind, made) if form.verifies else made

    def _object(self, number: int, name: Any, attributes: Any) -> Any:
        kind = self._class(name)
        require(type(attributes) is dict, "an object is malformed")
        if registered(name) is None:
            return self._object_of_others(number, kind, attributes)
        current = getattr(kind, "former_fields", {})  # of files from before a field was renamed
        values = {current.get(field, field): self.walk(node) for field, node in attributes.items()}
        require(len(values) == len(attributes), f"{kind.__name__} has a field twice")
        self._check(kind, values)
        self.made[number] = made = _verified(kind, _built(kind, values))
        if hasattr(kind, "restore"):
            self.unfinished.append(made)
        return made

    def _object_of_others(self, number: int, kind: type, attributes: dict[str, Any]) -> Any:
        """An object of a class that the caller trusts, which may point back to itself."""
        made: Any = object.__new__(kind)
        self.made[number] = made
        for field, node in attributes.items():
            if field not in unsaved(kind):
                _check_attribute(kind, field)
                object.__setattr__(made, field, self.walk(node))
        if unsaved(kind):
            self.unfinished.append(made)
        check_fields(kind, vars(made))
        return made

    def _check(self, kind: type, values: dict[str, Any]) -> None:
        """Refuse fields that are undeclared, missing, of the wrong kind, or another object's."""
        kinds = kinds_of(kind)
        # A file may hold tens of thousands of objects: messages are put together only if needed.
        if odd := values.keys() - kinds.keys():
            raise Refused(f"{kind.__name__} has no field {', '.join(sorted(odd)):.100}")
        if len(values) < len(kinds) and not _has_constructor(kind):
            lacking = sorted(name for name in kinds.keys() - values if not hasattr(kind, name))
            require(not lacking, f"{kind.__name__} lacks {', '.join(lacking)}")
        try:
            check_fields(kind, values)
        except Refused as refused:
            raise refused.within(kind.__name__) from None
        self._own(kind, owned_by(kind, values))

    def _own(self, kind: type, things: list[Any]) -> None:
        for thing in things:
            if id(thing) in self.owned:
                raise Refused(f"{kind.__name__} shares a part of another object")
            self.owned[id(thing)] = thing

    def _class(self, name: Any) -> Any:
        """A class that a file may name."""
        found = registered(name) or self._trusted(name)
        if not isinstance(found, type):
            raise Refused(f"{name!r:.100} is not a class")
        return found

    def _trusted(self, name: Any) -> Any:
        require(type(name) is str, "a name is not text")
        try:
            return self.trusted[name]
        except KeyError:
            raise NotTrusted(name) from None


class _Form(NamedTuple):
    """What a named tuple may hold, looked up once for all tuples of its class."""

    kind: Any
    names: tuple[str, ...]
    defaults: Mapping[str, Any]  # of the last fields
    checks: Sequence[Callable[..., None]]  # of each field
    owners: Sequence[tuple[int, Callable[[Any], list[Any]]]]  # fields that may own something
    verifies: bool


def _form(kind: Any, is_ours: bool) -> _Form:
    names = getattr(kind, "_fields", ())
    require(issubclass(kind, tuple) and names, "a named tuple is malformed")
    declared = [kinds_of(kind)[name] for name in names] if is_ours else []
    owners = [(place, each.owned) for place, each in enumerate(declared) if each.owns]
    checks = [each.check for each in declared]
    verifies = is_ours and hasattr(kind, "verify_saved")
    return _Form(kind, names, getattr(kind, "_field_defaults", {}), checks, owners, verifies)


def _built(kind: Any, values: dict[str, Any]) -> Any:
    """By the constructor, with its checks, if it takes the fields; else field by field."""
    if hasattr(kind, "from_saved"):
        return kind.from_saved(**values)
    if _has_constructor(kind):
        given = {field.name for field in fields(kind) if field.init}
        made = kind(**{name: value for name, value in values.items() if name in given})
        for name in values.keys() - given:  # the constructor sets them itself
            require(getattr(made, name) == values[name], f"{kind.__name__}.{name} is wrong")
        return made
    made = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def _has_constructor(kind: type) -> bool:
    """Whether it has a constructor that takes its fields and refuses wrong ones."""
    parameters = getattr(kind, "__dataclass_params__", None)
    return hasattr(kind, "from_saved") or bool(parameters and parameters.init)


def _verified(kind: type, made: Any) -> Any:
    verify = getattr(kind, "verify_saved", None)
    if verify is not None:
        try:
            verify(made)
        except Refused as refused:
            raise refused.within(kind.__name__) from None
    return made


def _check_attribute(kind: type, name: str) -> None:
    """Refuse an attribute that would hide a method or descriptor of the class."""
    require(name.isidentifier() and not name.startswith("__"), f"{name!r:.40} is not an attribute")
    held = getattr(kind, name, None)
    stands = callable(held) or hasattr(held, "__get__") or hasattr(held, "__set__")
    require(not stands, f"{kind.__name__}.{name:.40} is not saved")

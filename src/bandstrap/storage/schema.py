"""How a class declares its fields, so that it can be read from a file.

A class that can be saved declares what each field may hold in a `Schema`:

    class Rows:
        schema = Schema(
            n_features=Whole(),
            count=Whole(),
            _contexts=ArrayOf(FLOATS, Grows("rows"), "features"),
            _rewards=ArrayOf(float, Grows("rows")),
        )

        def verify_saved(self) -> None:
            require(self.count <= len(self._rewards), "there are fewer rows than count")

Dimensions of one name are equal within an object. `verify_saved` checks what no single field can:
that fields agree, and that every index lies within its array. A subclass adds its fields to those
of its bases. A configuration, a dataclass whose constructor checks its parameters, needs no schema:
its annotations say the same.

Nothing here reads files: `storage.unpacking` builds an object once its fields have passed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from math import inf, isfinite
from types import NoneType, UnionType
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import BandstrapError

LARGEST = 2**62  # no honest count exceeds it, and sums of two fit in 64 bits
LONGEST = 100_000  # characters of a text
ROUNDING = 1e-9
FLOATS = (np.float64, np.float32)

Lengths = dict[str, int]  # of named dimensions, within one object


class Refused(BandstrapError, ValueError):  # noqa: N818 - reads better than RefusedError
    """A value that no honest file contains."""

    def __init__(self, problem: str, *path: str) -> None:
        self.problem, self.path = problem, path
        super().__init__(f"{'.'.join(path)}: {problem}" if path else problem)

    def within(self, name: str) -> "Refused":
        """The same, seen from one level further out."""
        return Refused(self.problem, name, *self.path)


def require(condition: Any, problem: str) -> None:
    """Refuse what no honest file contains."""
    if not condition:
        raise Refused(problem)


class Kind(ABC):
    """What a field may hold."""

    @abstractmethod
    def check(self, value: Any, lengths: Lengths) -> None:
        """Refuse any other value."""

    def check_like(self, value: Any, fresh: Any) -> None:  # noqa: B027 - most may change freely
        """Refuse a value that cannot have come from the `fresh` one of a new object."""

    def owned(self, value: Any) -> list[Any]:
        """The mutable parts of a checked value that belong to its owner alone."""
        return []

    @property
    def owns(self) -> bool:
        """Whether there may be such parts."""
        return type(self).owned is not Kind.owned


class Schema:
    """The fields of a class, by name."""

    def __init__(self, **kinds: Kind) -> None:
        self.kinds = kinds


_DECLARED: dict[type, Schema] = {}


def declare(kind: type, **kinds: Kind) -> None:
    """A schema for a named tuple, which can have no attribute besides its fields."""
    _DECLARED[kind] = Schema(**kinds)


@dataclass(frozen=True)
class Flag(Kind):
    def check(self, value: Any, lengths: Lengths) -> None:
        require(type(value) is bool, "it is not a flag")


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number."""

    low: int = 0
    high: int = LARGEST

    def check(self, value: Any, lengths: Lengths) -> None:
        if type(value) is not int:
            raise Refused("it is not a whole number")
        if not self.low <= value <= self.high:
            raise Refused(f"it is not between {self.low} and {self.high}")


@dataclass(frozen=True)
class Real(Kind):
    """A number; NaN is one only if it is not `finite` and there are no limits."""

    low: float = -inf
    high: float = inf
    finite: bool = True

    def check(self, value: Any, lengths: Lengths) -> None:
        if type(value) is not float:
            require(type(value) is int, "it is not a number")
            require(abs(value) <= LARGEST, "it is too large")
        if self.finite and not isfinite(value):
            raise Refused("it is not finite")
        within = self.low <= value <= self.high or (self.low, self.high) == (-inf, inf)
        if not within:
            raise Refused(f"it is not between {self.low:g} and {self.high:g}")


@dataclass(frozen=True)
class Text(Kind):
    longest: int = LONGEST

    def check(self, value: Any, lengths: Lengths) -> None:
        require(type(value) is str and len(value) <= self.longest, "it is not text")


class Choice(Kind):
    """One of a few values."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def check(self, value: Any, lengths: Lengths) -> None:
        known = any(type(value) is type(one) and value == one for one in self.values)
        require(known, f"it is not one of {', '.join(map(repr, self.values))}")


@dataclass(frozen=True)
class Name(Kind):
    """A name of an arm or a column: text or a whole number."""

    def check(self, value: Any, lengths: Lengths) -> None:
        if type(value) is not int:
            require(type(value) is str, "it is not a name")
            require(len(value) <= LONGEST, "it is too long")


@dataclass(frozen=True)
class Grows:
    """A dimension that changes as rewards come; one without a name equals no other."""

    name: str = ""


Length = int | str | Grows


class ArrayOf(Kind):
    """An array of given types, dimensions and range.

    * `types`: one or more;
    * `shape`: a number, a name, or `Grows(name)` for each axis;
    * `shared`: whether another field may hold the very same array;
    * `fixed`: whether learning never changes it;
    * `added`: whether learning only adds to it;
    * `loose`: whether it may have any memory order and be read-only. Kernels are compiled for
      writable arrays in C order, and some compute addresses from that.
    """

    def __init__(
        self,
        types: Any,
        *shape: Length,
        low: float = -inf,
        high: float = inf,
        finite: bool = True,
        shared: bool = False,
        fixed: bool = False,
        added: bool = False,
        loose: bool = False,
    ) -> None:
        given = types if isinstance(types, tuple) else (types,)
        self.types: tuple[np.dtype[Any], ...] = tuple(map(np.dtype, given))
        self.shape = shape
        self.low, self.high, self.finite = low, high, finite
        self.shared, self.fixed, self.added, self.loose = shared, fixed, added, loose

    def check(self, value: Any, lengths: Lengths) -> None:
        require(type(value) is np.ndarray, "it is not an array")
        if value.dtype not in self.types:  # formatting type names is slow
            names = " or ".join(str(each) for each in self.types)
            raise Refused(f"it is an array of {value.dtype}, not of {names}")
        require(value.ndim == len(self.shape), f"it has {value.ndim} axes, not {len(self.shape)}")
        for length, declared in zip(value.shape, self.shape, strict=True):
            _check_length(length, declared, lengths)
        require(_is_dense(value), "two of its entries share memory")
        require(self.loose or value.flags.carray, "it is not writable in C order")
        if value.size and value.dtype.names is None:
            self._check_range(value)

    def _check_range(self, value: Array) -> None:
        # As Python numbers, which hold the limits of any type; NaN if any entry is.
        least, most = value.min().item(), value.max().item()
        require(not self.finite or (isfinite(least) and isfinite(most)), "it is not finite")
        if (self.low, self.high) != (-inf, inf):
            within = self.low <= least and most <= self.high
            if not within:
                raise Refused(f"it is not between {self.low:g} and {self.high:g}")

    def check_like(self, value: Any, fresh: Any) -> None:
        require(value.ndim == fresh.ndim, f"it has shape {value.shape}, not {fresh.shape}")
        for length, own, declared in zip(value.shape, fresh.shape, self.shape, strict=True):
            if not isinstance(declared, Grows):
                require(length == own, f"it has shape {value.shape}, not {fresh.shape}")
        if self.fixed:
            require(np.array_equal(value, fresh), "it is not what the policy starts with")
        if self.added:
            require(
                (value >= fresh * (1 - ROUNDING)).all(), "it is less than the policy starts with"
            )

    def owned(self, value: Any) -> list[Any]:
        return [] if self.shared else [value]


def _is_dense(array: Array) -> bool:
    """Whether every entry has memory of its own."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return True
    reach = array.itemsize  # bytes that the axes so far span
    for stride, length in sorted(zip(array.strides, array.shape, strict=True)):
        if length > 1:
            if stride < reach:
                return False
            reach += stride * (length - 1)
    return True


def _check_length(length: int, declared: Length, lengths: Lengths) -> None:
    if isinstance(declared, int):
        require(length == declared, f"an axis has length {length}, not {declared}")
        return
    name = declared.name if isinstance(declared, Grows) else declared
    known = lengths.setdefault(name, length) if name else length
    require(length == known, f"{name} is {length} here and {known} elsewhere")


@dataclass(frozen=True)
class Maybe(Kind):
    """The kind, or None."""

    kind: Kind

    def check(self, value: Any, lengths: Lengths) -> None:
        if value is not None:
            self.kind.check(value, lengths)

    def check_like(self, value: Any, fresh: Any) -> None:
        if value is not None and fresh is not None:
            self.kind.check_like(value, fresh)

    def owned(self, value: Any) -> list[Any]:
        return [] if value is None else self.kind.owned(value)


class Either(Kind):
    """One of several kinds."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds

    def check(self, value: Any, lengths: Lengths) -> None:
        self._fitting(value).check(value, lengths)

    def check_like(self, value: Any, fresh: Any) -> None:
        self._fitting(fresh).check_like(value, fresh)

    def owned(self, value: Any) -> list[Any]:
        return self._fitting(value).owned(value)

    def _fitting(self, value: Any) -> Kind:
        """The first that takes it, or the last, to say why not."""
        for kind in self.kinds[:-1]:
            with suppress(Refused):
                kind.check(value, {})
                return kind
        return self.kinds[-1]


@dataclass(frozen=True)
class Fixed(Kind):
    """The kind, with one value that learning never changes."""

    kind: Kind

    def check(self, value: Any, lengths: Lengths) -> None:
        self.kind.check(value, lengths)

    def check_like(self, value: Any, fresh: Any) -> None:
        same = value is fresh or (type(value) is type(fresh) and value == fresh)
        require(same, "it is not what the policy starts with")


@dataclass(frozen=True)
class ListOf(Kind):
    """Several values of one kind."""

    kind: Kind
    length: Length | None = None
    type: ClassVar[type] = list

    def check(self, value: Any, lengths: Lengths) -> None:
        require(type(value) is self.type, f"it is not a {self.type.__name__}")
        if self.length is not None:
            _check_length(len(value), self.length, lengths)
        check, place = self.kind.check, 0
        try:
            for place, item in enumerate(value):  # noqa: B007 - named if it fails
                check(item, lengths)
        except Refused as refused:
            raise refused.within(f"[{place}]") from None

    def check_like(self, value: Any, fresh: Any) -> None:
        if self.length is None or isinstance(self.length, Grows):
            return
        require(len(value) == len(fresh), f"it has {len(value)} items, not {len(fresh)}")
        for place, (item, own) in enumerate(zip(value, fresh, strict=True)):
            _at(f"[{place}]", self.kind.check_like, item, own)

    def owned(self, value: Any) -> list[Any]:
        inner = [thing for item in value for thing in self.kind.owned(item)]
        return inner if self.type is tuple else [value, *inner]


class TupleOf(ListOf):
    type = tuple


class Row(Kind):
    """A tuple with a kind for each place."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds

    def check(self, value: Any, lengths: Lengths) -> None:
        require(type(value) is tuple and len(value) == len(self.kinds), "it is not such a tuple")
        for place, (kind, item) in enumerate(zip(self.kinds, value, strict=True)):
            _at(f"[{place}]", kind.check, item, lengths)


@dataclass(frozen=True)
class DictOf(Kind):
    key: Kind
    value: Kind

    def check(self, value: Any, lengths: Lengths) -> None:
        require(type(value) is dict, "it is not a dict")
        check_key, check, key = self.key.check, self.value.check, None
        try:
            for key, item in value.items():
                check_key(key, lengths)
                check(item, lengths)
        except Refused as refused:
            raise refused.within(f"[{key!r:.40}]") from None

    def owned(self, value: Any) -> list[Any]:
        owned = self.value.owned
        things: list[Any] = [value]
        for item in value.values():
            things += owned(item)
        return things


class Of(Kind):
    """An object of one of these classes, or of a subclass.

    Many may hold a configuration, which is frozen. Anything else has one owner, unless both fields
    that hold it are `shared`.
    """

    def __init__(self, *classes: type, shared: bool = False) -> None:
        self.classes, self.shared = classes, shared

    def check(self, value: Any, lengths: Lengths) -> None:
        if not isinstance(value, self.classes):
            names = " or ".join(each.__name__ for each in self.classes)
            raise Refused(f"it is a {type(value).__name__}, not a {names}")

    def check_like(self, value: Any, fresh: Any) -> None:
        check_like(value, fresh)

    def owned(self, value: Any) -> list[Any]:
        kind: Any = type(value)
        return [] if self.shared or _is_frozen(kind) else [value]


@dataclass(frozen=True)
class Named(Kind):
    """An object of the registered class of this name, for classes that are slow to import.

    It may be shared: only descriptions of problems are declared so.
    """

    name: str

    def check(self, value: Any, lengths: Lengths) -> None:
        own = f"{type(value).__module__}:{type(value).__qualname__}"
        require(own == self.name, f"it is a {type(value).__name__}")


@dataclass(frozen=True)
class Generator(Kind):
    """A random generator; the loader has checked its state."""

    def check(self, value: Any, lengths: Lengths) -> None:
        require(isinstance(value, np.random.Generator), "it is not a random generator")


class Function(Kind):
    """A callable: one that the user trusts, or one of ours with these names."""

    def __init__(self, *ours: str) -> None:
        self.ours = ours

    def check(self, value: Any, lengths: Lengths) -> None:
        known = not _is_ours(value) or _named(value).__qualname__ in self.ours
        require(callable(value) and known, "it may not be called here")


def _named(value: Any) -> Any:
    """A function or class; of anything else its class."""
    return value if hasattr(value, "__qualname__") else type(value)


def _is_ours(value: Any) -> bool:
    return str(_named(value).__module__).startswith("bandstrap.")


@dataclass(frozen=True)
class Plain(Kind):
    """Numbers, text and arrays, and lists, tuples and dicts of these, at most `most` in all: a list
    that holds one list many times, and so on, would exceed any memory.

    `trusted`: also classes, functions and objects that the caller trusts.
    """

    most: int = 1_000_000
    trusted: bool = False

    def check(self, value: Any, lengths: Lengths) -> None:
        todo, met = [value], 0
        while todo:
            item = todo.pop()
            if type(item) is dict:
                require(all(type(key) in (str, int) for key in item), "its keys are not names")
                todo += item.values()
            elif type(item) in (list, tuple):
                todo += item
            else:
                simple = item is None or type(item) in (bool, int, float, str, np.ndarray)
                known = simple or isinstance(item, np.generic)
                known = known or (self.trusted and not _is_ours(item))
                require(known, f"a {type(item).__name__} is not plain")
            met += 1
            require(met + len(todo) <= self.most, "it is too long")


@dataclass(frozen=True)
class Anything(Kind):
    """Whatever the loader could build: for fields that their owner checks itself."""

    def check(self, value: Any, lengths: Lengths) -> None:
        pass


def check_fields(kind: type, values: Mapping[str, Any]) -> None:
    """Refuse wrong values of a class's declared fields."""
    lengths: Lengths = {}
    for name, declared in kinds_of(kind).items():
        if name in values:
            _at(name, declared.check, values[name], lengths)


def owned_by(kind: type, values: Mapping[str, Any]) -> list[Any]:
    """The mutable parts of checked fields that belong to one object alone."""
    declared = kinds_of(kind)
    return [thing for name, value in values.items() for thing in declared[name].owned(value)]


def check_like(value: Any, fresh: Any) -> None:
    """Refuse an object that cannot have come from the `fresh` one.

    A file may hold any pair of a policy and a state. A state that fits the policy has the classes,
    dimensions and constants of one that the policy starts.
    """
    if vars(type(fresh)).get("formerly") is type(value):  # in earlier versions it had this class
        value.__class__ = type(fresh)
        if hasattr(fresh, "verify_saved"):
            value.verify_saved()
    own, other = type(value).__name__, type(fresh).__name__
    require(type(value) is type(fresh), f"it is a {own}, not a {other}")
    for name, kind in kinds_of(fresh.__class__).items():
        if hasattr(value, name) and hasattr(fresh, name):
            _at(name, kind.check_like, getattr(value, name), getattr(fresh, name))


@cache
def kinds_of(kind: type) -> dict[str, Kind]:
    """The declared fields of a class and its bases."""
    own: dict[str, Kind] = {}
    for each in reversed(kind.__mro__):
        schema = _DECLARED.get(each, vars(each).get("schema"))
        if isinstance(schema, Schema):
            own |= schema.kinds
    return {**_annotated(kind, own.keys()), **own}


def _annotated(kind: Any, but: Collection[str]) -> dict[str, Kind]:
    """The other fields of a dataclass, by their annotations."""
    named = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    rest = [name for name in named if name not in but]
    hints = get_type_hints(kind) if rest else {}
    return {name: _kind_of(hints[name]) for name in rest}


def _kind_of(hint: Any) -> Kind:
    simple: dict[Any, Kind] = {
        bool: Flag(), int: Whole(-LARGEST), float: Real(finite=False), str: Text(), Any: Anything(),
    }  # fmt: skip
    if hint in simple:
        return simple[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        rest = [each for each in arguments if each is not NoneType]
        return Maybe(_kind_of(rest[0])) if len(rest) == 1 else Anything()
    if origin is tuple and len(arguments) == 2 and arguments[1] is ...:
        return TupleOf(_kind_of(arguments[0]))
    if origin is Callable or hint is Callable:
        return Function()
    if isinstance(origin or hint, type) and (origin or hint) is not np.ndarray:
        return Of(origin or hint)
    return Anything()  # arrays: the constructor checks them


@cache
def _is_frozen(kind: Any) -> bool:
    parameters = getattr(kind, "__dataclass_params__", None)
    return bool(parameters and parameters.frozen)


def _at(name: str, check: Callable[..., None], *values: Any) -> None:
    """Check, and name the place if it fails."""
    try:
        check(*values)
    except Refused as refused:
        raise refused.within(name) from None

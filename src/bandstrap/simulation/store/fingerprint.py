"""Text that says all that a result depends on: settings, data and, for a user's class, code."""

import copyreg
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from types import (
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.printable import lasting

INCOMPLETE = "(part of it cannot be seen)"
OURS = ("bandstrap", "builtins", "numpy")  # code that the version of the package stands for
PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
INSTALLED = {"site-packages", "dist-packages"}
WRAPPING = (staticmethod, classmethod)
NAMED = (GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType, WrapperDescriptorType)
CODE = (FunctionType, *WRAPPING, property, cached_property)


def fingerprint(thing: Any) -> str:
    """Its `repr`, with a digest of each part that `repr` does not show in full.

    These are arrays, fields that are not shown, and whatever is not ours, with its code.

    >>> from bandstrap import Bootstrap
    >>> fingerprint(Bootstrap()) == repr(Bootstrap())
    True
    """
    digests = Digests()
    words = [lasting(repr(thing)), *_hidden(thing, digests)]
    return " ".join(words if digests.complete else [*words, INCOMPLETE])


def is_complete(text: str) -> bool:
    """Whether equal fingerprints mean equal things; if not, nothing may be reused."""
    return not text.endswith(INCOMPLETE)


def _hidden(thing: Any, digests: "Digests", written: bool = False) -> Iterator[str]:
    """Digests of what `repr` hides; `written` inside an object of ours with its own `repr`, which
    shows all that is ours."""
    kind = type(thing)
    if kind in PLAIN or isinstance(thing, np.generic):
        return
    if kind in (list, tuple, dict):
        for part in thing.values() if kind is dict else thing:
            yield from _hidden(part, digests, written)
    elif ours(kind) and is_dataclass(thing):
        yield from _hidden_fields(thing, digests, written or not kind.__dataclass_params__.repr)
    elif not (_is_shown(thing) or (written and isinstance(thing, np.ndarray))):
        named = thing if hasattr(thing, "__qualname__") else kind
        yield f"{full_name(named)} {digests.of(thing)}"


def _hidden_fields(thing: Any, digests: "Digests", written: bool) -> Iterator[str]:
    for field in fields(thing):
        value = getattr(thing, field.name)
        if field.repr or written:
            yield from _hidden(value, digests, written)
        else:
            yield f"{field.name} {digests.of(value)}"


def _is_shown(thing: Any) -> bool:
    """Whether it is a class or function of ours, known by its name, or an object that we made."""
    if isinstance(thing, np.ndarray | np.random.Generator):
        return False
    if hasattr(thing, "__qualname__"):
        return ours(thing) and not getattr(thing, "__closure__", None)
    return ours(type(thing))


class Digests:
    """Digests of objects by their contents, not by `repr`, which may omit or abbreviate.

    `complete` is False once an object could not be looked into.
    """

    def __init__(self) -> None:
        self.complete = True
        self._digests: dict[int, str] = {}
        self._met: list[Any] = []  # keeps objects alive, so that no `id` is used twice

    def of(self, thing: Any) -> str:
        """The same text in every process for equal contents and equal code."""
        if type(thing) in PLAIN:
            return repr(thing)
        if id(thing) not in self._digests:
            self._met.append(thing)
            self._digests[id(thing)] = "itself"  # where it contains itself
            words = [full_name(type(thing)), *self._words(thing)]
            digest = sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()
            self._digests[id(thing)] = digest[:16]
        return self._digests[id(thing)]

    def _all(self, things: Iterable[Any]) -> list[str]:
        return [self.of(thing) for thing in things]

    def _words(self, thing: Any) -> Iterable[str]:
        kind = type(thing)
        if kind is np.ndarray:
            return self._array(thing)
        if kind in (list, tuple):
            return self._all(thing)
        if kind in (set, frozenset):
            return sorted(self._all(thing))
        if kind is dict:
            return self._all(part for item in thing.items() for part in item)
        if isinstance(thing, NAMED):  # descriptors that Python makes
            return [thing.__qualname__]
        if isinstance(thing, type):
            return self._class(thing)
        if isinstance(thing, ModuleType):
            return self._module(thing, ())
        return self._code(thing) or self._object(thing)

    def _code(self, thing: Any) -> Iterable[str]:
        """Of what can be called; empty for anything else."""
        if isinstance(thing, FunctionType):
            return self._function(thing)
        if isinstance(thing, MethodType):
            return self._all((thing.__self__, thing.__func__))
        if isinstance(thing, CodeType):
            return [thing.co_code.hex(), *thing.co_names, *self._all(thing.co_consts)]
        if isinstance(thing, CellType):
            return ["empty"] if thing == CellType() else self._all((thing.cell_contents,))
        if isinstance(thing, property):
            return self._all((thing.fget, thing.fset, thing.fdel))
        if isinstance(thing, cached_property):
            return self._all((thing.func,))
        if isinstance(thing, WRAPPING) or hasattr(thing, "__wrapped__"):  # Numba's functions too
            return self._all((thing.__wrapped__,))
        return ()

    def _array(self, array: Array) -> Iterable[str]:
        if array.dtype.hasobject:
            return [str(array.shape), *self._all((array.tolist(),))]
        data = np.ascontiguousarray(array).tobytes()
        return [str(array.dtype.descr), str(array.shape), sha256(data).hexdigest()]

    def _class(self, kind: type) -> Iterator[str]:
        yield full_name(kind)
        if ours(kind):
            return
        yield source(kind.__module__)
        yield from self._all(kind.__bases__)
        if not installed(kind.__module__):
            for name, member in vars(kind).items():
                # Of what Python adds only functions matter.
                if isinstance(member, CODE) or not name.startswith(("__", "_abc_")):
                    yield from (name, self.of(member))

    def _function(self, function: FunctionType) -> Iterator[str]:
        yield full_name(function)
        yield from self._all(function.__closure__ or ())
        if ours(function):
            return
        yield source(function.__module__)
        parts = (function.__code__, function.__defaults__, function.__kwdefaults__)
        yield from self._all((*parts, vars(function)))
        if not installed(function.__module__):
            names = sorted(_names(function.__code__))
            for name in names:
                if name in function.__globals__:
                    yield name
                    yield from self._named(function.__globals__[name], names)

    def _named(self, thing: Any, names: Iterable[str]) -> Iterable[str]:
        """What a global name of a function stands for; of a module, its parts by these names."""
        return self._module(thing, names) if isinstance(thing, ModuleType) else [self.of(thing)]

    def _module(self, module: ModuleType, names: Iterable[str]) -> Iterator[str]:
        """Its file, and the parts of it that are used."""
        todo, met = [module], {id(module)}
        while todo:
            module = todo.pop()
            yield module.__name__
            if installed(module.__name__) or _top(module.__name__) in OURS:
                continue
            yield source(module.__name__)
            for part in (vars(module)[name] for name in names if name in vars(module)):
                if not isinstance(part, ModuleType):
                    yield self.of(part)
                elif id(part) not in met:
                    met.add(id(part))
                    todo.append(part)

    def _object(self, thing: Any) -> Iterable[str]:
        """What pickling would send to a worker."""
        words = self._all((type(thing),))
        try:
            known: Any = copyreg.dispatch_table.get(type(thing))
            sent = known(thing) if known else thing.__reduce_ex__(2)
        except Exception:  # whatever a class that cannot be pickled raises
            self.complete = False
            return words
        if isinstance(sent, str):  # a global, by its name
            return [*words, sent]
        make, arguments, state, members, items = (*sent, None, None, None)[:5]
        return words + self._all(
            (make, arguments, state, list(members or ()), [list(item) for item in items or ()])
        )


def full_name(thing: Any) -> str:
    """The module and name of a class or function."""
    return f"{thing.__module__}.{thing.__qualname__}"


def ours(thing: Any) -> bool:
    """Whether the version of the package stands for a class or function."""
    return _top(thing.__module__ or "builtins") in OURS


def installed(module: str) -> bool:
    """Whether the module is part of Python or of an installed package, not the user's own."""
    if _top(module) in sys.stdlib_module_names:
        return True
    path = Path(getattr(sys.modules.get(module), "__file__", None) or "")
    return bool(INSTALLED & {*path.parts}) or path.is_relative_to(sysconfig.get_path("stdlib"))


def source(module: str) -> str:
    """A digest of the module's file; empty for code without a file."""
    path = getattr(sys.modules.get(module), "__file__", None)
    try:
        return _digest(path, Path(path).stat().st_mtime_ns) if path else ""
    except OSError:
        return ""


@cache
def _digest(path: str, changed: int) -> str:
    return sha256(Path(path).read_bytes()).hexdigest()[:16]


def _top(module: str) -> str:
    return module.split(".")[0]


def _names(code: CodeType) -> set[str]:
    """The names that code uses, inner functions included."""
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_names, inner))

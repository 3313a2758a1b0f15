"""Digests of things by all that they hold and by all code that they would run."""

import copyreg
import sys
import sysconfig
from collections.abc import Iterable, Iterator
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

OURS = ("bandstrap", "builtins", "numpy")  # what a version of the package stands for
PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
INSTALLED = {"site-packages", "dist-packages"}
WRAPPING = (staticmethod, classmethod)
NAMED = (GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType, WrapperDescriptorType)
CODE = (FunctionType, *WRAPPING, property, cached_property)


class Contents:
    """Digests of things. What is met twice is looked at once; `seen` tells whether all could be.

    Nothing is taken from `repr`, which may leave out, round or abbreviate.
    """

    def __init__(self) -> None:
        self.seen = True
        self._digests: dict[int, str] = {}
        self._kept: list[Any] = []  # or the place of one that is gone might be used again

    def of(self, thing: Any) -> str:
        """The same text in every process for what holds the same and runs the same."""
        if type(thing) in PLAIN:
            return repr(thing)
        if id(thing) not in self._digests:
            self._kept.append(thing)
            self._digests[id(thing)] = "itself"  # where it is met again within itself
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
        if isinstance(thing, NAMED):  # parts of classes that Python itself makes
            return [thing.__qualname__]
        if isinstance(thing, type):
            return self._class(thing)
        if isinstance(thing, ModuleType):
            return self._module(thing, ())
        return self._code(thing) or self._object(thing)

    def _code(self, thing: Any) -> Iterable[str]:
        """Of what runs; nothing of anything else."""
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
        if isinstance(thing, WRAPPING) or hasattr(thing, "__wrapped__"):  # as Numba's functions
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
                # Of what Python itself puts there only functions matter.
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
        """What a function calls by a name, with more names by which it may call parts of it."""
        return self._module(thing, names) if isinstance(thing, ModuleType) else [self.of(thing)]

    def _module(self, module: ModuleType, names: Iterable[str]) -> Iterator[str]:
        """Its file, and what is used of it."""
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
        """What would be sent to a worker."""
        words = self._all((type(thing),))
        try:
            known: Any = copyreg.dispatch_table.get(type(thing))
            sent = known(thing) if known else thing.__reduce_ex__(2)
        except Exception:  # there are as many kinds as there are classes that cannot be sent
            self.seen = False
            return words
        if isinstance(sent, str):  # by its name
            return [*words, sent]
        make, arguments, state, members, items = (*sent, None, None, None)[:5]
        return words + self._all(
            (make, arguments, state, list(members or ()), [list(item) for item in items or ()])
        )


def full_name(thing: Any) -> str:
    """The module and name of a class or function."""
    return f"{thing.__module__}.{thing.__qualname__}"


def ours(thing: Any) -> bool:
    """Whether a class or function is told by the version of the package."""
    return _top(thing.__module__ or "builtins") in OURS


def installed(module: str) -> bool:
    """Whether the module is of a package that was installed, not of the user's own making."""
    if _top(module) in sys.stdlib_module_names:
        return True
    path = Path(getattr(sys.modules.get(module), "__file__", None) or "")
    return bool(INSTALLED & {*path.parts}) or path.is_relative_to(sysconfig.get_path("stdlib"))


def source(module: str) -> str:
    """A digest of the module's file; nothing where it was typed in."""
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
    """The names that code uses, that of functions within it too."""
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_names, inner))

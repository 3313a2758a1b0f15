"""What a result depends on, as text: a policy of one's own is also its code."""

import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

OURS = ("bandstrap", "builtins", "numpy")  # what a version of the package stands for
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # where an object happens to lie


def identity(thing: Any) -> str:
    """How the thing is written, and the code and contents of what in it comes from elsewhere.

    >>> from bandstrap import Bootstrap
    >>> identity(Bootstrap()) == repr(Bootstrap())
    True
    """
    return " ".join([ADDRESS.sub("", repr(thing)), *_foreign(thing, set())])


def _foreign(thing: Any, met: set[int]) -> Iterator[str]:
    if id(thing) in met:
        return
    met.add(id(thing))
    kind = thing if inspect.isroutine(thing) or inspect.isclass(thing) else type(thing)
    module = getattr(kind, "__module__", None) or "builtins"
    if module.split(".")[0] not in OURS:
        yield f"{module}.{kind.__qualname__} {_source(module)}"
        if kind is not thing and kind.__repr__ is object.__repr__:
            yield ADDRESS.sub("", repr(vars(thing)))
    for part in _parts(thing):
        yield from _foreign(part, met)


def _parts(thing: Any) -> Iterable[Any]:
    if isinstance(thing, dict):
        return thing.values()
    if isinstance(thing, list | tuple):
        return thing
    if is_dataclass(thing) and not isinstance(thing, type):
        return [getattr(thing, field.name) for field in fields(thing)]
    foreign = type(thing).__module__.split(".")[0] not in OURS
    return vars(thing).values() if foreign and hasattr(thing, "__dict__") else ()


@cache
def _source(module: str) -> str:
    """A digest of the module's file; nothing where it was typed in."""
    path = getattr(sys.modules.get(module), "__file__", None)
    try:
        return sha256(Path(path).read_bytes()).hexdigest()[:16] if path else ""
    except OSError:
        return ""

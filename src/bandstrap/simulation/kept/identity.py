"""What a result depends on, as text: a policy of one's own is also its code."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from bandstrap.simulation.kept.contents import PLAIN, Contents, full_name, ours

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # where an object happens to lie
UNSEEN = "(not all of it can be seen)"


def identity(thing: Any) -> str:
    """How the thing is written, and a digest of each part of it that this may not tell.

    These are arrays, fields that are not shown, and whatever comes from elsewhere, with its code.

    >>> from bandstrap import Bootstrap
    >>> identity(Bootstrap()) == repr(Bootstrap())
    True
    """
    contents = Contents()
    words = [ADDRESS.sub("", repr(thing)), *_untold(thing, contents)]
    return " ".join(words if contents.seen else [*words, UNSEEN])


def seen(text: str) -> bool:
    """Whether equal identities mean equal things; else nothing may be used again."""
    return not text.endswith(UNSEEN)


def _untold(thing: Any, contents: Contents, written: bool = False) -> Iterator[str]:
    """`written` is it within a thing of ours that writes itself, which tells all that is ours."""
    kind = type(thing)
    if kind in PLAIN or isinstance(thing, np.generic):
        return
    if kind in (list, tuple, dict):
        for part in thing.values() if kind is dict else thing:
            yield from _untold(part, contents, written)
    elif ours(kind) and is_dataclass(thing):
        yield from _of_fields(thing, contents, written or not kind.__dataclass_params__.repr)
    elif not (_told(thing) or (written and isinstance(thing, np.ndarray))):
        named = thing if hasattr(thing, "__qualname__") else kind
        yield f"{full_name(named)} {contents.of(thing)}"


def _of_fields(thing: Any, contents: Contents, written: bool) -> Iterator[str]:
    for field in fields(thing):
        value = getattr(thing, field.name)
        if field.repr or written:
            yield from _untold(value, contents, written)
        else:
            yield f"{field.name} {contents.of(value)}"


def _told(thing: Any) -> bool:
    """Whether it is a class or function of ours by its name, or a thing that only we make."""
    if isinstance(thing, np.ndarray | np.random.Generator):
        return False
    if hasattr(thing, "__qualname__"):
        return ours(thing) and not getattr(thing, "__closure__", None)
    return ours(type(thing))

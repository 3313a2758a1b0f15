"""Names for completion and for `bandstrap list`, at once: importing them all takes seconds."""

import json
import os
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypedDict

import bandstrap
from bandstrap.storage.files import reading, write_text

SOURCE = Path(bandstrap.__file__).parent
OFFERED = ("bandstrap.policies", "bandstrap.models")  # groups of entry points


class Known(TypedDict):
    """What the cache holds: names by group, and what is known about each policy."""

    names: dict[str, list[str]]
    about: dict[str, dict[str, str]]


def names() -> dict[str, list[str]]:
    """Every name by group."""
    return known()["names"]


def known() -> Known:
    """Every name and what it is, kept in the user's cache until a source file or what is
    installed changes."""
    path, state = _cache(), _state()
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError), reading(path) as file:
        kept = json.loads(file.read())
        if kept["state"] == state:
            return Known(names=dict(kept["names"]), about=dict(kept["about"]))
    from bandstrap.commands.listing import registered

    listed = registered()
    found = Known(names=listed.groups, about=listed.about)
    with suppress(OSError):  # a cache that cannot be written costs time, nothing else
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps({"state": state, **found}))
    return found


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "bandstrap" / "names.json"


def _state() -> str:
    """What changes when any source file does, or what packages offer."""
    found = ((str(path), path.stat().st_mtime_ns) for path in SOURCE.rglob("*.py"))
    offered = (
        (point.group, point.name, point.value, point.dist.version if point.dist else "")
        for group in OFFERED
        for point in entry_points(group=group)
    )
    return str([*sorted(found), *sorted(offered)])

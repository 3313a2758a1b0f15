"""Names for shell completion and `bandstrap list`, cached: importing them all takes seconds."""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypedDict

import bandstrap
from bandstrap.storage.files import reading, write_text

SOURCE = Path(bandstrap.__file__).parent
PLUGINS = ("bandstrap.policies", "bandstrap.models")  # groups of entry points

OURS, FOUND = "data sets", "data sets found in your folder"


class NamesCache(TypedDict):
    """Names by group, and the facts about each policy."""

    names: dict[str, list[str]]
    about: dict[str, dict[str, str]]


def known() -> NamesCache:
    """Every name and what it is, cached until a source file or an installed plugin changes."""
    path, state = _cache(), _state()
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError), reading(path) as file:
        kept = json.loads(file.read())
        if kept["state"] == state:
            return NamesCache(names=dict(kept["names"]), about=dict(kept["about"]))
    from bandstrap.commands.listing import registered

    listing = registered()
    found = NamesCache(names=listing.groups, about=listing.about)
    with suppress(OSError):  # a cache that cannot be written only costs time
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps({"state": state, **found}))
    return found


def known_here() -> NamesCache:
    """The same, with the user's data sets after ours; they are looked for every time."""
    from bandstrap.datasets.own import found

    ours, own = known(), sorted(found())
    names = ours["names"]
    place = [*names].index(OURS) + 1 if OURS in names else len(names)
    groups = [*names.items()]
    groups[place:place] = [(FOUND, own)] if own else []
    return NamesCache(names=dict(groups), about=ours["about"])


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "bandstrap" / "names.json"


def _state() -> str:
    """A text that changes with any source file and with what packages offer."""
    found = ((str(path), path.stat().st_mtime_ns) for path in SOURCE.rglob("*.py"))
    offered = (
        (point.group, point.name, point.value, point.dist.version if point.dist else "")
        for group in PLUGINS
        for point in entry_points(group=group)
    )
    return str([*sorted(found), *sorted(offered)])


def complete_experiment(incomplete: str) -> list[str]:
    return _beginning(incomplete, ("experiments",))


def complete_policies(incomplete: str) -> list[str]:
    return _after_commas(incomplete, ("policies", "policies with contexts"))


def complete_datasets(incomplete: str) -> list[str]:
    return _after_commas(incomplete, (OURS, FOUND))


def complete_engine(incomplete: str) -> list[str]:
    return [name for name in ("local", "dask", "ray") if name.startswith(incomplete)]


def complete_size(incomplete: str) -> list[str]:
    return [name for name in ("quick", "short", "full") if name.startswith(incomplete)]


def _after_commas(incomplete: str, groups: Iterable[str]) -> list[str]:
    """Completions of the last name in a list; names typed before are not offered again."""
    before, comma, last = incomplete.rpartition(",")
    offered = _beginning(last, groups)
    return [f"{before}{comma}{name}" for name in offered if name not in before.split(",")]


def _beginning(incomplete: str, groups: Iterable[str]) -> list[str]:
    by_group = (known_here() if FOUND in groups else known())["names"]
    offered = (name for group in groups for name in by_group.get(group, ()))
    return [name for name in offered if name.startswith(incomplete)]

"""Files of batches in progress, from which another process resumes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from bandstrap.errors import BandstrapError, OutputError
from bandstrap.simulation.batch import Batch, Play, recorded_rounds
from bandstrap.storage.archive import read, write
from bandstrap.storage.packing import find, pack
from bandstrap.storage.schema import check_like, require
from bandstrap.storage.unpacking import unpack

FORMAT = 1
PLAIN = (bool, int, float, str, bytes, type(None), np.ndarray, np.generic, np.random.Generator)


def write_play(path: Path, name: str, play: Play) -> None:
    """Write a batch in progress, uncompressed: it is soon written again."""
    write(pack((name, play)), path, FORMAT, compressed=False)


def read_play(path: Path, name: str, batch: Batch) -> Play:
    """The batch as it was left, if the file is of this very batch."""
    try:
        fresh = Play(batch)
        found = unpack(read(path, FORMAT), Neighbours(batch, fresh))
        require(type(found) is tuple and len(found) == 2, "it is not a batch")
        play: Play = found[1]
        require(type(play) is Play, "it is not a batch")
        require(found[0] == name, "it is another batch")
        check_like(play, fresh)
        require(play.played <= batch.horizon, "it has more rounds than the batch")
        points = recorded_rounds(batch.horizon)
        least, most = (points < play.played).sum(), (points <= play.played).sum()
        # The last round may not be recorded yet.
        require(least <= play.point <= most, "rounds and records disagree")
    except Exception as error:  # whatever a file of another shape leads to
        why = f" ({error})" if isinstance(error, BandstrapError) else ""
        problem = f"is damaged, or from other code{why}"
        raise OutputError(path, problem, "delete it and run again") from error
    return play


class Neighbours(Mapping[str, Any]):
    """What a file may name besides our classes: the classes and functions in the batch that will be
    played, and other classes of their modules. All of it is code that runs anyway."""

    def __init__(self, *things: Any) -> None:
        self._met: dict[str, Any] = {}
        self._modules: set[str] = set()
        for thing in _within([*things]):
            if not isinstance(thing, FunctionType | type):
                thing = type(thing)
            self._met[f"{thing.__module__}:{thing.__qualname__}"] = thing
            self._modules.add(thing.__module__)
        self._modules -= {"builtins"}

    def __getitem__(self, name: str) -> Any:
        if name in self._met:
            return self._met[name]
        module = name.partition(":")[0]
        if module not in self._modules:
            raise KeyError(name)
        try:
            found = find(name)
        except AttributeError:
            raise KeyError(name) from None
        if not isinstance(found, type) or found.__module__ != module:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._met)

    def __len__(self) -> int:
        return len(self._met)


def _within(todo: list[Any]) -> Iterator[Any]:
    """Objects and functions, and those inside them."""
    met: dict[int, Any] = {}
    while todo:
        thing = todo.pop()
        if id(thing) in met or isinstance(thing, PLAIN):
            continue
        met[id(thing)] = thing
        if isinstance(thing, list | tuple | set):
            todo += thing
        elif isinstance(thing, dict):
            todo += [*thing, *thing.values()]
        elif isinstance(thing, FunctionType | type):
            yield thing
            continue
        if not isinstance(thing, list | set | dict) and type(thing) is not tuple:
            yield thing
            todo += vars(thing).values() if hasattr(thing, "__dict__") else ()

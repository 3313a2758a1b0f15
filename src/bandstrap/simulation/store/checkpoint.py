"""Batches on disk, finished and in progress, so that a killed run resumes where it was.

The file of a finished batch says which batch it is and has a digest of its contents.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any
from uuid import uuid4

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import BandstrapError, OutputError
from bandstrap.simulation.batch import Batch, BatchResult, Play, recorded_rounds
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete
from bandstrap.simulation.store.folder import writable
from bandstrap.storage.archive import read, write
from bandstrap.storage.files import reading, replacing
from bandstrap.storage.npz import read_arrays
from bandstrap.storage.packing import find, pack
from bandstrap.storage.schema import check_like, require
from bandstrap.storage.unpacking import unpack

MARK = ".mark"
FORMAT = 4  # raise when results of earlier versions may no longer be mixed with new ones
MIDWAY_FORMAT = 1
ROOM = 1 << 22  # bytes by which another batch may be larger and still be read and named
REMEDY = "delete it and run again"
PLAIN = (bool, int, float, str, bytes, type(None), np.ndarray, np.generic, np.random.Generator)


@dataclass(frozen=True)
class BatchKey:
    """Which batch a file holds: `name` is a digest of all that it depends on."""

    name: str
    policy: str
    world: str
    index: int
    runs: int
    horizon: int

    @classmethod
    def of(cls, name: str, batch: Batch) -> "BatchKey":
        numbers = int(batch.index), int(batch.runs), int(batch.horizon)
        return cls(name, str(batch.label), batch.world, *numbers)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the file's arrays."""
        points = recorded_rounds(self.horizon).size
        each = (self.runs, points)
        return {"regret": each, "reward": each, "seconds": (points,)}


@dataclass(frozen=True)
class Slot:
    """The files of one batch, which workers are given: they might compute another name.

    A finished batch ends in `.npz`, one in progress in `.midway`. A file appears under its name
    only when it is complete; a kill leaves at most a `.part`.
    """

    path: Path
    key: BatchKey
    mark: Path | None = None  # a file that exists while workers may write here

    @property
    def midway(self) -> Path:
        return self.path.with_suffix(".midway")

    def shown(self, mark: Path) -> "Slot":
        """The slot for workers, whose working directory may be another."""
        return Slot(mark.parent / self.path.name, self.key, mark)

    def seen(self) -> bool:
        """Whether this process sees the directory of the slot."""
        return self.mark is not None and self.mark.exists()

    def load(self) -> BatchResult | None:
        """The result of the batch, if it is finished."""
        return read_batch(self.path, self.key) if self.path.exists() else None

    def save(self, result: BatchResult) -> None:
        """Save the finished batch and delete its other files."""
        write_batch(self.path, self.key, result)
        _drop_rest(self.path)

    def load_midway(self, batch: Batch) -> Play | None:
        """The batch in progress as last saved."""
        return read_play(self.midway, self.key.name, batch) if self.midway.exists() else None

    def save_midway(self, play: Play) -> None:
        write_play(self.midway, self.key.name, play)


class Checkpoint:
    """One file per batch, named by a digest of all that the batch depends on.

    Where the fingerprint is incomplete the name is one that no other checkpoint looks for.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = writable(directory)
        self._session = uuid4().hex

    def slot(self, batch: Batch) -> Slot:
        """The batch's slot. Ask before the first round: playing may change a user's policy."""
        what = fingerprint(batch)
        text = f"{FORMAT} {what}" + ("" if is_complete(what) else self._session)
        name = sha256(text.encode()).hexdigest()[:24]
        return Slot(self.directory / f"{name}.npz", BatchKey.of(name, batch))

    @contextmanager
    def shown(self) -> Iterator[Path]:
        """A mark for the slots of workers: on another machine a folder of this name may be another,
        and lacks this file."""
        mark = self.directory.resolve() / f".{uuid4().hex}{MARK}"
        mark.touch()
        try:
            yield mark
        finally:
            mark.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove what killed processes left of batches that are finished by now."""
        for path in self.directory.glob("*.npz"):
            _drop_rest(path)
        for path in self.directory.glob(f".*{MARK}"):
            path.unlink(missing_ok=True)


def _drop_rest(finished: Path) -> None:
    for path in finished.parent.glob(f"{finished.stem}.*"):
        if path != finished:
            path.unlink(missing_ok=True)


def write_batch(path: Path, key: BatchKey, result: BatchResult) -> None:
    """Write a finished batch; the file appears when it is complete."""
    facts = asdict(key)
    arrays: dict[str, Any] = vars(result)
    header = json.dumps({"batch": facts, "digest": digest_of(facts, arrays)})
    with replacing(path, "free space or choose another --out") as file:
        np.savez(file, header=np.array(header), **arrays)


def read_batch(path: Path, key: BatchKey) -> BatchResult:
    """The batch of this key, or an error that says what is wrong with the file."""
    most = 8 * sum(map(np.prod, key.shapes.values())) + 4 * len(key.world) + ROOM
    try:
        with reading(path, REMEDY) as file:
            arrays = read_arrays(file, int(most))
        header = json.loads(str(arrays.pop("header")))
        facts = header["batch"]
        require(header["digest"] == digest_of(facts, arrays), "its digest does not match")
        if facts != asdict(key):
            raise OutputError(path, "belongs to another batch", REMEDY)
        _check(key, arrays)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise OutputError(path, f"is damaged ({error})", REMEDY) from error
    return BatchResult(**arrays)


def digest_of(facts: dict[str, object], arrays: dict[str, Array]) -> str:
    """Of everything else in the file."""
    digest = sha256(json.dumps(facts, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _check(key: BatchKey, arrays: dict[str, Array]) -> None:
    """Refuse arrays of the wrong form: anybody can compute a digest."""
    require(arrays.keys() == key.shapes.keys(), "it holds other arrays")
    for name, shape in key.shapes.items():
        array = arrays[name]
        require(array.shape == shape, f"{name} has shape {array.shape}, not {shape}")
        require(array.dtype == np.float64, f"{name} has type {array.dtype}")
    require(np.isfinite(arrays["reward"]).all(), "reward is not finite")
    spent = arrays["seconds"]
    require(np.isfinite(spent).all() and (spent >= 0).all(), "seconds are not times")


def write_play(path: Path, name: str, play: Play) -> None:
    """Write a batch in progress, uncompressed: it is soon written again."""
    write(pack((name, play)), path, MIDWAY_FORMAT, compressed=False)


def read_play(path: Path, name: str, batch: Batch) -> Play:
    """The batch as it was left, if the file is of this very batch."""
    try:
        fresh = Play(batch)
        found = unpack(read(path, MIDWAY_FORMAT), Neighbours(batch, fresh))
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
        raise OutputError(path, problem, REMEDY) from error
    return play


class Neighbours(dict[str, Any]):
    """What a file may name besides our classes: the classes and functions in the batch that will be
    played, and other classes of their modules. All of it is code that runs anyway."""

    def __init__(self, *things: Any) -> None:
        for thing in _within([*things]):
            if not isinstance(thing, FunctionType | type):
                thing = type(thing)
            self[f"{thing.__module__}:{thing.__qualname__}"] = thing
        self._modules = {thing.__module__ for thing in self.values()} - {"builtins"}

    def __missing__(self, name: str) -> Any:
        module = name.partition(":")[0]
        found = find(name) if module in self._modules else None
        if not isinstance(found, type) or found.__module__ != module:
            raise KeyError(name)
        return found


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

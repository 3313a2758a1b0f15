"""Files of finished batches: each says which batch it is and has a digest of its contents."""

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import OutputError
from bandstrap.simulation.batch import Batch, BatchResult, recorded_rounds
from bandstrap.storage.files import reading, replacing
from bandstrap.storage.npz import read_arrays

ROOM = 1 << 22  # bytes by which another batch may be larger and still be read and named
REMEDY = "delete it and run again"


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
        _require(header["digest"] == digest_of(facts, arrays), "its digest does not match")
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise OutputError(path, f"is damaged ({error})", REMEDY) from error
    if facts != asdict(key):
        raise OutputError(path, "belongs to another batch", REMEDY)
    return _checked(path, key, arrays)


def digest_of(facts: dict[str, object], arrays: dict[str, Array]) -> str:
    """Of everything else in the file."""
    digest = sha256(json.dumps(facts, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _checked(path: Path, key: BatchKey, arrays: dict[str, Array]) -> BatchResult:
    """The result, if it has the right form: anybody can compute a digest."""
    try:
        _require(arrays.keys() == key.shapes.keys(), "it holds other arrays")
        for name, shape in key.shapes.items():
            array = arrays[name]
            _require(array.shape == shape, f"{name} has shape {array.shape}, not {shape}")
            _require(array.dtype == np.float64, f"{name} has type {array.dtype}")
        _require(np.isfinite(arrays["reward"]).all(), "reward is not finite")
        spent = arrays["seconds"]
        _require(np.isfinite(spent).all() and (spent >= 0).all(), "seconds are not times")
    except ValueError as error:
        raise OutputError(path, f"is damaged ({error})", REMEDY) from error
    return BatchResult(**arrays)


def _require(right: object, problem: str) -> None:
    if not right:
        raise ValueError(problem)

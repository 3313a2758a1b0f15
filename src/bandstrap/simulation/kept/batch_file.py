"""A finished batch as a file that says which batch it is, with a digest of all that it holds."""

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

ROOM = 1 << 22  # bytes that another batch may be larger: it is named as such, if it is read
REMEDY = "delete it and run again"


@dataclass(frozen=True)
class Identity:
    """Which batch a file holds: `name` is a digest of everything that it depends on."""

    name: str
    policy: str
    world: str
    index: int
    runs: int
    horizon: int

    @classmethod
    def of(cls, name: str, batch: Batch) -> "Identity":
        numbers = int(batch.index), int(batch.runs), int(batch.horizon)
        return cls(name, str(batch.label), batch.world, *numbers)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the arrays in the file."""
        points = recorded_rounds(self.horizon).size
        each = (self.runs, points)
        return {"regret": each, "reward": each, "seconds": (points,)}


def write_batch(path: Path, identity: Identity, result: BatchResult) -> None:
    """Write a finished batch; the file appears when it is complete."""
    facts = asdict(identity)
    arrays: dict[str, Any] = vars(result)
    header = json.dumps({"batch": facts, "digest": digest_of(facts, arrays)})
    with replacing(path, "free space or choose another --out") as file:
        np.savez(file, header=np.array(header), **arrays)


def read_batch(path: Path, identity: Identity) -> BatchResult:
    """The batch of this identity, or an error that says what the file is instead."""
    most = 8 * sum(map(np.prod, identity.shapes.values())) + 4 * len(identity.world) + ROOM
    try:
        with reading(path, REMEDY) as file:
            arrays = read_arrays(file, int(most))
        header = json.loads(str(arrays.pop("header")))
        facts = header["batch"]
        _require(header["digest"] == digest_of(facts, arrays), "its digest is another")
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise OutputError(path, f"is damaged ({error})", REMEDY) from error
    if facts != asdict(identity):
        raise OutputError(path, "belongs to another batch", REMEDY)
    return _checked(path, identity, arrays)


def digest_of(facts: dict[str, object], arrays: dict[str, Array]) -> str:
    """Of everything in the file but itself."""
    digest = sha256(json.dumps(facts, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _checked(path: Path, identity: Identity, arrays: dict[str, Array]) -> BatchResult:
    """The result; whoever can make a digest could still have put anything in."""
    try:
        _require(arrays.keys() == identity.shapes.keys(), "it holds other arrays")
        for name, shape in identity.shapes.items():
            array = arrays[name]
            _require(array.shape == shape, f"{name} has shape {array.shape}, not {shape}")
            _require(array.dtype == np.float64, f"{name} has type {array.dtype}")
        _require(np.isfinite(arrays["reward"]).all(), "reward is not finite")
        spent = arrays["seconds"]
        _require(np.isfinite(spent).all() and (spent >= 0).all(), "seconds are no times")
    except ValueError as error:
        raise OutputError(path, f"is damaged ({error})", REMEDY) from error
    return BatchResult(**arrays)


def _require(right: object, problem: str) -> None:
    if not right:
        raise ValueError(problem)

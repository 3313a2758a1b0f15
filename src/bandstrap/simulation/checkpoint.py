"""Batches on disk, finished and in progress, so that a killed run continues where it was."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from uuid import uuid4
from zipfile import BadZipFile

import numpy as np

from bandstrap.errors import OutputError
from bandstrap.packing import Packed, pack, unpack
from bandstrap.simulation.batch import Batch, BatchResult, Play
from bandstrap.simulation.folder import writable
from bandstrap.simulation.identity import identity

DAMAGE = (BadZipFile, KeyError, ValueError, OSError, EOFError)  # as reading a cut file shows it
MARK = ".mark"
FORMAT = 3  # raise when results of earlier versions may no longer be mixed with new ones


class Checkpoint:
    """One file per batch, named by a digest of everything the batch depends on.

    Finished batches end in `.npz`, those in progress in `.midway`. A file appears under its name
    only when it is complete; a kill leaves at most a `.part`.
    """

    mark: Path | None = None  # a file that is there while workers may write here

    def __init__(self, directory: Path) -> None:
        self.directory = writable(directory)

    def path(self, batch: Batch) -> Path:
        digest = sha256(f"{FORMAT} {identity(batch)}".encode()).hexdigest()[:24]
        return self.directory / f"{digest}.npz"

    def load(self, batch: Batch) -> BatchResult | None:
        """The batch's result if it was finished before."""
        path = self.path(batch)
        if not path.exists():
            return None
        try:
            # Opened here: NumPy would leave a file open whose end is missing.
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                return BatchResult(stored["regret"], stored["reward"], stored["seconds"])
        except DAMAGE as error:
            raise OutputError(path, "is damaged", "delete it and run again") from error

    def save(self, batch: Batch, result: BatchResult) -> None:
        """Keep a finished batch; what was kept of it before goes."""
        arrays = {"regret": result.regret, "reward": result.reward, "seconds": result.seconds}
        _write(self.path(batch), arrays)
        self._drop_rest(self.path(batch))

    def midway(self, batch: Batch) -> Path:
        return self.path(batch).with_suffix(".midway")

    def load_midway(self, batch: Batch) -> Play | None:
        """The batch in progress as it was last saved."""
        path = self.midway(batch)
        if not path.exists():
            return None
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            play: Play = unpack(Packed(arrays, str(arrays.pop("text"))))
        except (*DAMAGE, TypeError, AttributeError) as error:
            raise OutputError(
                path, "is damaged, or from other code", "delete it and run again"
            ) from error
        return play

    def save_midway(self, batch: Batch, play: Play) -> None:
        packed = pack(play)
        _write(self.midway(batch), {**packed.arrays, "text": np.array(packed.text)})

    @contextmanager
    def shown(self) -> Iterator["Checkpoint"]:
        """The checkpoint as workers are given it: elsewhere a folder of this name may be another,
        so a mark that only this one holds tells whether they see it."""
        copied = Checkpoint(self.directory.resolve())
        copied.mark = copied.directory / f".{uuid4().hex}{MARK}"
        copied.mark.touch()
        try:
            yield copied
        finally:
            copied.mark.unlink(missing_ok=True)

    def seen(self) -> bool:
        """Whether this process sees the directory that the checkpoint was made for."""
        return self.mark is not None and self.mark.exists()

    def tidy(self) -> None:
        """Remove what killed processes left of batches that have been finished since."""
        for path in self.directory.glob("*.npz"):
            self._drop_rest(path)
        for path in self.directory.glob(f".*{MARK}"):
            path.unlink(missing_ok=True)

    def _drop_rest(self, finished: Path) -> None:
        for path in self.directory.glob(f"{finished.stem}.*"):
            if path != finished:
                path.unlink(missing_ok=True)


def _write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    # A worker taken for lost may still be writing the same batch: each has a name of its own.
    part = path.with_suffix(f".{uuid4().hex[:8]}.part")
    try:
        with part.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise OutputError(
            path, f"cannot be written ({error.strerror})", "free space or choose another --out"
        ) from error

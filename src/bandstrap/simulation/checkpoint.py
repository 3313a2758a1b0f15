"""Batches on disk, finished and in progress, so that a killed run continues where it was."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import uuid4
from zipfile import BadZipFile

import numpy as np

from bandstrap.errors import OutputError
from bandstrap.packing import Packed, pack, unpack
from bandstrap.simulation.batch import Batch, BatchResult, Play
from bandstrap.simulation.folder import writable
from bandstrap.simulation.identity import identity, seen

DAMAGE = (BadZipFile, KeyError, ValueError, OSError, EOFError)  # as reading a cut file shows it
MARK = ".mark"
FORMAT = 3  # raise when results of earlier versions may no longer be mixed with new ones


@dataclass(frozen=True)
class Slot:
    """Where one batch is kept; workers are given it, as elsewhere a batch may have another name.

    Finished it is in a file that ends in `.npz`, in progress in one that ends in `.midway`. A file
    appears under its name only when it is complete; a kill leaves at most a `.part`.
    """

    path: Path
    mark: Path | None = None  # a file that is there while workers may write here

    @property
    def midway(self) -> Path:
        return self.path.with_suffix(".midway")

    def shown(self, mark: Path) -> "Slot":
        """The slot for workers, which may be started in another folder."""
        return Slot(mark.parent / self.path.name, mark)

    def seen(self) -> bool:
        """Whether this process sees the directory that the slot was made for."""
        return self.mark is not None and self.mark.exists()

    def load(self) -> BatchResult | None:
        """The batch's result if it was finished before."""
        if not self.path.exists():
            return None
        try:
            # Opened here: NumPy would leave a file open whose end is missing.
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                return BatchResult(stored["regret"], stored["reward"], stored["seconds"])
        except DAMAGE as error:
            raise OutputError(self.path, "is damaged", "delete it and run again") from error

    def save(self, result: BatchResult) -> None:
        """Keep a finished batch; what was kept of it before goes."""
        arrays = {"regret": result.regret, "reward": result.reward, "seconds": result.seconds}
        _write(self.path, arrays)
        _drop_rest(self.path)

    def load_midway(self) -> Play | None:
        """The batch in progress as it was last saved."""
        path = self.midway
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

    def save_midway(self, play: Play) -> None:
        packed = pack(play)
        _write(self.midway, {**packed.arrays, "text": np.array(packed.text)})


class Checkpoint:
    """One file per batch, named by a digest of everything the batch depends on.

    A batch of which not all can be seen has a name that no other checkpoint will look for.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = writable(directory)
        self._session = uuid4().hex

    def slot(self, batch: Batch) -> Slot:
        """Where the batch is kept. To be asked before the first round: playing may change what
        a policy of one's own holds."""
        what = identity(batch)
        name = f"{FORMAT} {what}" + ("" if seen(what) else self._session)
        return Slot(self.directory / f"{sha256(name.encode()).hexdigest()[:24]}.npz")

    @contextmanager
    def shown(self) -> Iterator[Path]:
        """A mark for slots that workers are given: elsewhere a folder of this name may be another,
        so a file that only this one holds tells whether they see it."""
        mark = self.directory.resolve() / f".{uuid4().hex}{MARK}"
        mark.touch()
        try:
            yield mark
        finally:
            mark.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove what killed processes left of batches that have been finished since."""
        for path in self.directory.glob("*.npz"):
            _drop_rest(path)
        for path in self.directory.glob(f".*{MARK}"):
            path.unlink(missing_ok=True)


def _drop_rest(finished: Path) -> None:
    for path in finished.parent.glob(f"{finished.stem}.*"):
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

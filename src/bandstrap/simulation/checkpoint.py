"""Finished batches on disk, so that a killed run continues where it was."""

import os
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from zipfile import BadZipFile

import numpy as np

from bandstrap.errors import OutputError
from bandstrap.simulation.batch import Batch, BatchResult

FORMAT = 1  # raise when results of earlier versions may no longer be mixed with new ones


class Checkpoint:
    """One file per finished batch, named by a digest of everything the batch depends on.

    A file appears under its name only when it is complete; a kill leaves at most a `.part`.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        try:
            directory.mkdir(parents=True, exist_ok=True)
            probe = directory / ".writable"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise OutputError(
                directory, f"cannot be written ({error.strerror})", "choose another --out"
            ) from error

    def path(self, batch: Batch) -> Path:
        digest = sha256(f"{FORMAT} {batch!r}".encode()).hexdigest()[:24]
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
        except (BadZipFile, KeyError, ValueError, OSError, EOFError) as error:
            raise OutputError(path, "is damaged", "delete it and run again") from error

    def save(self, batch: Batch, result: BatchResult) -> None:
        path = self.path(batch)
        part = path.with_suffix(".part")
        try:
            with part.open("wb") as file:
                np.savez(file, regret=result.regret, reward=result.reward, seconds=result.seconds)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            raise OutputError(
                path, f"cannot be written ({error.strerror})", "free space or choose another --out"
            ) from error

    def clear(self) -> None:
        """Remove everything: the results have been put together elsewhere."""
        rmtree(self.directory)

"""Batches on disk, finished and in progress, so that a killed run resumes where it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from bandstrap.simulation.batch import Batch, BatchResult, Play
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete
from bandstrap.simulation.store.finished import BatchKey, read_batch, write_batch
from bandstrap.simulation.store.folder import writable
from bandstrap.simulation.store.midway import read_play, write_play

MARK = ".mark"
FORMAT = 4  # raise when results of earlier versions may no longer be mixed with new ones


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

"""Batches on disk, finished and in progress, so that a killed run continues where it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from bandstrap.simulation.batch import Batch, BatchResult, Play
from bandstrap.simulation.kept.batch_file import Identity, read_batch, write_batch
from bandstrap.simulation.kept.folder import writable
from bandstrap.simulation.kept.identity import identity, seen
from bandstrap.simulation.kept.midway import read_play, write_play

MARK = ".mark"
FORMAT = 4  # raise when results of earlier versions may no longer be mixed with new ones


@dataclass(frozen=True)
class Slot:
    """Where one batch is kept; workers are given it, as elsewhere a batch may have another name.

    Finished it is in a file that ends in `.npz`, in progress in one that ends in `.midway`. A file
    appears under its name only when it is complete; a kill leaves at most a `.part`.
    """

    path: Path
    identity: Identity
    mark: Path | None = None  # a file that is there while workers may write here

    @property
    def midway(self) -> Path:
        return self.path.with_suffix(".midway")

    def shown(self, mark: Path) -> "Slot":
        """The slot for workers, which may be started in another folder."""
        return Slot(mark.parent / self.path.name, self.identity, mark)

    def seen(self) -> bool:
        """Whether this process sees the directory that the slot was made for."""
        return self.mark is not None and self.mark.exists()

    def load(self) -> BatchResult | None:
        """The batch's result if it was finished before."""
        return read_batch(self.path, self.identity) if self.path.exists() else None

    def save(self, result: BatchResult) -> None:
        """Keep a finished batch; what was kept of it before goes."""
        write_batch(self.path, self.identity, result)
        _drop_rest(self.path)

    def load_midway(self, batch: Batch) -> Play | None:
        """The batch in progress as it was last saved."""
        return read_play(self.midway, self.identity.name, batch) if self.midway.exists() else None

    def save_midway(self, play: Play) -> None:
        write_play(self.midway, self.identity.name, play)


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
        told = f"{FORMAT} {what}" + ("" if seen(what) else self._session)
        name = sha256(told.encode()).hexdigest()[:24]
        return Slot(self.directory / f"{name}.npz", Identity.of(name, batch))

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

"""Rounds played so far, gathered from batches that are played here or elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from typing import Self

import numpy as np

from bandstrap.arrays import Array
from bandstrap.simulation.progress import ProgressLike

POLL = 0.5  # seconds between two looks at what workers have done


class Board:
    """Rounds played of each batch, in a file that worker processes write to and one reads."""

    def __init__(self, path: Path, batches: int) -> None:
        self.path = path
        self.batches = batches

    @classmethod
    def create(cls, path: Path, batches: int) -> Self:
        path.write_bytes(bytes(8 * batches))
        return cls(path, batches)

    @classmethod
    @contextmanager
    def posted(cls, batches: int) -> Iterator[Self]:
        """A board of this machine, for as long as the context is open."""
        with TemporaryDirectory() as folder:
            yield cls.create(Path(folder) / "rounds", batches)

    def tell(self, batch: int, rounds: int) -> None:
        # On other machines there is no board: what they play counts when it is finished.
        with suppress(FileNotFoundError), self.path.open("r+b") as file:
            file.seek(8 * batch)
            file.write(np.int64(rounds).tobytes())

    def rounds(self) -> Array:
        return np.fromfile(self.path, np.int64)


class Tally:
    """Passes on to a progress bar what each batch has reached, however often it is told."""

    def __init__(self, progress: ProgressLike, batches: int) -> None:
        self.progress = progress
        self._reached = [0] * batches
        self._lock = Lock()

    def reached(self, batch: int, rounds: int) -> None:
        with self._lock:
            more = rounds - self._reached[batch]
            if more > 0:
                self._reached[batch] = rounds
                self.progress.done(more)

    @contextmanager
    def reading(self, board: Board) -> Iterator[None]:
        """Read the board meanwhile, in a thread."""
        over = Event()

        def read() -> None:
            while not over.wait(POLL):
                for batch, rounds in enumerate(board.rounds().tolist()):
                    self.reached(batch, rounds)

        thread = Thread(target=read, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

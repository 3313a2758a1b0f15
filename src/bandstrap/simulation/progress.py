"""Progress: rounds counted over all workers, and a bar that shows them on a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from typing import Protocol, Self

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from bandstrap.arrays import Array

PATIENCE = 2.0  # seconds before the bar says why nothing moves
POLL = 0.5  # seconds between two looks at the workers' board
STARTING = "starting"
COMPILING = "starting (compiles at first use)"


class ProgressLike(Protocol):
    """Anything that takes the number of rounds there are, and of those done."""

    def add(self, rounds: int) -> None: ...

    def done(self, rounds: int) -> None: ...


class Quiet:
    """No bar."""

    def add(self, rounds: int) -> None:
        pass

    def done(self, rounds: int) -> None:
        pass


class _Phase(ProgressColumn):
    """What happens while the bar stands still."""

    def render(self, task: Task) -> Text:
        return Text.assemble((task.description, "bold"), phase(task))


def phase(task: Task) -> str:
    """Before the first round kernels compile; after the last, results are judged."""
    if task.total is None:
        return " computing"
    if task.completed == 0:
        return f" {COMPILING if (task.elapsed or 0.0) > PATIENCE else STARTING}"
    return " finishing" if task.completed >= task.total and task.fields["open"] else ""


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        shown = "" if speed is None else f"{speed:,.{1 if speed < 10 else 0}f} rounds/s"
        return Text(shown, style="progress.data.speed")


class Bar:
    """A progress bar with rate and time left; shows nothing where there is no terminal."""

    def __init__(self, description: str) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            _Phase(),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            _Rate(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task(description, total=None, open=True)
        self._total = 0

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None and not self._total:  # there was nothing to play
            self._progress.update(self._task, total=1, completed=1)
        self._progress.update(self._task, open=False)
        self._progress.stop()

    def add(self, rounds: int) -> None:
        self._total += rounds
        self._progress.update(self._task, total=self._total)

    def done(self, rounds: int) -> None:
        self._progress.update(self._task, advance=rounds)


class Board:
    """Rounds played of each batch, in a file that workers write and this process reads."""

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
        """A board of this machine, as long as the context is open."""
        with TemporaryDirectory() as folder:
            yield cls.create(Path(folder) / "rounds", batches)

    def tell(self, batch: int, rounds: int) -> None:
        # Other machines do not see the board: their batches count when finished.
        with suppress(FileNotFoundError), self.path.open("r+b") as file:
            file.seek(8 * batch)
            file.write(np.int64(rounds).tobytes())

    def rounds(self) -> Array:
        return np.fromfile(self.path, np.int64)


class RoundCounter:
    """Adds up the rounds of all batches for a progress bar; repeats do no harm."""

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
        """Read the board in a thread until the block ends."""
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

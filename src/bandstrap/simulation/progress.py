"""A bar with rate and time left, quiet when nobody is watching."""

from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

STARTING = "starting, the first time compiles for a minute"


class ProgressLike(Protocol):
    """Anything that is told how many rounds there are and how many are done."""

    def add(self, rounds: int) -> None: ...

    def done(self, rounds: int) -> None: ...


class Quiet:
    """No bar."""

    def add(self, rounds: int) -> None:
        pass

    def done(self, rounds: int) -> None:
        pass


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed or 0.0
        return Text(f"{speed:,.0f} rounds/s", style="progress.data.speed")


class Bar:
    """A progress bar on the terminal; shows nothing where there is no terminal."""

    def __init__(self, description: str) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f}%"),
            _Rate(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._description = description
        self._task = self._progress.add_task(f"{description}: {STARTING}", total=0)
        self._total = 0

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def add(self, rounds: int) -> None:
        self._total += rounds
        self._progress.update(self._task, total=self._total)

    def done(self, rounds: int) -> None:
        self._progress.update(self._task, advance=rounds, description=self._description)

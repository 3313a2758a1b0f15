"""A bar with rate and time left, quiet when nobody is watching."""

from types import TracebackType
from typing import Protocol

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

PATIENCE = 2.0  # seconds after which one wonders why nothing moves
STARTING = "starting"
COMPILING = "starting (compiles at first use)"


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


class _Phase(ProgressColumn):
    """What goes on while the bar stands still."""

    def render(self, task: Task) -> Text:
        return Text.assemble((task.description, "bold"), phase(task))


def phase(task: Task) -> str:
    """Before the first round kernels are compiled, after the last one results are looked at."""
    if task.total is None:
        return " computing"
    if task.completed == 0:
        return f" {COMPILING if (task.elapsed or 0.0) > PATIENCE else STARTING}"
    return " finishing" if task.completed >= task.total and task.fields["open"] else ""


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        told = "" if speed is None else f"{speed:,.{1 if speed < 10 else 0}f} rounds/s"
        return Text(told, style="progress.data.speed")


class Bar:
    """A progress bar on the terminal; shows nothing where there is no terminal."""

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None and not self._total:  # nothing was played, and it is done
            self._progress.update(self._task, total=1, completed=1)
        self._progress.update(self._task, open=False)
        self._progress.stop()

    def add(self, rounds: int) -> None:
        self._total += rounds
        self._progress.update(self._task, total=self._total)

    def done(self, rounds: int) -> None:
        self._progress.update(self._task, advance=rounds)

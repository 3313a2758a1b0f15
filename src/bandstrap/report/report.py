"""The parts of a report: an answer, figures, tables, how it was run, notes."""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bandstrap.report.cells import TableCell
from bandstrap.report.curves import Curve, Measure
from bandstrap.simulation.store.evidence import machine
from bandstrap.storage.files import reading
from bandstrap.version import __version__

_SHOWN = ("numpy", "scipy", "numba", "scikit-learn", "pyarrow", "joblib")


@dataclass(frozen=True)
class Run:
    """One call of the command line."""

    command: str
    seed: int
    seconds: float
    versions: tuple[tuple[str, str], ...]
    machine: str

    @classmethod
    def here(cls, command: str, seed: int, seconds: float) -> "Run":
        """A run on this machine, with the installed versions."""
        ours = (("bandstrap", __version__), ("Python", platform.python_version()))
        versions = (*ours, *((name, version(name)) for name in _SHOWN))
        return cls(command, seed, seconds, versions, machine())

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What to show, as names and values."""
        versions = ", ".join(f"{name} {number}" for name, number in self.versions)
        return (
            ("Seed", str(self.seed)),
            ("Time", f"{duration(self.seconds)} for this call; results of earlier ones are reused"),
            ("Machine", self.machine),
            ("Versions", versions),
        )


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(12.34), duration(754), duration(8000)
    ('12.3 seconds', '12 min 34 s', '2 h 13 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} seconds"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


@dataclass(frozen=True)
class Table:
    """Rows that a reader can sort by any column."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]


@dataclass(frozen=True)
class VerdictCount:
    """How many claims have one verdict; the tone (good, part, bad or open) colours it."""

    count: int
    label: str
    tone: str


@dataclass(frozen=True)
class Answer:
    """What comes first: a sentence, counts of verdicts, what is odd (a title and lines), an
    explanation, code, the main table."""

    sentence: str
    table: Table
    counts: tuple[VerdictCount, ...] = ()
    text: str = ""
    code: str = ""
    odd_title: str = ""
    odd: tuple[str, ...] = ()


@dataclass(frozen=True)
class Panel:
    """Curves that share a chart."""

    title: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Figure:
    """Interactive panels, a drawing (PNG), or both; the first measure is shown at first.

    Or a chart that needs no script, as `charts` makes them, with a text about it.
    """

    id: str
    title: str
    panels: tuple[Panel, ...] = ()
    measures: tuple[Measure, ...] = ()
    drawing: bytes = b""
    chart: str = ""
    text: str = ""


@dataclass(frozen=True)
class Note:
    """A decision that readers should know about; the title may be empty."""

    title: str
    text: str


@dataclass(frozen=True)
class Report:
    """The content of one page."""

    title: str
    answer: Answer
    figures: tuple[Figure, ...]
    run: Run
    tables: tuple[Table, ...] = ()
    notes_title: str = ""
    notes: tuple[Note, ...] = ()


def notes_of(lines: Iterable[str]) -> tuple[Note, ...]:
    """Lines as notes; the text before a colon, such as a column's name, is the title.

    >>> notes_of(["age: a number", "90 rows read"])
    (Note(title='age', text='a number'), Note(title='', text='90 rows read'))
    """
    return tuple(Note(*line.split(": ", 1)) if ": " in line else Note("", line) for line in lines)


def picture(path: Path) -> bytes:
    """The PNG in a file."""
    with reading(path, "run again") as file:
        return file.read()

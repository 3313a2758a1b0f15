"""What a report holds, whatever it reports: an answer, figures, tables, how it was run, notes."""

from dataclasses import dataclass

from bandstrap.report.cells import Cell
from bandstrap.report.curves import Curve, Measure
from bandstrap.report.run import Run


@dataclass(frozen=True)
class Table:
    """Rows that a reader can sort by any column."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Tally:
    """How many answers are of one kind; the tone colours it (good, part, bad or open)."""

    count: int
    label: str
    tone: str


@dataclass(frozen=True)
class Answer:
    """What comes first: a sentence, what it counts, the code that follows from it, the ranking."""

    sentence: str
    table: Table
    tallies: tuple[Tally, ...] = ()
    text: str = ""
    code: str = ""


@dataclass(frozen=True)
class Panel:
    """Curves that share a chart."""

    title: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Figure:
    """Panels that respond, a drawing (PNG) that does not, or both; the first measure is shown."""

    id: str
    title: str
    panels: tuple[Panel, ...] = ()
    measures: tuple[Measure, ...] = ()
    drawing: bytes = b""


@dataclass(frozen=True)
class Note:
    """A decision that readers should know of; it may have no title."""

    title: str
    text: str


@dataclass(frozen=True)
class Report:
    """One page."""

    title: str
    answer: Answer
    figures: tuple[Figure, ...]
    run: Run
    tables: tuple[Table, ...] = ()
    notes_title: str = ""
    notes: tuple[Note, ...] = ()

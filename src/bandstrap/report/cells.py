"""Cells of a report's tables: each kind has its HTML and what it is sorted by."""

from dataclasses import dataclass
from html import escape
from typing import ClassVar, Protocol

from bandstrap.printable import printable_lines


def escaped(text: str) -> str:
    r"""The text as HTML for elements and attributes: no tags, no control characters.

    >>> escaped("a <b> \x1b[31m")
    'a &lt;b&gt; \\x1b[31m'
    """
    return escape(printable_lines(text))


class TableCell(Protocol):
    """A cell of a table; the heading of its column has the same kind."""

    kind: ClassVar[str]

    def html(self) -> str:
        """The whole `td`."""


@dataclass(frozen=True)
class TextCell:
    """Words; a single one, such as the name of a policy, is not broken at its hyphens.

    >>> TextCell("wb-log").html()
    '<td class="word">wb-log</td>'
    """

    kind: ClassVar[str] = "text"
    text: str

    def html(self) -> str:
        word = "" if " " in self.text else ' class="word"'
        return f"<td{word}>{escaped(self.text)}</td>"


@dataclass(frozen=True)
class ExplainedCell:
    """A name, and below it what it means.

    >>> ExplainedCell("wb", "Weighted bootstrap.").html()
    '<td data-sort="wb" class="explained"><b>wb</b><small>Weighted bootstrap.</small></td>'
    """

    kind: ClassVar[str] = "text"
    text: str
    meaning: str

    def html(self) -> str:
        name, meaning = escaped(self.text), escaped(self.meaning)
        return (
            f'<td data-sort="{name}" class="explained"><b>{name}</b><small>{meaning}</small></td>'
        )


@dataclass(frozen=True)
class Badge:
    """A verdict: a word, a tone (good, part, bad or open), its rank for sorting, and whose it is.

    >>> Badge("reproduced", "good", 0, "this run").html()
    '<td data-sort="0" data-label="this run"><span class="badge good">reproduced</span></td>'
    """

    kind: ClassVar[str] = "text"
    text: str
    tone: str
    rank: int
    label: str

    def html(self) -> str:
        badge = f'<span class="badge {self.tone}">{escaped(self.text)}</span>'
        return f'<td data-sort="{self.rank}" data-label="{escaped(self.label)}">{badge}</td>'


@dataclass(frozen=True)
class Folded:
    """A sentence, with more that opens on click and in print: labels, and what they unfold to."""

    kind: ClassVar[str] = "prose"
    text: str
    folds: tuple[tuple[str, str], ...]

    def html(self) -> str:
        text = escaped(self.text)
        more = "".join(
            f"<details><summary>{escaped(label)}</summary><p>{escaped(unfolded)}</p></details>"
            for label, unfolded in self.folds
        )
        return f'<td class="prose" data-sort="{text}">{text}{more}</td>'


@dataclass(frozen=True)
class NumberCell:
    """A formatted number, sorted by its value.

    >>> NumberCell(0.68423, "0.6842").html()
    '<td class="number" data-sort="0.68423">0.6842</td>'
    """

    kind: ClassVar[str] = "number"
    value: float
    shown: str

    def html(self) -> str:
        return f'<td class="number" data-sort="{self.value!r}">{escaped(self.shown)}</td>'

"""Decisions told as lines, as notes of a report."""

from collections.abc import Iterable

from bandstrap.report.report import Note


def noted(lines: Iterable[str]) -> tuple[Note, ...]:
    """What stands before a colon, such as a column's name, is the note's title.

    >>> noted(["age: a number", "90 rows read"])
    (Note(title='age', text='a number'), Note(title='', text='90 rows read'))
    """
    return tuple(_note(line) for line in lines)


def _note(line: str) -> Note:
    title, colon, text = line.partition(": ")
    return Note(title, text) if colon else Note("", line)

"""Logs in tables: CSV, Parquet, Arrow, frames."""

from typing import Any

from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.columns import NONE, LogColumns
from bandstrap.evaluation.logs.formats.open_bandit import is_open_bandit, read_open_bandit
from bandstrap.evaluation.logs.formats.own_table import is_own, read_own_table
from bandstrap.evaluation.logs.formats.rows import of_rows
from bandstrap.evaluation.logs.gathering import Options
from bandstrap.tables.source import Rows, rows_of, title_of
from bandstrap.tables.text import ANY_BYTE, NotUnicodeError


def read_table(source: Any, told: LogColumns, options: Options) -> Feedback:
    """A log in a table, whose columns are found by their names unless they are told."""
    try:
        return _recognised(rows_of(source), title_of(source), told, options)
    except NotUnicodeError:
        return _recognised(rows_of(source, ANY_BYTE), title_of(source), told, options)


def _recognised(rows: Rows, title: str, told: LogColumns, options: Options) -> Feedback:
    """Tables of ours, and of Open Bandit, say what they are by the names of their columns."""
    names = rows.schema.names
    untold = not told.given or told.given == {"propensity": NONE}
    if untold and is_own(names):
        return read_own_table(rows, title, told, options)
    if untold and is_open_bandit(names):
        return read_open_bandit(rows, title, told, options)
    return of_rows(rows, title, told, options)

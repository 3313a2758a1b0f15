"""Logs in tables: CSV, Parquet, Arrow, frames."""

from typing import Any

import pyarrow as pa

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.arms import ArmNames
from bandstrap.evaluation.logs.columns import LogColumns
from bandstrap.evaluation.logs.gathering import EMPTY, Gathered, Options, feedback_of, sample_of
from bandstrap.evaluation.logs.guessing import guess
from bandstrap.tables.source import Rows, rows_of, title_of
from bandstrap.tables.text import ANY_BYTE, NotUnicodeError


def read_table(source: Any, told: LogColumns, options: Options) -> Feedback:
    """A log in a table, whose columns are found by their names unless they are told."""
    try:
        return of_rows(rows_of(source), title_of(source), told, options)
    except NotUnicodeError:
        return of_rows(rows_of(source, ANY_BYTE), title_of(source), told, options)


def of_rows(rows: Rows, title: str, told: LogColumns, options: Options) -> Feedback:
    told.check(rows.schema.names)
    options.reading.check(rows.schema.names)
    sample = options.reading.rows(sample_of(rows))
    if sample.num_rows == 0:
        raise InvalidInput("log", title, EMPTY)
    found = guess(sample, told)
    log = Gathered(
        title,
        rows,
        found.layout,
        ArmNames(options.arms),
        found.notes,
        chosen_context=found.chosen_context,
    )
    return feedback_of(log, options, sample)

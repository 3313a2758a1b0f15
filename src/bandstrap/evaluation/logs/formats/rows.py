"""Rows with any columns as a log: their names tell what they hold."""

from collections.abc import Sequence
from dataclasses import replace

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.arms import ArmNames
from bandstrap.evaluation.logs.columns import NONE, LogColumns
from bandstrap.evaluation.logs.gathering import EMPTY, Gathered, Options, feedback_of, sample_of
from bandstrap.evaluation.logs.guessing import guess
from bandstrap.tables.source import Rows


def of_rows(
    rows: Rows,
    title: str,
    told: LogColumns,
    options: Options,
    line: str = NONE,
    notes: Sequence[str] = (),
) -> Feedback:
    """The rows of a table; `line` is the column that has the lines of a file, if there is one."""
    told.check(rows.schema.names)
    options.reading.check(rows.schema.names)
    sample = sample_of(rows).drop_columns([*options.reading.dropped])
    if sample.num_rows == 0:
        raise InvalidInput("log", title, EMPTY)
    found = guess(sample.drop_columns([line]) if line != NONE else sample, told)
    log = Gathered(
        title,
        rows,
        replace(found.layout, line=line),
        ArmNames(options.arms),
        (*notes, *found.notes),
        keep=found.chosen_context,
    )
    return feedback_of(log, options, sample)

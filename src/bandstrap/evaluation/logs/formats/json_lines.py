"""Logs of JSON lines: an object for each decision, nested or not."""

import json
from pathlib import Path

import pyarrow as pa

from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.columns import LogColumns
from bandstrap.evaluation.logs.formats.rows import of_rows
from bandstrap.evaluation.logs.gathering import Options
from bandstrap.evaluation.logs.lines import Lines, Record
from bandstrap.evaluation.logs.spill import Spill
from bandstrap.evaluation.logs.stage import LINE, Stage, flattened
from bandstrap.tables.roles import ALLOWED, words_in
from bandstrap.tables.source import title_of


def read_json_lines(path: Path, told: LogColumns, options: Options) -> Feedback:
    """Objects become rows: what is nested has its path for a name, as in context.age."""
    lines = Lines(path, options.bad_lines)
    stage = Stage(Spill(options.memory), {LINE: pa.int64()})
    for number, record in lines:
        try:
            stage.append({LINE: number, **_row(record, told)})
        except OverflowError:
            lines.refuse(number, "a number is too large")
    return of_rows(stage.table(), title_of(path), told, options, LINE, lines.notes)


def _row(record: Record, told: LogColumns) -> Record:
    found: Record = {}
    for name, value in record.items():
        if type(value) is list and (name == told.allowed or words_in(name) & ALLOWED):
            found[name] = json.dumps(value)
        else:
            flattened(value, name, found)
    return found

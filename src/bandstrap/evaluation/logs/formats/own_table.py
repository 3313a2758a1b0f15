"""Tables that were made from our own logs, by `bandstrap log`."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.arms import ArmNames
from bandstrap.evaluation.logs.columns import NONE, Layout, LogColumns
from bandstrap.evaluation.logs.formats.own import DEFERRED, MISSING, PREFIX
from bandstrap.evaluation.logs.gathering import Gathered, Options, feedback_of
from bandstrap.tables.source import Rows

FIELDS = {"arm", "allowed", "reward", "propensity", "weight", "weight_error", "outcome", "digest"}
DROPPED = "dropped"


def is_own(names: list[str]) -> bool:
    """Whether a table has the columns of one of ours."""
    return set(names) >= FIELDS


def read_own_table(rows: Rows, title: str, told: LogColumns, options: Options) -> Feedback:
    """The decisions of such a table, without those that were dropped."""
    names = rows.schema.names
    context = tuple(name for name in names if name.startswith(PREFIX))
    none = told.propensity == NONE
    layout = Layout(
        "arm",
        "reward",
        NONE if none else "propensity",
        NONE if none else "weight",
        "allowed",
        time="time" if "time" in names else NONE,
        id="id" if "id" in names else NONE,
        matrix="context" if "context" in names else NONE,
        context=context,
    )
    log = Gathered(
        title,
        Rows(rows.schema, lambda: _kept(rows)),
        layout,
        ArmNames(options.arms),
        ("A table of our own: its columns are known.",),
        titles={name: name.removeprefix(PREFIX) for name in context},
        keep=True,
        seconds=True,
        merged=True,
        no_propensity=DEFERRED,
        missing_propensity=MISSING,
    )
    options.reading.check([*map(str, log.titles.values())])
    return feedback_of(log, options)


def _kept(rows: Rows) -> Iterator[pa.RecordBatch]:
    for piece in rows.pieces():
        dropped = pc.equal(piece.column("outcome"), DROPPED).fill_null(False)
        yield piece.filter(pc.invert(dropped))

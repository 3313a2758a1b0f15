"""Logs of past decisions, of whatever format, as `Feedback`."""

from collections.abc import Iterable
from typing import Any

from bandstrap.bandit.decision import Arm
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.columns import LogColumns
from bandstrap.evaluation.logs.formats.dsjson_writing import write_dsjson
from bandstrap.evaluation.logs.formats.recognising import read
from bandstrap.evaluation.logs.gathering import AS_IT_IS, Options
from bandstrap.evaluation.logs.spill import LIMIT
from bandstrap.problem import Support
from bandstrap.tables.reading import Reading
from bandstrap.validation import require_whole

__all__ = ["LogColumns", "read_log", "write_dsjson"]


def read_log(
    source: Any,
    *,
    context: Iterable[str] | None = None,
    arm: str | None = None,
    reward: str | None = None,
    propensity: str | None = None,
    weight: str | None = None,
    allowed: str | None = None,
    time: str | None = None,
    id: str | None = None,  # noqa: A002
    count: str | None = None,
    arms: Iterable[Arm] | None = None,
    rewards: Support | None = None,
    reading: Reading = AS_IT_IS,
    bad_lines: int = 0,
    memory: int = LIMIT,
    sort: bool = False,
) -> Feedback:
    """Read a log of past decisions, from whatever it was written by.

    `source` is a path, a frame or an object, recognised by what it holds:

    * a table: CSV, Parquet, Arrow, pandas, polars, JSON lines. Name the columns of the `arm` that
      was chosen, its `reward`, its `propensity`, the `allowed` arms (lists, or text as in a|b),
      the `time`, the `id` and the `count` of decisions that a row stands for. What is not named is
      guessed from the names; "" says that there is none. `context` names what a policy may look
      at: by default all columns that are left, but for identifiers, dates, other outcomes, and
      what says nothing. `notes` of the result say what was guessed and left out.
    * a decision log of ours: its path, a `LogFile`, a `DecisionStore`, or the table made of it.
    * Vowpal Wabbit's dsjson.
    * the Open Bandit data: its CSV files; or "open_bandit_small:random/all", a log in a file of
      arrays in the data folder, or "path.npz:random/all".
    * a dict, as obp hands feedback over.

    Numbers stay as they are. Words have an indicator each, missing values too; `Feedback.context`
    has contexts as they were given. `arms` are all there are, by default those that the log has;
    names that are whole numbers become numbers. `rewards` may lie anywhere unless you declare a
    `Support`; missing ones are NaN. `reading` has decimal marks and columns to drop.

    A log with anything wrong is refused, in a sentence that has the first place and the number of
    places. So is JSON with a bad line, unless up to `bad_lines` of them may be left out, and a log
    that is not in the order of its times, unless `sort`; decision logs of ours are always sorted,
    as several processes may write one. More than `memory` bytes of columns go to temporary files,
    from which arrays are mapped.

    >>> import pyarrow as pa
    >>> log = pa.table({"age": [31, 45], "variant": ["a", "b"], "clicked": [0, 1]})
    >>> feedback = read_log(log)
    >>> feedback.arms, feedback.rewards.tolist(), feedback.context(0)
    (('a', 'b'), [0.0, 1.0], {'age': 31.0})
    >>> print(feedback.notes[0])
    Arm: column 'variant', by its name.
    """
    require_whole(0, bad_lines=bad_lines, memory=memory)
    columns = LogColumns(
        arm, reward, propensity, weight, allowed, time, id, count,
        None if context is None else tuple(context),
    )  # fmt: skip
    options = Options(arms, rewards, reading, bad_lines, memory, sort)
    return read(source, columns, options)

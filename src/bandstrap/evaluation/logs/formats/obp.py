"""Feedback of obp, the Open Bandit Pipeline: a dict of arrays.

Each position of a list that was shown is a decision of its own with a propensity of its own, as
there; where there are several, the position is the last column of the context.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.arms import ArmNames
from bandstrap.evaluation.logs.columns import NONE, Layout, LogColumns
from bandstrap.evaluation.logs.gathering import EMPTY, Gathered, Options, feedback_of
from bandstrap.tables.source import table_rows
from bandstrap.validation import is_whole

UNUSED = {
    "action_context": "features of arms",
    "expected_reward": "expected rewards, which no log has",
}
CLOSE = 1e-4  # relative: one of two probabilities may have been rounded
SUMS = 1e-6  # by how much probabilities may miss 1


def is_obp(source: Any) -> bool:
    return isinstance(source, Mapping) and {"action", "reward"} <= source.keys()


def read_obp(source: Mapping[str, Any], told: LogColumns, options: Options) -> Feedback:
    """A log as obp's policies and data sets hand it over."""
    actions = _whole(source, "action")
    rows = len(actions)
    if rows == 0:
        raise InvalidInput("log", "obp", EMPTY)
    count = _actions(source, actions)
    arms = range(count) if options.arms is None else [*options.arms]
    if len(arms) != count:
        raise InvalidInput("arms", len(arms), f"the log has {count} actions; name each")
    names = ArmNames(arms)
    texts = np.array([str(arm) for arm in names.arms])
    columns: dict[str, Any] = {"arm": texts[actions], "reward": _column(source, "reward", rows)}
    layout: dict[str, Any] = {}
    if source.get("pscore") is not None and told.propensity != NONE:
        columns["propensity"], layout["propensity"] = _column(source, "pscore", rows), "propensity"
    notes = [
        f"{each}: left out, {why}." for each, why in UNUSED.items() if source.get(each) is not None
    ]
    position = _position(source, rows)
    if position is not None:
        notes.append("Several positions: each is a decision, and the last column of its context.")
    context = _context(source, rows, position)
    if context is not None:
        columns["context"], layout["matrix"] = context, "context"
    spread = _probabilities(source, rows, count, position)
    if spread is not None and "propensity" in layout:
        _check_same(columns["propensity"], spread[np.arange(rows), actions])
        columns |= {"menu": pa.array(np.zeros(rows, np.int64)), "p": _lists(spread)}
        layout |= {"allowed": "menu", "probabilities": "p"}
    table = pa.table({name: _arrow(each) for name, each in columns.items()})
    log = Gathered(
        "obp",
        table_rows(table),
        Layout("arm", "reward", **layout),
        names,
        tuple(notes),
        menus=(tuple(texts.tolist()),),
    )
    options.reading.check([])
    return feedback_of(log, options)


def _arrow(column: Any) -> Any:
    return column if isinstance(column, pa.Array) else pa.array(column, from_pandas=True)


def _actions(source: Mapping[str, Any], actions: Array) -> int:
    """How many arms there are."""
    count = source.get("n_actions", int(actions.max()) + 1)
    if not is_whole(count) or count < 1:
        raise InvalidInput("n_actions", count, "give a whole number, 1 or more")
    bad = np.flatnonzero((actions < 0) | (actions >= count))
    if bad.size:
        remedy = f"is not an arm; they are 0 to {count - 1} ({bad.size:,} of {len(actions):,} rows)"
        raise InvalidInput(f"action, row {bad[0] + 1:,}", int(actions[bad[0]]), remedy)
    return int(count)


def _numbers(source: Mapping[str, Any], name: str) -> Array:
    try:
        return np.asarray(source[name], np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(name, source[name], "give an array of numbers") from error


def _column(source: Mapping[str, Any], name: str, rows: int) -> Array:
    values = _numbers(source, name)
    if values.shape != (rows,):
        remedy = f"give one for each of the {rows:,} actions"
        raise InvalidInput(name, f"shape {values.shape}", remedy)
    return values


def _whole(source: Mapping[str, Any], name: str) -> Array:
    values = _numbers(source, name)
    if values.ndim != 1 or not (values == np.rint(values)).all():
        raise InvalidInput(name, source[name], "give a list of whole numbers")
    return values.astype(np.int64)


def _position(source: Mapping[str, Any], rows: int) -> Array | None:
    """The position of each decision, if they differ."""
    if source.get("position") is None:
        return None
    position = _column(source, "position", rows)
    return position if (position != position[0]).any() else None


def _context(source: Mapping[str, Any], rows: int, position: Array | None) -> pa.Array | None:
    parts = []
    if source.get("context") is not None:
        context = _numbers(source, "context")
        if context.ndim != 2 or len(context) != rows:
            remedy = f"give a row for each of the {rows:,} actions"
            raise InvalidInput("context", f"shape {context.shape}", remedy)
        parts.append(context)
    if position is not None:
        parts.append(position[:, None])
    whole = np.concatenate(parts, axis=1) if parts else np.zeros((rows, 0))
    return _lists(whole) if whole.shape[1] else None


def _lists(matrix: Array) -> pa.Array:
    flat = pa.array(np.ascontiguousarray(matrix).ravel())
    offsets = pa.array(np.arange(len(matrix) + 1, dtype=np.int64) * matrix.shape[1])
    return pa.LargeListArray.from_arrays(offsets, flat)


def _probabilities(
    source: Mapping[str, Any], rows: int, count: int, position: Array | None
) -> Array | None:
    """Those of all arms, where the log tells them, at the position of the decision."""
    if source.get("pi_b") is None:
        return None
    told = _numbers(source, "pi_b")
    told = told[:, :, None] if told.ndim == 2 else told
    if told.ndim != 3 or told.shape[:2] != (rows, count):
        remedy = f"give {rows:,} rows of {count} probabilities"
        raise InvalidInput("pi_b", f"shape {told.shape}", remedy)
    at = np.zeros(rows, np.int64) if told.shape[2] == 1 else _whole(source, "position")
    if at.shape != (rows,) or at.min() < 0 or at.max() >= told.shape[2]:
        raise InvalidInput("position", f"{at.min()} to {at.max()}", f"there are {told.shape[2]}")
    found: Array = told[np.arange(rows), :, at]
    if not (found >= 0).all() or np.abs(found.sum(axis=1) - 1).max() > SUMS:
        raise InvalidInput("pi_b", "probabilities", "give some of at least 0 with sum 1")
    return found


def _check_same(propensities: Array, told: Array) -> None:
    bad = np.flatnonzero(~np.isclose(propensities, told, rtol=CLOSE, atol=0.0))
    if bad.size:
        value = float(propensities[bad[0]])
        remedy = f"pi_b says {told[bad[0]]:.6g} of that action ({bad.size:,} of {len(told):,} rows)"
        raise InvalidInput(f"pscore, row {bad[0] + 1:,}", value, remedy)

"""A log as a table: a row for each decision, with its reward."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bandstrap.bandit.log.file import Log, Record, log_to_read
from bandstrap.errors import BandstrapError, OutputError
from bandstrap.storage.files import replacing

__all__ = ["log_table", "write_parquet"]

FIELDS: dict[str, Any] = {
    "id": pa.string(), "bandit": pa.string(), "number": pa.int64(), "time": pa.float64(),
    "arm": None, "allowed": None, "propensity": pa.float64(), "weight": pa.float64(),
    "method": pa.string(), "error": pa.float64(), "weight_error": pa.float64(),
    "learnt": pa.int64(), "control": pa.bool_(), "policy": pa.string(), "digest": pa.string(),
    "outcome": pa.string(), "reward": pa.float64(), "reward_weight": pa.float64(),
    "reward_time": pa.float64(),
}  # fmt: skip
OUTCOMES = {"reward": "reward", "expiry": "expired", "drop": "dropped"}
WAITING = "waiting"


def log_table(log: Log | str | Path) -> pa.Table:
    """The decisions of a log, in order, as an Arrow table.

    `outcome` is "reward", "expired", "dropped" or "waiting". A context is a column of each of its
    names, as in `context.age`, or a list of numbers in the column `context`. Rewards that were
    learnt without a decision are left out.

    >>> from tempfile import mkdtemp
    >>> from bandstrap import Bandit, Bootstrap
    >>> bandit = Bandit(Bootstrap(), ["red", "green"], seed=1, log=Path(mkdtemp()) / "log")
    >>> bandit.learn(bandit.decide(), reward=1.0)
    >>> log_table(bandit.log).select(["outcome", "reward"]).to_pylist()
    [{'outcome': 'reward', 'reward': 1.0}]
    """
    source = log_to_read(log)
    try:
        return _table(_rows(source))
    except BandstrapError:
        raise
    except Exception as error:  # whatever a record of another shape leads to
        problem = f"holds what no log of decisions does ({error})"
        where = getattr(source, "path", type(source).__name__)
        raise OutputError(where, problem, "take another copy of it") from error


def _rows(log: Log) -> list[Record]:
    """Decisions, each with what became of it."""
    rows: dict[Any, Record] = {}
    for told in log.read():
        if told.get("event") == "decision":
            rows[told.get("id")] = {**told, "outcome": WAITING}
        elif told.get("event") in OUTCOMES and told.get("id") in rows:
            row = rows[told["id"]]
            row["outcome"] = OUTCOMES[told["event"]]
            if told.get("reward") is not None:
                row["reward"], row["reward_time"] = told["reward"], told.get("time")
                row["reward_weight"] = told.get("weight", 1.0)
    return [*rows.values()]


def write_parquet(log: Log | str | Path, path: str | Path) -> int:
    """Write the decisions of a log to a Parquet file; returns how many."""
    table = log_table(log)
    with replacing(Path(path)) as file:
        pq.write_table(table, file, compression="zstd")
    return int(table.num_rows)


def _table(rows: list[Record]) -> pa.Table:
    columns = {name: _column(name, [row.get(name) for row in rows]) for name in FIELDS}
    return pa.table({**columns, **_contexts([row.get("context") for row in rows])})


def _column(name: str, values: list[Any]) -> pa.Array:
    if FIELDS[name] is not None:
        return pa.array(values, FIELDS[name])
    # Arms: numbers if all of them are, else text.
    some = [each for value in values for each in (value if isinstance(value, list) else [value])]
    arms = [arm for arm in some if arm is not None]
    kind = pa.int64() if arms and all(type(arm) is int for arm in arms) else pa.string()
    if name == "arm":
        return pa.array([_as(kind, arm) for arm in values], kind)
    many = [None if each is None else [_as(kind, arm) for arm in each] for each in values]
    return pa.array(many, pa.list_(kind))


def _contexts(contexts: list[Any]) -> dict[str, pa.Array]:
    named = [_named(context) for context in contexts]
    names = dict.fromkeys(name for context in named for name in context)
    made = {f"context.{name}": _values([context.get(name) for context in named]) for name in names}
    rows = [context if _is_row(context) else None for context in contexts]
    if any(row is not None for row in rows):
        made["context"] = pa.array(rows, pa.list_(pa.float64()))
    return made


def _is_row(context: Any) -> bool:
    return isinstance(context, list) and not (context and isinstance(context[0], list))


def _named(context: Any) -> dict[str, Any]:
    """A context by names; empty for rows."""
    if isinstance(context, dict):
        return context
    if isinstance(context, list) and not _is_row(context):
        return {str(name): value for name, value in context}
    return {}


def _values(values: Iterable[Any]) -> pa.Array:
    """As they are if they are of one kind, else as text."""
    given = [*values]
    kinds = {type(value) for value in given if value is not None}
    if kinds <= {float, int}:
        return pa.array(given, pa.float64())
    if len(kinds) > 1:
        given = [None if value is None else str(value) for value in given]
    return pa.array(given)


def _as(kind: Any, arm: Any) -> Any:
    return arm if arm is None or kind == pa.int64() else str(arm)

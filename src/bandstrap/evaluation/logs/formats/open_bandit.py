"""The Open Bandit data: its CSV files, and the small version of all six logs in one .npz file.

A list of three items was shown at once. Each position is a decision of its own with a propensity of
its own, as in obp, and the position is a column of the context.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.datasets.raw import ANY, TIMES
from bandstrap.errors import OutputError, UnknownName
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.columns import LogColumns
from bandstrap.evaluation.logs.formats.rows import of_rows
from bandstrap.evaluation.logs.gathering import Options
from bandstrap.storage.files import reading
from bandstrap.storage.npz import NoArrays, read_arrays
from bandstrap.tables.source import Rows, table_rows

NAMES = {"item_id", "position", "click", "propensity_score"}
AFFINITY = re.compile(r"user-item_affinity_(\d+)")
FEATURE = "user_feature_"  # codes of words, which have no order
ENDING = "_item_id"
REMEDY = "give a file of Open Bandit logs, by np.savez"
COLUMNS = LogColumns("item_id", "click", "propensity_score", time="timestamp")


def is_open_bandit(names: list[str]) -> bool:
    """Whether a table has the columns of an Open Bandit log."""
    return set(names) >= NAMES


def arms_of(names: list[str]) -> list[int] | None:
    """All items, of which the log may not have shown each: every one has an affinity."""
    found = sorted(int(each[1]) for each in map(AFFINITY.fullmatch, names) if each)
    return found or None


def read_npz_log(path: Path, name: str | None, told: LogColumns, options: Options) -> Feedback:
    """One of the logs in a file, as random/all."""
    arrays = _arrays(path)
    logs = sorted(key[: -len(ENDING)].replace("_", "/") for key in arrays if _is_log(key, arrays))
    if name is None and len(logs) > 1:
        example = f"{path.stem}:{logs[0]}"
        problem = f"holds {len(logs)} logs ({', '.join(logs)})"
        raise OutputError(path, problem, f"name one, as in {example}")
    name = logs[0] if name is None and logs else name
    if name not in logs:
        raise UnknownName("log", name, logs) if logs else OutputError(path, "has no log", REMEDY)
    try:
        table = _table(arrays, name.replace("/", "_"))
    except (KeyError, ValueError, IndexError, TypeError, pa.ArrowException) as error:
        raise OutputError(path, f"has a log that is not whole ({error})", REMEDY) from error
    items = arrays.get(f"{name.partition('/')[2]}{ENDING}")
    return read_open_bandit(table_rows(table), f"{path.stem}:{name}", told, options, items)


def read_open_bandit(
    rows: Rows, title: str, told: LogColumns, options: Options, items: Array | None = None
) -> Feedback:
    """A log in a table; `items` are all that there are."""
    names = rows.schema.names
    arms = options.arms
    if arms is None:
        arms = arms_of(names) if items is None else items.tolist()
    words = {name: "text" for name in names if name.startswith(FEATURE)}
    reading = replace(options.reading, kinds={**words, **options.reading.kinds})
    columns = replace(COLUMNS, **told.given)
    if "timestamp" not in names:
        columns = replace(columns, time=None)
    return of_rows(rows, title, columns, replace(options, arms=arms, reading=reading))


def _is_log(key: str, arrays: dict[str, Array]) -> bool:
    return key.endswith(ENDING) and f"{key[: -len(ENDING)]}_click" in arrays


def _arrays(path: Path) -> dict[str, Array]:
    try:
        with reading(path) as file:
            size = file.seek(0, 2)
            file.seek(0)
            return read_arrays(file, max(ANY, TIMES * size))
    except NoArrays as error:
        raise OutputError(path, f"is cut off or not a log ({error})", REMEDY) from error


def _table(arrays: dict[str, Array], log: str) -> pa.Table:
    """The columns that the CSV files have."""
    columns: dict[str, Any] = {}
    if f"{log}_timestamp" in arrays:
        columns["timestamp"] = pa.array(arrays[f"{log}_timestamp"]).cast(pa.timestamp("us", "UTC"))
    for name in ("item_id", "position", "click", "propensity_score"):
        columns[name] = arrays[f"{log}_{name}"]
    features = arrays.get(f"{log}_user_features", np.zeros((len(columns["click"]), 0)))
    for j, codes in enumerate(features.T):
        columns[f"{FEATURE}{j}"] = [str(code) for code in codes.tolist()]
    affinities = arrays.get(f"{log}_user_item_affinity", np.zeros((len(columns["click"]), 0)))
    for j, values in enumerate(affinities.T):
        columns[f"user-item_affinity_{j}"] = values
    return pa.table(columns)

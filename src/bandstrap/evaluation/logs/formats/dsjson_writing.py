"""A log as Vowpal Wabbit's dsjson."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from math import floor, isnan
from pathlib import Path
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.formats.dsjson import OWN
from bandstrap.evaluation.logs.lines import Record
from bandstrap.evaluation.logs.spill import slices
from bandstrap.storage.files import replacing
from bandstrap.tables.dates import YEAR_FIRST, seconds

TICKS = 10_000_000  # of a Timestamp in a second
LAST = 253_402_300_800  # the year 10000, in seconds


def write_dsjson(feedback: Feedback, path: str | Path) -> int:
    """Write a log as dsjson, which Vowpal Wabbit reads, and return the number of lines.

    Arms are actions with their names as tags; contexts are as they were given. `p` are the
    probabilities of all arms where the log tells them, else that of the chosen arm alone. A
    decision without a reward has no label. What dsjson has no field for, weights that are not the
    inverse propensity and so on, is under the key "bandstrap", which others ignore.

    >>> from tempfile import mkdtemp
    >>> from bandstrap.evaluation.logs import read_log
    >>> log = {"action": [0, 1], "reward": [1.0, 0.5], "pscore": [0.5, 0.25], "n_actions": 2}
    >>> path = Path(mkdtemp()) / "log.dsjson"
    >>> write_dsjson(read_log(log), path)
    2
    >>> read_log(path).rewards.tolist()
    [1.0, 0.5]
    """
    if feedback.propensities is None:
        remedy = "dsjson needs them: estimate them and put them into the log"
        raise InvalidInput("propensities", None, remedy)
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    with replacing(Path(path)) as file:
        for part in slices(len(feedback)):
            lines = [encode(record) for record in _records(feedback, part)]
            file.write("\n".join([*lines, ""]).encode())
    return len(feedback)


def _records(feedback: Feedback, part: slice) -> Iterator[Record]:
    assert feedback.propensities is not None
    actions = [{"_tag": str(arm), "arm": str(arm)} for arm in feedback.arms]
    chosen, rewards = feedback.chosen[part].tolist(), feedback.rewards[part].tolist()
    propensities = feedback.propensities[part].tolist()
    for row, (arm, reward, propensity) in enumerate(
        zip(chosen, rewards, propensities, strict=True)
    ):
        place = part.start + row
        ranked = [arm, *(each for each in _allowed(feedback, place) if each != arm)]
        record = _label(arm, reward, propensity)
        if feedback.times is not None:
            record |= _stamp(float(feedback.times[place]))
        record |= {"Version": "1", "EventId": f"{place + 1}", "a": [each + 1 for each in ranked]}
        record["c"] = {**_features(feedback.context(place)), "_multi": actions}
        record["p"] = _probabilities(feedback, place, ranked, propensity)
        record["VWState"] = {"m": "N/A"}
        own = _own(feedback, place, propensity, record)
        yield {**record, OWN: own} if own else record


def _label(arm: int, reward: float, propensity: float) -> Record:
    if isnan(reward):
        return {}
    cost = {"_label_cost": -reward, "_label_probability": propensity}
    return {**cost, "_label_Action": arm + 1, "_labelIndex": arm}


def _allowed(feedback: Feedback, place: int) -> list[int]:
    if feedback.allowed is None:
        return [*range(len(feedback.arms))]
    found: list[int] = np.flatnonzero(feedback.allowed[place]).tolist()
    return found


def _probabilities(
    feedback: Feedback, place: int, ranked: list[int], propensity: float
) -> list[float]:
    if feedback.probabilities is None:
        return [propensity]
    found: list[float] = feedback.probabilities[place][ranked].tolist()
    return found


def _features(context: Any) -> Record:
    """Numbers and words; what is missing is left out."""
    if context is None:
        return {}
    if isinstance(context, np.ndarray):
        return {str(place): value for place, value in enumerate(context.tolist())}
    return {
        _safe(str(name)): value
        for name, value in context.items()
        if value is not None and value == value
    }


def _safe(name: str) -> str:
    """Names that begin with _ mean something else in dsjson."""
    return f"x{name}" if name.startswith("_") else name


def _stamp(time: float) -> Record:
    if not 0 <= time < LAST:
        return {}
    ticks = round((time - floor(time)) * TICKS)
    whole, ticks = floor(time) + ticks // TICKS, ticks % TICKS
    date = datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return {"Timestamp": f"{date}.{ticks:07d}Z"}


def _own(feedback: Feedback, place: int, propensity: float, record: Record) -> Record:
    """What would not come back otherwise."""
    own: Record = {}
    count = _at(feedback.counts, place)
    if count is not None and count != 1.0:
        own["count"] = count
        if count > 1:
            record["pdrop"] = 1 - 1 / count
    weight = _at(feedback.weights, place)
    if weight is not None and weight != 1 / propensity:
        own["weight"] = weight
    time = _at(feedback.times, place)
    if time is not None and time != seconds(record.get("Timestamp", ""), YEAR_FIRST):
        own["time"] = time
    return own


def _at(column: Array | None, place: int) -> float | None:
    return None if column is None else float(column[place])

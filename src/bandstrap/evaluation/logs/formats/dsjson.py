"""Vowpal Wabbit's dsjson: a decision with its outcome in every line.

The arm that was chosen comes first in `a`, where actions are counted from 1; `p` are the
probabilities in the order of `a`. A reward is the negative `_label_cost`. An event that was kept
with probability 1 - `pdrop` stands for 1 / (1 - pdrop) decisions, as in Vowpal Wabbit.
"""

from math import isclose
from pathlib import Path
from typing import Any

import pyarrow as pa

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.arms import ArmNames, in_order
from bandstrap.evaluation.logs.columns import NONE, Layout, LogColumns
from bandstrap.evaluation.logs.faults import counted
from bandstrap.evaluation.logs.gathering import EMPTY, Gathered, Options, feedback_of
from bandstrap.evaluation.logs.lines import FAULTS, BadLine, Lines, Record
from bandstrap.evaluation.logs.spill import Spill
from bandstrap.evaluation.logs.stage import LINE, NUMBERS, Stage, flattened
from bandstrap.tables.dates import YEAR_FIRST, seconds
from bandstrap.tables.source import title_of

OWN = "bandstrap"  # what dsjson has no field for, in files that we have written
PREFIX = "c."
TYPES = {"id": pa.string(), "time": pa.float64(), "arm": pa.string(), "menu": pa.int64(),
         "reward": pa.float64(), "propensity": pa.float64(), "weight": pa.float64(),
         "count": pa.float64(), "p": NUMBERS, LINE: pa.int64()}  # fmt: skip
OTHERS = {"_outcomes": "it decides several slots", "_label_ca": "its actions are continuous"}
CLOSE = 1e-4  # relative: one of the two may have been rounded
NO_PROPENSITY = "The log has no propensities: neither `p` nor `_label_probability`."


def is_dsjson(record: Record) -> bool:
    """Whether a line may be one of dsjson."""
    labelled = any(name.startswith("_label") for name in record)
    return labelled or {"c", "a"} <= record.keys() or {"c", "p"} <= record.keys()


def read_dsjson(path: Path, told: LogColumns, options: Options) -> Feedback:
    """A log in a file of dsjson."""
    lines = Lines(path, options.bad_lines)
    return _Reading(lines, Spill(options.memory)).feedback(told, options)


class _Reading:
    def __init__(self, lines: Lines, spill: Spill) -> None:
        self._lines, self._stage = lines, Stage(spill, TYPES)
        self._actions: list[Any] = [None, (), {}]  # the last, with names and features
        self._menus: dict[tuple[str, ...], int] = {}
        self._arms: dict[str, None] = {}
        self._skipped = 0
        self._partly = 0  # lines that do not tell the probabilities of all arms
        self._has = dict.fromkeys(("time", "weight", "count"), False)
        self._titles: dict[str, str] = {}

    def feedback(self, told: LogColumns, options: Options) -> Feedback:
        for number, record in self._lines:
            try:
                self._take(number, record)
            except FAULTS as error:
                self._lines.refuse(number, _why(error))
        title = title_of(self._lines.path)
        rows = self._stage.table()
        if not self._stage.rows:
            raise InvalidInput("log", title, EMPTY)
        names = ArmNames(in_order(self._arms) if options.arms is None else options.arms)
        log = Gathered(
            title,
            rows,
            self._layout(told, names),
            names,
            (*self._lines.notes, *self._notes()),
            titles=self._titles,
            seconds=True,
            no_propensity=NO_PROPENSITY,
            menus=tuple(self._menus),
        )
        options.reading.check([*map(str, self._titles.values())])
        return feedback_of(log, options)

    def _layout(self, told: LogColumns, names: ArmNames) -> Layout:
        none = told.propensity == NONE
        context = [name for name in self._stage.types if name.startswith(PREFIX)]
        self._titles = {name: name.removeprefix(PREFIX) for name in context}
        has = {name: name if there else NONE for name, there in self._has.items()}
        return Layout(
            "arm",
            "reward",
            NONE if none else "propensity",
            NONE if none else has["weight"],
            "menu",
            NONE if none or self._partly else "p",
            has["time"],
            "id",
            has["count"],
            LINE,
            context=tuple(context),
        )

    def _notes(self) -> list[str]:
        if not self._skipped:
            return []
        return [f"Left out: {counted(self._skipped, 'line')} with _skipLearn, never shown."]

    def _take(self, number: int, record: Record) -> None:
        if record.get("_skipLearn"):
            self._skipped += 1
            return
        _check_kind(record)
        names, features = self._described(record)
        ranked = _ranked(record, len(names))
        row = {
            LINE: number,
            "id": _text(record.get("EventId")),
            "arm": names[ranked[0] - 1],
            **features,
        }
        row["menu"] = self._menu(names, ranked)
        self._probable(row, record, ranked)
        self._label(row, record)
        flattened(record.get("c") or {}, PREFIX.removesuffix("."), row)
        self._stage.append(row)

    def _menu(self, names: tuple[str, ...], ranked: list[int]) -> int:
        """The number of a set of arms, whose names are in the order of actions."""
        whole = len(ranked) == len(names)
        menu = names if whole else tuple(names[action - 1] for action in sorted(ranked))
        if menu not in self._menus:
            self._arms |= dict.fromkeys(menu)
            self._menus[menu] = len(self._menus)
        return self._menus[menu]

    def _described(self, record: Record) -> tuple[tuple[str, ...], dict[str, Any]]:
        """The names of actions and their features, as of the line before where they are equal."""
        actions = (record.get("c") or {}).get("_multi")
        if actions is None or actions != self._actions[0]:
            count = len(actions or record.get("a") or ())
            names = _names(actions or [], count)
            found: dict[str, Any] = {}
            for name, action in zip(names, actions or (), strict=False):
                flattened(action, f"{PREFIX}{name}", found)
            self._actions = [actions, names, found]
        return self._actions[1], self._actions[2]

    def _probable(self, row: Record, record: Record, ranked: list[int]) -> None:
        """How probable the arm was; and all others, where the line tells."""
        told, own = record.get("p"), record.get("_label_probability")
        if told is None:
            row["propensity"] = _number("_label_probability", own)
            self._partly += 1
            return
        if not 1 <= len(told) <= len(ranked):
            raise BadLine(f"`p` has {len(told)} numbers for {len(ranked)} actions")
        found = [_number("p", each) for each in told]
        row["propensity"] = found[0]
        if own is not None and not isclose(told[0], own, rel_tol=CLOSE):
            raise BadLine(f"`_label_probability` {own} is not the first of `p`, {told[0]}")
        if len(told) == len(ranked):
            row["p"] = [each for _, each in sorted(zip(ranked, found, strict=True))]
        else:
            self._partly += 1

    def _label(self, row: Record, record: Record) -> None:
        cost = _number("_label_cost", record.get("_label_cost"))
        row["reward"] = None if cost is None else 0.0 - cost  # not -0
        own = record.get(OWN) or {}
        row["weight"] = _number("weight", own.get("weight"))
        row["count"] = _count(record.get("pdrop"), own.get("count"))
        row["time"] = _time(record.get("Timestamp"), own.get("time"))
        self._has["weight"] |= row["weight"] is not None
        self._has["count"] |= row["count"] != 1.0
        self._has["time"] |= row["time"] is not None


def _check_kind(record: Record) -> None:
    for name, why in OTHERS.items():
        if name in record:
            raise BadLine(f"{why}, which cannot be evaluated here")
    if "RewardValue" in record:
        raise BadLine("it is a reward for no decision")
    if "a" not in record and "_label_Action" not in record:
        raise BadLine("it has neither `a` nor `_label_Action`")


def _names(actions: list[Any], count: int) -> tuple[str, ...]:
    """Their tags, if all have one of their own; else their numbers."""
    tags: list[Any] = [each.get("_tag") for each in actions if type(each) is dict]
    named = all(type(tag) is str and tag for tag in tags)
    if named and len(tags) == count == len({*tags}):
        return tuple(tags)
    return tuple(map(str, range(1, count + 1)))


def _ranked(record: Record, count: int) -> list[int]:
    """The actions that were allowed, counted from 1; the chosen one first."""
    ranked, chosen = record.get("a"), record.get("_label_Action")
    if ranked is None:
        ranked = [chosen, *(each for each in range(1, count + 1) if each != chosen)]
    if type(ranked) is not list or not {*map(type, ranked)} == {int}:
        raise BadLine("`a` is not a list of actions")
    if min(ranked) < 1 or max(ranked) > count or len({*ranked}) < len(ranked):
        raise BadLine(f"`a` does not rank {count} actions, counted from 1")
    if chosen is not None and chosen != ranked[0]:
        raise BadLine(f"`_label_Action` {chosen!r:.20} is not the first of `a`")
    return ranked


def _number(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if type(value) not in (int, float) or value - value != 0:
        raise BadLine(f"`{name}` {value!r:.40} is not a number")
    return float(value)


def _text(value: Any) -> str | None:
    if value is not None and type(value) not in (str, int):
        raise BadLine(f"`EventId` {value!r:.40} is not text")
    return None if value is None else str(value)


def _count(dropped: Any, own: Any) -> float:
    """How many decisions a line stands for."""
    if own is not None:
        return _number("count", own) or 0.0
    share = _number("pdrop", dropped) or 0.0
    if not 0 <= share < 1:
        raise BadLine(f"`pdrop` {share} is not a probability below 1")
    return 1 / (1 - share)


def _time(stamp: Any, own: Any) -> float | None:
    if own is not None or stamp is None:
        return _number("time", own)
    found = seconds(stamp, YEAR_FIRST) if type(stamp) is str else None
    if found is None:
        raise BadLine(f"`Timestamp` {stamp!r:.40} is not a date")
    return found


def _why(error: Exception) -> str:
    own = isinstance(error, BadLine)
    return f"{error}" if own else f"it is not as dsjson is ({error or type(error).__name__})"

"""Our own decision logs: a file of lines, a log object, a store, or a table made of one."""

import json
import warnings
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.decision import Arm
from bandstrap.bandit.log.file import Log
from bandstrap.errors import BandstrapError, InvalidInput, OutputError
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.logs.arms import ArmNames
from bandstrap.evaluation.logs.columns import NONE, Layout, LogColumns
from bandstrap.evaluation.logs.faults import counted
from bandstrap.evaluation.logs.gathering import Gathered, Options, feedback_of
from bandstrap.evaluation.logs.ids import hashed
from bandstrap.evaluation.logs.lines import FAULTS, BadLine, Line, Lines, Record
from bandstrap.evaluation.logs.spill import Spill
from bandstrap.evaluation.logs.stage import LINE, NUMBERS, Stage
from bandstrap.tables.contexts import Name
from bandstrap.tables.source import Rows

OUTCOMES = {"reward": 0, "expiry": 1, "drop": 2}
DROP = OUTCOMES["drop"]
PREFIX = "context."
TYPES = {"id": pa.string(), "time": pa.float64(), "arm": pa.string(), "menu": pa.int64(),
         "propensity": pa.float64(), "weight": pa.float64(), "context": NUMBERS,
         LINE: pa.int64()}  # fmt: skip
DEFERRED = (
    "The decisions have no propensities: they were deferred. Bandit.rebuild(log, upto=decision) "
    "and its sharpen(decision) find them."
)
MISSING = (
    "was deferred here and not elsewhere; find it by Bandit.rebuild(log, upto=decision) and "
    'sharpen(decision), or go without any: propensity=""'
)
REMEDY = "take another copy of it"


def read_own(source: Log | Path, told: LogColumns, options: Options) -> Feedback:
    """The decisions of a log of ours, each with what became of it."""
    records = LogRecords(source, options.bad_lines)
    return _Own(records, Spill(options.memory)).feedback(told, options)


class LogRecords:
    """The records of a log, from a file or an object with `read`."""

    def __init__(self, source: Log | Path, bad_lines: int = 0) -> None:
        self._lines = Lines(source, bad_lines, whole=True) if isinstance(source, Path) else None
        self._source: Any = source
        self.title: object = source if self._lines else getattr(source, "path", "log")
        self._warnings: list[str] = []

    def __iter__(self) -> Iterator[Line]:
        if self._lines is not None:
            yield from self._lines
            return
        with warnings.catch_warnings(record=True) as given:  # of a last line that is cut off
            warnings.simplefilter("always")
            for number, record in enumerate(self._source.read(), 1):
                yield Line(number, record)
        self._warnings = [f"{each.message}." for each in given]

    def refuse(self, number: int, why: str) -> None:
        if self._lines is not None:
            self._lines.refuse(number, why)
            return
        raise OutputError(self.title, f"record {number:,} is none of a log ({why})", REMEDY)

    @property
    def bad(self) -> int:
        """How many lines were left out."""
        return 0 if self._lines is None else len(self._lines.bad)

    @property
    def notes(self) -> list[str]:
        return self._warnings if self._lines is None else self._lines.notes


class _Own:
    """What is collected while a log of ours is read once."""

    def __init__(self, records: LogRecords, spill: Spill) -> None:
        self._records, self._spill = records, spill
        self._stage = Stage(spill, TYPES)
        self._arms: dict[Arm, None] = {}
        self._active: dict[Any, list[Arm]] = {}  # arms that can be chosen, by bandit
        self._menus: dict[tuple[str, ...], int] = {}
        self._titles: dict[str, Name] = {}
        self._methods: Counter[str] = Counter()
        self._ids, self._lines = spill.column(np.int64), spill.column(np.int64)
        self._outcomes = [spill.column(each) for each in (np.int64, np.int8, np.float64, np.int64)]
        self._undecided = 0  # rewards that were learnt without a decision

    def feedback(self, told: LogColumns, options: Options) -> Feedback:
        for number, record in self._records:
            try:
                self._take(number, record)
            except FAULTS as error:
                self._records.refuse(number, f"{error}" or type(error).__name__)
        rows = self._stage.table()
        if not self._stage.rows:
            raise InvalidInput("log", str(self._records.title), "it has no decisions")
        rewards, kept, notes = self._joined()
        layout = self._layout(told, rows)
        log = Gathered(
            str(self._records.title),
            _with_rewards(rows, rewards, kept),
            layout,
            ArmNames(self._known(options), text=json.dumps),
            (*self._records.notes, *notes),
            titles=self._titles,
            keep=True,
            seconds=True,
            merged=True,
            no_propensity=DEFERRED,
            missing_propensity=MISSING,
            menus=tuple(self._menus),
        )
        options.reading.check([*map(str, self._titles.values())])
        return feedback_of(log, options)

    def _known(self, options: Options) -> Iterable[Arm]:
        return [*self._arms] if options.arms is None else options.arms

    def _layout(self, told: LogColumns, rows: Rows) -> Layout:
        matrix = "context" if not self._titles else NONE
        return Layout(
            "arm",
            "reward",
            NONE if told.propensity == NONE else "propensity",
            NONE if told.propensity == NONE else "weight",
            "menu",
            time="time",
            line=LINE,
            matrix=matrix,
            context=tuple(self._titles),
        )

    def _take(self, number: int, record: Record) -> None:
        event = record["event"]
        if event == "decision":
            self._decision(number, record)
        elif event in OUTCOMES and "id" in record:
            self._outcome(number, record)
        elif event == "reward":
            self._undecided += 1
        elif event == "start":
            self._active[record["bandit"]] = [*record["arms"]]
            self._arms |= dict.fromkeys(record["arms"])
        elif event.endswith("_arm"):
            self._change(record)

    def _change(self, record: Record) -> None:
        """Arms that come and go."""
        arm, active = record["arm"], self._active.setdefault(record["bandit"], [])
        if record["event"] in ("add_arm", "reinstate_arm"):
            self._arms.setdefault(arm)
            active.append(arm)
        elif arm in active:
            active.remove(arm)

    def _decision(self, number: int, record: Record) -> None:
        arm = record["arm"]
        self._arms.setdefault(arm)
        row = {
            "id": record["id"], "time": record["time"], "arm": json.dumps(arm), LINE: number,
            "menu": self._menu(record), "propensity": record["propensity"],
            "weight": record["weight"], **self._context(record["context"]),
        }  # fmt: skip
        _check_row(row)
        self._methods[str(record["method"])] += 1
        self._stage.append(row)
        self._ids.add(hash(str(record["id"])))
        self._lines.add(number)

    def _menu(self, record: Record) -> int | None:
        allowed = record["allowed"]
        arms = self._active.get(record.get("bandit")) if allowed is None else allowed
        if arms is None:
            return None
        for arm in arms:
            self._arms.setdefault(arm)
        return self._menus.setdefault(tuple(map(json.dumps, arms)), len(self._menus))

    def _context(self, context: Any) -> dict[str, Any]:
        """Columns by their names, or a list of numbers."""
        if context is None:
            return {}
        if isinstance(context, list):
            if not (context and isinstance(context[0], list)):
                return {"context": [float(each) for each in context]}
            context = dict(context)
        named = {f"{PREFIX}{name}": _plain(value) for name, value in context.items()}
        if not named.keys() <= self._titles.keys():
            self._titles |= {f"{PREFIX}{name}": name for name in context}
        return named

    def _outcome(self, number: int, record: Record) -> None:
        reward = record.get("reward")
        if reward is not None and type(reward) not in (int, float):
            raise BadLine(f"reward {reward!r:.40} is not a number")
        facts = (hash(str(record["id"])), OUTCOMES[record["event"]],
                 np.nan if reward is None else float(reward), number)  # fmt: skip
        for column, fact in zip(self._outcomes, facts, strict=True):
            column.add(fact)

    def _joined(self) -> tuple[Array, Array, list[str]]:
        """The reward of every decision, which ones stay, and what happened in sentences."""
        ids, lines = self._ids.array(), self._lines.array()
        order = np.argsort(ids, kind="stable")
        _check_distinct(ids[order], lines[order], self._records.title)
        names, kinds, values, at = (each.array() for each in self._outcomes)
        places = np.searchsorted(ids, names, sorter=order)
        places = order[np.minimum(places, len(ids) - 1)]
        known = ids[places] == names
        before = self._check_known(names[~known], kinds[~known], at[~known])
        places, kinds, values = places[known], kinds[known], values[known]
        first = np.unique(places, return_index=True)[1]
        rewards, outcome = np.full(len(ids), np.nan), np.full(len(ids), -1)
        rewards[places[first]], outcome[places[first]] = values[first], kinds[first]
        return rewards, outcome != DROP, self._notes(outcome, len(places) - len(first), before)

    def _notes(self, outcome: Array, copies: int, before: int) -> list[str]:
        counts = np.bincount(outcome + 1, minlength=4).tolist()
        waiting, rewarded, expired, dropped = counts
        notes = [
            f"{counted(len(outcome), 'decision')}: {rewarded:,} with a reward, {waiting:,} waiting "
            f"for one, {expired:,} expired, {dropped:,} dropped and left out."
        ]
        if len(self._methods) > 1:
            ways = ", ".join(f"{method} {count:,}" for method, count in self._methods.items())
            notes.append(f"How propensities were found: {ways}.")
        told = {
            "reported again, by a copy of the bandit": copies,
            "of decisions that the log does not have": before,
            "learnt without a decision": self._undecided,
        }
        notes += [
            f"Left out: {counted(count, 'reward')} {what}." for what, count in told.items() if count
        ]
        return notes

    def _check_known(self, names: Array, kinds: Array, lines: Array) -> int:
        """How many outcomes are of decisions from before the log; others are refused."""
        if not names.size:
            return 0
        waiting = None if self._records.bad else _waiting(self._records)
        odd = [] if waiting is None else np.flatnonzero(~np.isin(names, hashed(waiting))).tolist()
        if odd:
            problem = (
                f"line {int(lines[odd[0]]):,} has a reward for no decision "
                f"({counted(len(odd), 'reward')} in all)"
            )
            raise OutputError(self._records.title, problem, "give the whole log")
        return int((kinds != DROP).sum())


def _waiting(records: LogRecords) -> list[str] | None:
    """Decisions that waited when the log began; None if it does not tell."""
    found: list[str] = []
    for _, record in records:
        if record.get("event") != "start":
            continue
        if record.get("state") is None:
            return None
        try:
            bandit = Bandit.from_bytes(b64decode(record["state"], validate=True))
        except (BandstrapError, ValueError, TypeError):
            return None
        found += [str(name) for name in bandit._pending.waiting]
    return found


def _check_distinct(ids: Array, lines: Array, title: object) -> None:
    again = np.flatnonzero(ids[1:] == ids[:-1])
    if again.size:
        first, second = lines[again[0]], lines[again[0] + 1]
        problem = (
            f"lines {first:,} and {second:,} have decisions of one id, in all {again.size:,} "
            "repeat an earlier one"
        )
        raise OutputError(title, problem, "remove the copies")


def _check_row(row: Record) -> None:
    """What no bandit has written."""
    for name in ("time", "propensity", "weight"):
        value = row[name]
        if value is not None and type(value) not in (int, float):
            raise BadLine(f"{name} {value!r:.40} is not a number")
        row[name] = None if value is None else float(value)
    if type(row["id"]) not in (str, int):
        raise BadLine(f"id {row['id']!r:.40} is neither text nor a number")
    row["id"] = str(row["id"])


def _plain(value: Any) -> Any:
    if type(value) in (bool, int):
        return float(value)
    if type(value) not in (str, float):
        raise BadLine(f"context {value!r:.40} is neither a number nor text")
    return value


def _with_rewards(rows: Rows, rewards: Array, kept: Array) -> Rows:
    schema = rows.schema.append(pa.field("reward", pa.float64()))

    def pieces() -> Iterator[pa.RecordBatch]:
        start = 0
        for piece in rows.pieces():
            part = slice(start, start + piece.num_rows)
            values = pa.array(rewards[part], from_pandas=True)  # NaN is none
            joined = pa.RecordBatch.from_arrays([*piece.columns, values], schema=schema)
            yield joined.filter(pa.array(kept[part])) if not kept[part].all() else joined
            start = part.stop

    return Rows(schema, pieces)

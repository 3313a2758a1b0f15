"""Which column of a table holds what, by their names, and what was made of them in sentences."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.logs.columns import NONE, Layout, LogColumns
from bandstrap.evaluation.logs.values import is_dated
from bandstrap.printable import called
from bandstrap.tables.cells import cells_of, classes_of, plain
from bandstrap.tables.roles import (
    ACTION,
    ALLOWED,
    EARLIER,
    ITEM,
    PROPENSITY,
    REWARD,
    SURELY_PROPENSITY,
    TIME,
    are_numbers,
    few_values,
    named,
    share_of_probabilities,
    words_in,
)

# Names that say it all, the surest first; else columns are taken in the order of the table.
BEST = {"arm": ("arm", "action"), "reward": ("reward",), "time": ("timestamp", "time")}
PLAIN_TIMES = {"time", "timestamp", "ts", "datetime", "date"}  # of numbers
OWN_IDS = {"id", "decision_id", "event_id", "eventid", "impression_id", "request_id", "uuid"}
DISTINCT = 0.5  # share of distinct values from which a column identifies rows
_SEPARATORS = re.compile(r"[|;, ]+")  # of lists in text
PROBABLE = 0.5  # share of probabilities from which a column holds them, some of which are wrong


@dataclass(frozen=True)
class Guess:
    """A layout, and how it came about."""

    layout: Layout
    notes: tuple[str, ...]
    chosen_context: bool


def guess(sample: pa.Table, told: LogColumns) -> Guess:
    """The columns that a user names, and the others by their names and values."""
    return _Guessing(sample, told).guess()


class _Guessing:
    def __init__(self, sample: pa.Table, told: LogColumns) -> None:
        self.sample, self.told = sample, told
        self.found: dict[str, str] = {}
        self.notes: list[str] = []
        told.check(sample.column_names)

    def guess(self) -> Guess:
        for role, find in _FINDERS.items():
            given = getattr(self.told, role)
            self.found[role] = self._found(role, find) if given is None else given
        self._require("arm", "the arm that was chosen")
        self._require("reward", "what it paid")
        given = self.told.context
        layout = Layout(**self.found, context=self._left() if given is None else given)
        return Guess(layout, tuple(self.notes), given is not None)

    def _found(self, role: str, find: "Finder") -> str:
        """The column with the best name, if any has one."""
        order = BEST.get(role, ())
        found = [name for name in dict.fromkeys(find(self.sample)) if self._free(name)]
        best = min(found, key=lambda name: _rank(name, order), default=NONE)
        if best != NONE:
            self.notes.append(f"{_ROLES[role]}: column {called(best)!r}, by its name.")
        return best

    def _free(self, name: str) -> bool:
        """Whether a column holds nothing else."""
        told = [value for role, value in self.told.given.items() if role != "context"]
        return name not in self.found.values() and name not in told

    def _require(self, role: str, what: str) -> None:
        if self.found[role] == NONE:
            names = ", ".join(called(name) for name in self.sample.column_names[:20])
            remedy = f"no name of a column tells which holds {what}; name one of {names}"
            raise InvalidInput(role, self.told.given.get(role), remedy)

    def _left(self) -> tuple[str, ...]:
        """All other columns, without what is known only later and identifiers."""
        free = [name for name in self.sample.column_names if self._free(name)]
        later = [name for name in free if _pays(name)]
        if later:
            names = ", ".join(repr(called(name)) for name in later)
            self.notes.append(
                f"Left out of contexts: {names}, by the name known only after the decision; name "
                "the reward to evaluate by another column."
            )
        ids = [name for name in free if name not in later and name.lower() in OWN_IDS]
        if ids:
            self.notes.append(f"Left out of contexts: {', '.join(map(called, ids))}, identifiers.")
        return tuple(name for name in free if name not in (*later, *ids))


def _pays(name: str) -> bool:
    """Whether a name says that this is an outcome, and not one of earlier times."""
    words = words_in(name)
    return bool(words & REWARD) and not words & EARLIER


def _rank(name: str, order: tuple[str, ...]) -> int:
    return order.index(name.lower()) if name.lower() in order else len(order)


Finder = Callable[[pa.Table], Iterator[str]]


def _arms(sample: pa.Table) -> Iterator[str]:
    for words in (ACTION, ITEM):
        yield from named(sample, words, few_values)
    yield from named(sample, ACTION, _may_be_arms)  # more than usual


def _may_be_arms(column: pa.ChunkedArray) -> bool:
    classes = classes_of(column)
    return classes is not None and 1 <= len(classes.names) < max(2, len(column) / 2)


def _rewards(sample: pa.Table) -> Iterator[str]:
    yield from filter(_pays, named(sample, REWARD, are_numbers))


def _propensities(sample: pa.Table) -> Iterator[str]:
    """By the name; where that may mean something else, most of the values are probabilities."""
    yield from named(sample, SURELY_PROPENSITY, are_numbers)
    yield from named(sample, PROPENSITY, lambda each: share_of_probabilities(each) >= PROBABLE)


def _menus(sample: pa.Table) -> Iterator[str]:
    yield from named(sample, ALLOWED, _may_be_lists)


def _may_be_lists(column: pa.ChunkedArray) -> bool:
    kind = plain(column).type
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or _separated(column)


def _separated(column: pa.ChunkedArray) -> bool:
    """Whether cells are lists in text; a list of one arm looks like that arm."""
    if not pa.types.is_large_string(plain(column).type):
        return False
    parts = [_SEPARATORS.split(word.strip("[] ")) for word in column.to_pylist() if word]
    several = {part for each in parts if len(each) > 1 for part in each}
    return bool(several) and all(each[0] in several for each in parts)


def _times(sample: pa.Table) -> Iterator[str]:
    for name in sample.column_names:
        words = words_in(name)
        column = sample[name]
        if words & TIME and (is_dated(column.type) or cells_of(column).is_date):
            yield name
    for name in sample.column_names:
        if name.lower() in PLAIN_TIMES and are_numbers(sample[name]):
            yield name


def _ids(sample: pa.Table) -> Iterator[str]:
    for name in sample.column_names:
        if name.lower() in OWN_IDS and _distinct(sample[name]) > DISTINCT:
            yield name


def _distinct(column: pa.ChunkedArray) -> float:
    """The share of distinct values."""
    try:
        return float(len(column.unique()) / max(1, len(column)))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return 0.0


def _none(sample: pa.Table) -> Iterator[str]:
    yield from ()


_FINDERS: dict[str, Finder] = {
    "arm": _arms,
    "reward": _rewards,
    "propensity": _propensities,
    "weight": _none,
    "allowed": _menus,
    "time": _times,
    "id": _ids,
    "count": _none,
}
_ROLES = {"arm": "Arm", "reward": "Reward", "propensity": "Propensity", "allowed": "Allowed arms",
          "time": "Time", "id": "Identifier", "weight": "Weight", "count": "Count"}  # fmt: skip

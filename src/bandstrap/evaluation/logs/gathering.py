"""The rows of a log, of whatever format, checked and put into columns."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback, Given
from bandstrap.evaluation.logs.arms import ArmNames, Menus, listed
from bandstrap.evaluation.logs.columns import NONE, Layout
from bandstrap.evaluation.logs.contexts import ContextColumn, ContextStore, fit
from bandstrap.evaluation.logs.faults import Faults, Places
from bandstrap.evaluation.logs.ids import Ids
from bandstrap.evaluation.logs.matrices import MatrixStore
from bandstrap.evaluation.logs.spill import LIMIT, Spill, SpillColumn, slices
from bandstrap.evaluation.logs.values import numbers_in, times_in, unit_of
from bandstrap.problem import Support
from bandstrap.tables.cells import classes_of
from bandstrap.tables.contexts import Name
from bandstrap.tables.dates import YEAR_FIRST, orders_of
from bandstrap.tables.reading import Reading
from bandstrap.tables.source import Rows, sampled
from bandstrap.validation import LARGEST

AS_IT_IS = Reading()
EMPTY = "there is nothing in it to evaluate; give a log with at least one decision"


@dataclass(frozen=True)
class Options:
    """How a log is to be read."""

    arms: Iterable[Arm] | None = None
    rewards: Support | None = None  # where they lie; anywhere if None
    reading: Reading = AS_IT_IS
    bad_lines: int = 0  # of JSON that may be left out
    memory: int = LIMIT  # bytes that columns may take before they go to temporary files
    sort: bool = False  # rows that are not in the order of time, instead of refusing them


@dataclass(frozen=True)
class Gathered:
    """Rows of a log and where everything is in them."""

    title: str
    rows: Rows
    layout: Layout
    names: ArmNames
    notes: tuple[str, ...] = ()
    titles: Mapping[str, Name] = field(default_factory=dict)  # what columns are called outside
    keep: bool = False  # all columns of contexts, also those that say nothing
    seconds: bool = False  # whether times are seconds, whatever they look like
    merged: bool = False  # whether several may have written it, so that times go back a little
    no_propensity: str = "The log has no propensities."
    missing_propensity: str = (
        'is missing; give one for every decision, or go without any: propensity=""'
    )
    menus: tuple[tuple[str, ...], ...] = ()  # what allowed arms are the numbers of, if of these


def _by_column(reading: Reading, titles: Mapping[str, Name]) -> Reading:
    """What is said of columns by their titles, by the names that they have inside."""
    inside = {str(title): column for column, title in titles.items()}
    kinds = {inside.get(name, name): kind for name, kind in reading.kinds.items()}
    dropped = tuple(inside.get(name, name) for name in reading.dropped)
    return replace(reading, kinds=kinds, dropped=dropped)


def sample_of(rows: Rows) -> pa.Table:
    """A uniform sample of the rows, all of them if there are not many."""
    return sampled(rows.schema, rows.pieces(), 0).table


def feedback_of(log: Gathered, options: Options, sample: pa.Table | None = None) -> Feedback:
    """Read all rows; refuse the log, in one sentence, if anything is wrong with it."""
    sample = sample_of(log.rows) if sample is None else sample
    if sample.num_rows == 0:
        raise InvalidInput("log", log.title, EMPTY)
    return _Gathering(log, options, sample).feedback()


class _Gathering:
    """What is collected of a log while it is read."""

    def __init__(self, log: Gathered, options: Options, sample: pa.Table) -> None:
        self.log, self.layout, self.options = log, log.layout, options
        self.spill, self.faults = Spill(options.memory), Faults()
        self.notes = [*log.notes]
        reading = _by_column(options.reading, log.titles)
        context = [each for each in self.layout.context if each not in reading.dropped]
        found = fit(sample, context, reading, log.keep, log.titles)
        self.notes += found.notes
        self._contexts = self._store(found.columns)
        self._names, self._menus = log.names, Menus(log.names)
        self._ids = Ids(self.layout.id)
        self._clock = _Clock() if log.seconds else _Clock.of(sample, self.layout.time)
        self._columns: dict[str, SpillColumn] = {}
        self._rows = 0

    def _store(self, columns: list[ContextColumn]) -> ContextStore | MatrixStore:
        if self.layout.matrix != NONE:
            return MatrixStore(self.layout.matrix, self.spill)
        return ContextStore(columns, self.spill, self.log.titles)

    def feedback(self) -> Feedback:
        for piece in self.log.rows.pieces():
            if piece.num_rows:
                self._take(pa.Table.from_batches([piece]))
        self._refuse()
        return self._sorted(self._made())

    def _take(self, piece: pa.Table) -> None:
        layout = self.layout
        lines = np.asarray(piece[layout.line]) if layout.line != NONE else None
        places = Places(self._rows, lines)
        chosen = self._arms(piece, places)
        self._keep("chosen", chosen)
        if layout.allowed != NONE:
            self._allowed(piece, chosen, places)
        for name, check in _CHECKS.items():
            if getattr(layout, name) != NONE:
                self._keep(name, check(self, piece[getattr(layout, name)], places))
        if layout.time != NONE:
            self._keep("time", self._clock.seconds(piece[layout.time]))
        if layout.id != NONE:
            self._ids.append(piece[layout.id], self.spill)
        self._contexts.append(piece, self.faults, places)
        self._rows += piece.num_rows

    def _keep(self, name: str, values: Array) -> None:
        if name not in self._columns:
            self._columns[name] = self.spill.column(values.dtype, *values.shape[1:])
        self._columns[name].append(values)

    def _arms(self, piece: pa.Table, places: Places) -> Array:
        column = piece[self.layout.arm]
        classes = classes_of(column)
        if classes is None:
            remedy = f"of type {column.type}: give text or whole numbers"
            raise InvalidInput("arm", self.layout.arm, remedy)
        codes = self._names.codes(classes.names)[classes.codes] if classes.names else classes.codes
        absent = classes.codes < 0
        remedy = "is missing; every row is a decision and needs the arm that was chosen"
        self.faults.look("arm", absent, [None] * len(codes), places, remedy)
        unknown = (codes < 0) & ~absent
        if unknown.any():
            known = f"is not an arm; known are {self._names.known}"
            self.faults.look("arm", unknown, column.to_pylist(), places, known)
        return np.where(codes < 0, 0, codes).astype(np.int32)

    def _allowed(self, piece: pa.Table, chosen: Array, places: Places) -> None:
        column = piece[self.layout.allowed]
        codes = self._menu_codes(column)
        for bad, remedy in (
            (self._menus.unknown(codes), f"holds an unknown arm; known are {self._names.known}"),
            (self._menus.lacks(codes, chosen), "does not hold the arm that was chosen"),
        ):
            if bad.any():
                menus, told = self.log.menus, column.to_pylist()
                lists = [None if each is None else menus[each] for each in told] if menus else told
                self.faults.look("allowed", bad, lists, places, remedy)
        self._keep("allowed", codes)
        if self.layout.probabilities != NONE:
            self._keep("probabilities", self._spread(piece))

    def _menu_codes(self, column: pa.ChunkedArray) -> Array:
        """The number of the set of arms that each row allows."""
        menus = self.log.menus
        if not menus:
            return self._menus.codes([listed(value) for value in column.to_pylist()])
        numbers = column.fill_null(-1).to_numpy()
        met, inverse = np.unique(numbers, return_inverse=True)
        lists = [menus[at] if at >= 0 else None for at in met.tolist()]
        found: Array = self._menus.codes(lists)[inverse]
        return found

    def _spread(self, piece: pa.Table) -> Array:
        """The probabilities of all arms; those of arms that were not allowed are 0."""
        table = np.zeros((piece.num_rows, len(self._names.arms)))
        lists = piece[self.layout.probabilities].combine_chunks()
        numbers = piece[self.layout.allowed].to_numpy()
        for at in np.unique(numbers).tolist():
            rows = np.flatnonzero(numbers == at)
            arms = self._names.codes(self.log.menus[at])
            values = np.asarray(lists.take(pa.array(rows)).flatten())
            table[rows[:, None], arms] = values.reshape(len(rows), len(arms))
        return table

    def _reward(self, column: pa.ChunkedArray, places: Places) -> Array:
        values = self._numbers("reward", column, places)
        remedy = f"give rewards up to {LARGEST:g}, and leave the cell empty where none has come"
        self.faults.look("reward", np.abs(values) > LARGEST, values, places, remedy)
        support = self.options.rewards
        if support is not None:
            outside = (values < support.low) | (values > support.high)
            remedy = f"you declared rewards in [{support.low:g}, {support.high:g}]"
            self.faults.look("reward", outside, values, places, remedy)
        return values

    def _propensity(self, column: pa.ChunkedArray, places: Places) -> Array:
        values = self._numbers("propensity", column, places)
        remedy = "the arm was chosen, so give its probability, above 0 and at most 1"
        self.faults.look("propensity", ~(values > 0) & ~np.isnan(values), values, places, remedy)
        self.faults.look("propensity", values > 1, values, places, remedy)
        return values

    def _weight(self, column: pa.ChunkedArray, places: Places) -> Array:
        values = self._numbers("weight", column, places)
        remedy = "give inverse propensities, finite and above 0"
        odd = ~((values > 0) & np.isfinite(values)) & ~np.isnan(values)
        self.faults.look("weight", odd, values, places, remedy)
        return values

    def _count(self, column: pa.ChunkedArray, places: Places) -> Array:
        values = self._numbers("count", column, places)
        remedy = "give how many decisions the row stands for, above 0"
        self.faults.look("count", ~((values > 0) & np.isfinite(values)), values, places, remedy)
        return values

    def _numbers(self, name: str, column: pa.ChunkedArray, places: Places) -> Array:
        found = numbers_in(column, self.options.reading.decimal or ".")
        if found.words.any():
            self.faults.look(name, found.words, column.to_pylist(), places, "give a number")
        remedy = "is not a number; leave the cell empty where there is none"
        self.faults.look(name, found.nan, found.values, places, remedy)
        return found.values

    def _refuse(self) -> None:
        """What is wrong, in one sentence."""
        self._check_propensities()
        self.faults.check(self._rows)
        if self.layout.id != NONE:
            self._ids.check(self._lines)

    def _check_propensities(self) -> None:
        absent = self._absent("propensity")
        if absent.all():
            self._columns.pop("propensity", None)
            self._check_weights()
            return
        if not absent.any():
            return
        remedy = self.log.missing_propensity
        places = Places(0, self._lines())
        self.faults.look("propensity", absent, [None] * len(absent), places, remedy)

    def _check_weights(self) -> None:
        """They are enough without propensities, if every decision has one."""
        absent = self._absent("weight")
        if absent.all():
            self.notes.append(self.log.no_propensity)
            self._columns.pop("weight", None)
            return
        self.notes.append("The log has weights, but no propensities: a weight takes the place.")
        remedy = "is missing, and so is the propensity; give one of them for every decision"
        places = Places(0, self._lines() if absent.any() else None)
        self.faults.look("weight", absent, [None] * len(absent), places, remedy)

    def _absent(self, name: str) -> Array:
        """Which rows have nothing there: all, if there is no such column."""
        values = self._array(name)
        return np.ones(self._rows, dtype=np.bool_) if values is None else np.isnan(values)

    def _lines(self) -> Array | None:
        """The lines of all rows, for the rare case that one is reported at the end."""
        if self.layout.line == NONE:
            return None
        pieces = [np.asarray(each.column(self.layout.line)) for each in self.log.rows.pieces()]
        return np.concatenate(pieces)

    def _made(self) -> Feedback:
        places = self._names.places
        chosen = self.spill.column(np.int32)
        codes = self._columns["chosen"].array()
        for part in slices(self._rows):
            chosen.append(places[codes[part]])
        contexts, columns, given = self._contexts.contexts()
        return Feedback(
            self._names.arms,
            chosen.array(),
            self._rewards(),
            contexts,
            self._array("propensity"),
            self._weights(),
            self._array("probabilities"),
            self._masks(),
            self._times(),
            self._array("count"),
            columns,
            given,
            self.options.rewards,
        )

    def _array(self, name: str) -> Array | None:
        return self._columns[name].array() if name in self._columns else None

    def _rewards(self) -> Array:
        rewards = self._columns["reward"].array()
        missing = int(np.isnan(rewards).sum())
        if missing:
            self.notes.append(f"{missing:,} of {self._rows:,} decisions have no reward.")
        return rewards

    def _weights(self) -> Array | None:
        """Where one is missing it is the inverse of the propensity."""
        weights, propensities = self._array("weight"), self._array("propensity")
        if weights is None or propensities is None or not np.isnan(weights).any():
            return weights
        column = self.spill.column(np.float64)
        for part in slices(self._rows):
            some = weights[part]
            column.append(np.where(np.isnan(some), 1 / propensities[part], some))
        return column.array()

    def _masks(self) -> Array | None:
        if "allowed" not in self._columns:
            return None
        return self._menus.masks(self._columns["allowed"].array(), self.spill)

    def _times(self) -> Array | None:
        times = self._array("time")
        if times is None:
            return None
        absent = int(np.isnan(times).sum())
        if absent:
            name = self.log.titles.get(self.layout.time, self.layout.time)
            why = f"{absent:,} of {self._rows:,} rows have no time in {name!r}"
            self.notes.append(f"Rows stay in the order of the log, without times: {why}.")
            return None
        return times

    def _sorted(self, made: Feedback) -> Feedback:
        """In the order of time; rows of one time stay in the order of the log."""
        times = np.zeros(0) if made.times is None else made.times
        late = np.flatnonzero(times[1:] < times[:-1])
        if late.size:
            self._check_order(late + 1)
            made = _reordered(made, np.argsort(times, kind="stable"), self.spill)
            self.notes.append(
                f"Rows were not in the order of time and have been sorted: {late.size:,} came "
                "before the row above."
            )
        return replace(made, notes=tuple(self.notes))

    def _check_order(self, late: Array) -> None:
        """Refuse rows that are earlier than the row above, unless they may be sorted."""
        if self.options.sort or self.log.merged:
            return
        at = int(late[0])
        raise InvalidInput(
            f"time, {Places(0, self._lines())(at)}",
            self._cell(self.layout.time, at),
            f"is before the row above ({late.size:,} of {self._rows:,} rows): sort the log by "
            f"{self.layout.time!r}, which --sort or sort=True does",
        )

    def _cell(self, name: str, at: int) -> Any:
        """What a row has in a column, for the rare case that it is reported at the end."""
        for piece in self.log.rows.pieces():
            if at < piece.num_rows:
                return piece.column(name)[at].as_py()
            at -= piece.num_rows
        raise IndexError(at)


Check = Callable[[_Gathering, pa.ChunkedArray, Places], Array]
_CHECKS: dict[str, Check] = {
    "reward": _Gathering._reward,
    "propensity": _Gathering._propensity,
    "weight": _Gathering._weight,
    "count": _Gathering._count,
}


@dataclass(frozen=True)
class _Clock:
    """How times are written: dates of an order, or numbers of a unit."""

    order: str = ""
    unit: float = 1.0

    @classmethod
    def of(cls, sample: pa.Table, name: str) -> "_Clock":
        if name == NONE:
            return cls()
        values = numbers_in(sample[name])
        if not values.words.any():
            return cls("", unit_of(values.values))
        words = {str(word).strip() for word in sample[name].to_pylist() if word is not None}
        return cls(next(iter(orders_of(words)), YEAR_FIRST))

    def seconds(self, column: pa.ChunkedArray) -> Array:
        times = times_in(column, self.order, self.unit)
        return np.where(np.isfinite(times), times, np.nan)


def _reordered(made: Feedback, order: Array, spill: Spill) -> Feedback:
    names = ("chosen", "rewards", "contexts", "propensities", "weights", "probabilities",
             "allowed", "times", "counts")  # fmt: skip
    found = {name: getattr(made, name) for name in names}
    moved: dict[str, Any] = {
        name: spill.ordered(each, order) for name, each in found.items() if each is not None
    }
    given = made.given
    if given is not None:
        given = Given(spill.ordered(given.rows, order), given.columns)
    return replace(made, **moved, given=given)

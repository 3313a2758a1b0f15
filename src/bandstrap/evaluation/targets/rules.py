"""Rules that never learn: any arm, one arm, a function of the context, a column of the log."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.evaluation.feedback import Feedback, Given
from bandstrap.evaluation.targets.base import Shares, Target, allowed_rows, row_slices
from bandstrap.tables import Columns

__all__ = ["Always", "ColumnRule", "Rule", "Uniform"]

TOLERANCE = 1e-6  # of the sum of probabilities


@dataclass(frozen=True)
class Uniform(Target):
    """Any of the allowed arms, all equally likely.

    >>> log = Feedback(("a", "b"), np.array([0, 1]), np.array([1.0, 0.0]))
    >>> next(Uniform().shares(log)).every.tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """

    name: str = "uniform"

    def shares(self, feedback: Feedback, seed: int = 0) -> Iterator[Shares]:
        for rows in row_slices(feedback):
            yield Shares(rows, evenly(allowed_rows(feedback, rows)))


@dataclass(frozen=True)
class Always(Target):
    """One arm; any of the allowed ones where it is not allowed.

    >>> log = Feedback(("a", "b"), np.array([0, 1]), np.array([1.0, 0.0]))
    >>> next(Always("b").shares(log)).every.tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """

    arm: Arm
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or f"always {self.arm}")

    def shares(self, feedback: Feedback, seed: int = 0) -> Iterator[Shares]:
        at = place_of(feedback, self.arm, "rule")
        for rows in row_slices(feedback):
            open_ = allowed_rows(feedback, rows)
            yield Shares(rows, only(np.full(len(open_), at), open_))


@dataclass(frozen=True)
class ColumnRule(Target):
    """The arm that a column of the log names, where a rule of yours has written its choice.

    Where it names none, or one that is not allowed, any of the allowed arms.
    """

    column: str
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or f"column {self.column}")

    def shares(self, feedback: Feedback, seed: int = 0) -> Iterator[Shares]:
        given = _given(feedback, self.column)
        at, places = _places(feedback, given.columns, self.column)
        for rows in row_slices(feedback):
            values = np.asarray(given.rows[rows, at])
            found = np.array([places.get(value, -1) for value in values.tolist()])
            yield Shares(rows, only(found, allowed_rows(feedback, rows)))


def _given(feedback: Feedback, column: str) -> Given:
    """Contexts as the log has them, with this column among them."""
    given = feedback.given
    if given is None and feedback.contexts is not None and feedback.columns is not None:
        given = Given(feedback.contexts, feedback.columns)
    names = [] if given is None else [*map(str, given.columns.names)]
    if given is None or column not in names:
        raise UnknownName("column", column, names)
    return given


def _places(feedback: Feedback, columns: Columns, column: str) -> tuple[int, dict[float, int]]:
    """The place of a column among contexts, and the arm that each of its numbers means."""
    at = [*map(str, columns.names)].index(column)
    words = columns.words.get(columns.names[at])
    arms = [*enumerate(feedback.arms)]
    if words is None:
        return at, {float(arm): place for place, arm in arms if _is_number(arm)}
    known: dict[str | None, int] = {str(arm): place for place, arm in arms}
    return at, {float(code): known[word] for word, code in words.items() if word in known}


@dataclass(frozen=True)
class Rule(Target):
    """A function of the context: it gives an arm, or probabilities by arm.

    The context is a dict where the log's columns have names, else a row of numbers, else None. An
    arm that is not allowed leaves its probability to the allowed ones.

    >>> rows = np.array([[0.2], [0.9]])
    >>> log = Feedback(("a", "b"), np.array([0, 1]), np.array([1.0, 0.0]), rows)
    >>> rule = Rule(lambda context: "a" if context[0] < 0.5 else {"a": 0.25, "b": 0.75})
    >>> next(rule.shares(log)).every.tolist()
    [[1.0, 0.0], [0.25, 0.75]]
    """

    function: Callable[[Any], Any]
    name: str = field(default="")

    def __post_init__(self) -> None:
        name = self.name or getattr(self.function, "__name__", "") or "rule"
        object.__setattr__(self, "name", "rule" if name == "<lambda>" else name)

    def shares(self, feedback: Feedback, seed: int = 0) -> Iterator[Shares]:
        for rows in row_slices(feedback):
            given = (self._given(feedback, context) for context in contexts_of(feedback, rows))
            wanted = np.stack([*given])
            yield Shares(rows, within(wanted, allowed_rows(feedback, rows)))

    def _given(self, feedback: Feedback, context: Any) -> Array:
        answer = self.function(context)
        every = np.zeros(len(feedback.arms))
        if isinstance(answer, Mapping):
            for arm, share in answer.items():
                every[place_of(feedback, arm, self.name)] += share
        elif np.ndim(answer) == 1 and not isinstance(answer, str):
            every += np.asarray(answer, dtype=np.float64)
        else:
            every[place_of(feedback, answer, self.name)] = 1.0
        if not (every.min() >= 0 and abs(every.sum() - 1) < TOLERANCE):
            raise InvalidInput(self.name, answer, "give an arm, or probabilities that sum to 1")
        return every


def contexts_of(feedback: Feedback, rows: slice) -> Iterator[Any]:
    """The contexts of rows as a rule gets them."""
    if feedback.contexts is not None and feedback.columns is None:
        yield from np.asarray(feedback.contexts[rows])
    else:
        yield from map(feedback.context, range(rows.start, rows.stop))


def place_of(feedback: Feedback, arm: Any, parameter: str) -> int:
    """The place of an arm among those of the log; on the command line numbers are text."""
    if arm in feedback.arms:
        return feedback.arms.index(arm)
    texts = [*map(str, feedback.arms)]
    if str(arm) not in texts:
        raise UnknownName("arm", arm, texts)
    return texts.index(str(arm))


def evenly(allowed: Array) -> Array:
    """The same probability for all allowed arms of a row."""
    share: Array = allowed / allowed.sum(axis=1, keepdims=True)
    return share


def only(places: Array, allowed: Array) -> Array:
    """All probability to one arm of each row, or evenly where it is none (-1) or not allowed."""
    every = np.zeros(allowed.shape)
    rows = np.arange(len(places))
    fits = (places >= 0) & allowed[rows, np.maximum(places, 0)]
    every[rows[fits], places[fits]] = 1.0
    every[~fits] = evenly(allowed[~fits])
    return every


def within(wanted: Array, allowed: Array) -> Array:
    """Probabilities of allowed arms alone, scaled to 1; evenly where none of them is wanted."""
    every = np.where(allowed, wanted, 0.0)
    totals = every.sum(axis=1, keepdims=True)
    scaled: Array = np.where(totals > 0, every / np.where(totals > 0, totals, 1.0), evenly(allowed))
    return scaled


def _is_number(arm: Arm) -> bool:
    try:
        float(arm)
    except ValueError:
        return False
    return True

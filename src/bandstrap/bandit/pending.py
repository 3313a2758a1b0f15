"""Decisions that wait for their rewards, by id."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array, Contexts
from bandstrap.bandit.decision import Arm
from bandstrap.errors import InvalidInput
from bandstrap.storage.schema import (
    FLOATS,
    ArrayOf,
    DictOf,
    Grows,
    ListOf,
    Maybe,
    Name,
    Of,
    Real,
    Row,
    Schema,
    Text,
    Whole,
    declare,
    require,
)
from bandstrap.validation import is_finite, is_whole, require_positive

Id = str | int  # earlier versions had numbers

ROWS = (*FLOATS, np.uint8)  # types of contexts
EPOCHS = 1000  # that are remembered, to recognise a second reward of one decision
LONGEST = 100  # characters of an id
MIXED = object()
BLOCK = 1024  # rows that are joined at once


class Waiting(NamedTuple):
    """What is remembered of a decision until its reward comes."""

    context: Array | None
    arm: Arm
    time: float  # seconds, by the clock that the bandit was given
    number: int = -1  # of the decision, from 0; in earlier versions it was the id


declare(
    Waiting,
    context=Maybe(ArrayOf(ROWS, 1, Grows("features"), loose=True)),
    arm=Name(),
    time=Real(),
    number=Whole(-1),
)


@dataclass(frozen=True)
class Expiry:
    """When a decision expires: after `decisions` more decisions, or after `seconds`.

    An expired decision is learnt with `reward`, or not at all if that is None.

    >>> Expiry(decisions=10_000, reward=0.0).reward
    0.0
    """

    decisions: int | None = None
    seconds: float | None = None
    reward: float | None = None

    def __post_init__(self) -> None:
        require_positive(decisions=self.decisions, seconds=self.seconds)
        if self.reward is not None and not is_finite(self.reward):
            raise InvalidInput("reward", self.reward, "give a number, or None to learn nothing")


class Pending:
    """Decisions by id, oldest first.

    An id is an epoch and the decision's number. An epoch is 48 bits of the time and 80 random ones.
    Each object begins one of its own when it is made, loaded, copied or forked, so that no id is
    issued twice, whoever else goes on from the same state.
    """

    schema = Schema(
        made=Whole(),
        epochs=DictOf(Text(LONGEST), Row(Whole(), Whole())),
        epoch=Text(LONGEST),
        begun=Whole(),
        ids=ListOf(Name(), Grows("waiting")),
        arms=ListOf(Name(), Grows("waiting")),
        times=ArrayOf(np.float64, Grows("waiting")),
        numbers=ArrayOf(np.int64, Grows("waiting"), low=0),
        contexts=Maybe(ArrayOf(ROWS, Grows("waiting"), Grows("features"))),
        waiting=DictOf(Name(), Of(Waiting)),  # contexts of several types, and in earlier versions
        first=Whole(),  # in those ids were numbers from here
        next=Whole(),  # to here
    )

    def __init__(self) -> None:
        self.made = 0  # decisions so far
        self.waiting: dict[Id, Waiting] = {}
        self.epochs: dict[str, tuple[int, int]] = {}  # the decisions of earlier ones, from and to
        self.epoch = new_epoch()
        self.begun = 0  # decisions before this epoch

    def copy_to_save(self) -> "Pending":
        """As it is now, for a file: quickly, however many decisions wait."""
        made = object.__new__(Pending)  # without an epoch of its own
        vars(made).update(vars(self), waiting=self.waiting.copy(), epochs=self.epochs.copy())
        return made

    def to_saved(self) -> dict[str, Any]:
        """For a file: waiting decisions as columns, as there may be many."""
        rest = {name: it for name, it in vars(self).items() if name != "waiting"}
        waiting = self.waiting.values()
        contexts = _joined([it.context for it in waiting])
        if contexts is MIXED:
            return {**rest, "waiting": self.waiting}
        return {
            **rest,
            "ids": [*self.waiting],
            "arms": [it.arm for it in waiting],
            "times": np.fromiter((it.time for it in waiting), np.float64, len(waiting)),
            "numbers": np.fromiter((it.number for it in waiting), np.int64, len(waiting)),
            "contexts": contexts,
        }

    @classmethod
    def from_saved(
        cls,
        waiting: dict[Id, Waiting] | None = None,
        ids: Sequence[Id] = (),
        arms: Sequence[Arm] = (),
        times: Any = (),
        numbers: Any = (),
        contexts: Contexts = None,
        **saved: Any,
    ) -> "Pending":
        """From a file; earlier versions had numbers for ids."""
        pending = cls()
        if waiting is None:
            # Copies: a row that waits would keep all of them in memory.
            rows = [None] * len(ids) if contexts is None else [row[None].copy() for row in contexts]
            columns = rows, arms, np.asarray(times).tolist(), np.asarray(numbers).tolist()
            waiting = dict(zip(ids, map(Waiting, *columns), strict=True))
            require(len(waiting) == len(ids), "two decisions have the same id")
        pending.waiting = waiting
        if "next" in saved:
            pending._renumber(saved.get("first", 0), saved["next"])
        else:
            vars(pending).update(saved)
        pending.begin_epoch()
        return pending

    def _renumber(self, first: int, end: int) -> None:
        """Go on from numbers as ids."""
        self.made = end - first
        self.waiting = {
            name: Waiting(context, arm, time, int(name) - first)
            for name, (context, arm, time, _) in self.waiting.items()
        }

    def verify_saved(self) -> None:
        numbers = [it.number for it in self.waiting.values()]
        require(all(one < other for one, other in pairwise(numbers)), "decisions are out of order")
        require(not numbers or numbers[0] >= 0, "a decision was never made")
        require(not numbers or numbers[-1] < self.made, "a decision was never made")
        for epoch, (first, end) in self.epochs.items():
            require(first <= end <= self.made, f"epoch {epoch} ends before it begins")

    def begin_epoch(self) -> None:
        """Start new ids: copies may go on from the same state."""
        if self.made > self.begun:
            self.epochs[self.epoch] = (self.begun, self.made)
            for oldest in [*self.epochs][:-EPOCHS]:
                del self.epochs[oldest]
        self.epoch, self.begun = new_epoch(), self.made

    def resume_epoch(self, epoch: str) -> None:
        """Issue ids of an earlier epoch again, to do again what was done then."""
        if epoch != self.epoch:
            self.begin_epoch()
            begun, end = self.epochs.pop(epoch, (self.made, self.made))
            self.epoch, self.begun = epoch, begun if end == self.made else self.made

    def __setstate__(self, state: dict[str, Any]) -> None:
        """For copies and pickles."""
        vars(self).update(state)
        self.begin_epoch()

    def __len__(self) -> int:
        return len(self.waiting)

    def add(self, context: Array | None, arm: Arm, time: float) -> str:
        number = self.made
        name = "%s-%010x" % (self.epoch, number)  # noqa: UP031 - faster than an f-string here
        self.waiting[name] = Waiting(context, arm, time, number)
        self.made += 1
        return name

    def back_to(self, made: int) -> list[Arm]:
        """Take back the decisions from number `made` on; their ids are never issued again."""
        if self.made == made:
            return []
        late = [name for name, it in self.waiting.items() if it.number >= made]
        arms = [self.waiting.pop(name).arm for name in late]
        self.made = made
        self.begin_epoch()
        return arms

    def find(self, decision: Any) -> tuple[Id, Waiting]:
        """The id of a `Decision`, or an id as given, and what waits under it."""
        name = getattr(decision, "id", decision)
        if type(name) is not str:  # as it almost always is
            name = _checked(name)
        found = self.waiting.get(name)
        if found is None:
            settled = "it has its reward already, or has expired"
            unknown = "this bandit made no such decision"
            raise InvalidInput("decision", name, settled if self._made(name) else unknown)
        if hasattr(decision, "id") and not decision.chose(found.arm, found.context):
            remedy = f"another bandit made it, here {name} is a different decision; learn it there"
            raise InvalidInput("decision", decision, remedy)
        return name, found

    def _made(self, name: Id) -> bool:
        """Whether the decision was made here, or before this bandit was loaded or copied."""
        epoch, _, number = str(name)[:LONGEST].partition("-")
        here = {**self.epochs, self.epoch: (self.begun, self.made)}
        first, end = here.get(epoch, (0, 0))
        try:
            return first <= int(number, 16) < end
        except ValueError:
            return False

    def expired(self, expiry: Expiry, time: float) -> list[Id]:
        """The decisions that have expired."""
        return list(takewhile(lambda name: self._late(name, expiry, time), self.waiting))

    def _late(self, name: Id, expiry: Expiry, time: float) -> bool:
        it = self.waiting[name]
        late = expiry.decisions is not None and self.made - it.number > expiry.decisions
        old = expiry.seconds is not None and time - it.time > expiry.seconds
        return late or old


def _joined(rows: list[Array | None]) -> Any:
    """The rows as one array; None if there are none, `MIXED` if they differ in kind.

    In blocks, and without a new object for each row: other threads decide meanwhile.
    """
    first = next((row for row in rows if row is not None), None)
    if first is None:
        return None
    kind, shape = first.dtype, first.shape
    if not all(row is not None and row.dtype == kind and row.shape == shape for row in rows):
        return MIXED
    joined = np.empty((len(rows), shape[1]), kind)
    for i in range(0, len(rows), BLOCK):
        some: Any = rows[i : i + BLOCK]
        np.concatenate(some, out=joined[i : i + BLOCK])
    return joined


def new_epoch() -> str:
    random = int.from_bytes(os.urandom(10), "big")
    return f"{time.time_ns() // 1_000_000:012x}{random:020x}"


def _checked(name: Any) -> Id:
    """An id in Python's own types."""
    if isinstance(name, str):  # NumPy's, say
        return str(name)
    if is_whole(name):
        return int(name)
    raise InvalidInput("decision", name, "give a Decision or its id")

"""Writes what one bandit does to a log, so that it can be done again.

A bandit holds its `Recorder` while it works, as it would hold its lock. Events are facts: those of
a call are written when it ends, together; if that fails they are written first thing by the next
call, which otherwise does nothing.
"""

from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.bandit.decision import Decision
from bandstrap.bandit.log.file import Log, Record
from bandstrap.bandit.log.recorded import json_context
from bandstrap.bandit.pending import new_epoch
from bandstrap.bandit.saving import taken, to_bytes
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.storage.archive import digest_of
from bandstrap.storage.packing import CannotPack, pack
from bandstrap.tables import Columns
from bandstrap.version import __version__

if TYPE_CHECKING:
    from bandstrap.bandit.bandit import Bandit

FORMAT = 1  # of records
DIGITS = 16  # of a digest

Position = tuple[str, int]  # in a log: a recorder's name and the number of an event


class Recorder:
    """The log of one bandit, from when it was made, loaded, forked or rebuilt.

    `after` is the event that the bandit goes on from, if that is known. The bandit's state is
    written down before its first event, unless the log `has_state`: it was rebuilt from there.
    """

    def __init__(
        self, bandit: "Bandit", log: Log, after: Position | None = None, has_state: bool = False
    ) -> None:
        self.log = log
        self._bandit = bandit
        self._policy = type(bandit.policy).__name__
        self._digest = _digest(bandit.policy)
        self._queue: list[Record] = []  # what is not written yet
        self._sealed = 0  # of these, how many are of earlier calls
        self._depth = 0
        self._last = position_of(bandit._rng)
        self.learnt_from: Position | None = None  # see `log.widening`
        self._restart(after, has_state)

    @property
    def position(self) -> Position | None:
        """The last event, here or where the bandit goes on from."""
        return (self.name, self._seq) if self._started else self._after

    def _restart(self, after: Position | None = None, has_state: bool = False) -> None:
        """Begin a new series of events at the next call."""
        self.name, self._seq, self._started = new_epoch(), -1, False
        self._after, self._has_state = after, has_state

    def __enter__(self) -> None:
        self._bandit._lock.acquire()
        try:
            if not self._depth:
                self._begin()
            self._depth += 1
        except BaseException:
            self._bandit._lock.release()
            raise

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        try:
            self._depth -= 1
            if not self._depth:
                self._end(error)
        finally:
            self._bandit._lock.release()

    def _begin(self) -> None:
        self._flush()
        if not self._started:
            self._start()
        self._before = position_of(self._bandit._rng)
        self._moved = self._before != self._last  # by a call that is not an event

    def _end(self, error: BaseException | None) -> None:
        self._seal()
        if error is None:
            try:
                self._flush()
            except OutputError:
                self._drop_decisions()  # nobody will know their ids
                raise
            return
        if not isinstance(error, Exception):  # an interrupt, which may have left anything
            self._restart()
        with suppress(OutputError):  # the next call will say so
            self._flush()

    def failed(self) -> None:
        """A call was refused, and its decisions are about to be taken back.

        If it has drawn, what it may have changed is told by no event: the state is.
        """
        new = self._queue[self._sealed :]
        stay = [told for told in new if told["event"] != "decision"]
        if len(stay) < len(new) or position_of(self._bandit._rng) != self._before:
            self._queue[self._sealed :] = stay
            self._seal()
            self._restart()

    def decided(self, decision: Decision) -> None:
        told = decision.to_dict()
        self._bandit._tally.weigh(told["propensity"], told["weight"])
        self.record("decision", **told, policy=self._policy, digest=self._digest)

    def learnt(
        self, name: Any, row: Array | None, place: int, reward: float, weight: float
    ) -> None:
        """Of a decision, or of an arm that others chose, without a name."""
        told: Record = {"id": name} if name is not None else self._context(row)
        told |= {"arm": self._bandit.arms[place], "reward": reward, "weight": weight}
        self.record("reward", **told, learnt=self._bandit.rewards_learnt)

    def ranked(self, row: Array | None, allowed: Any, k: Any, arms: list[Any]) -> None:
        k = None if k is None else int(k)
        self.record("rank", **self._context(row), allowed=allowed, k=k, arms=arms)

    def saved(self, path: str, position: Position) -> None:
        """A file has the state after an event; this is none, and nothing depends on it."""
        own = {"bandit": position[0], "seq": position[1]}
        time = float(self._bandit._clock())
        with suppress(OutputError):  # it is saved all the same; the next call will say so
            self.log.append([{"event": "save", **own, "time": time, "path": path}])

    def _context(self, row: Array | None) -> Record:
        told: Record = {"context": json_context(self._bandit.contexts.given(row))}
        if row is not None and row.dtype != np.float64:
            told["dtype"] = row.dtype.name
        return told

    def record(self, event: str, **fields: Any) -> None:
        """An event that has just happened."""
        bandit = self._bandit
        time = fields.pop("time") if "time" in fields else float(bandit._clock())
        told: Record = {"event": event, "time": time if isfinite(time) else None, **fields}
        told["random"] = self._before
        if self._moved:
            told["moved"] = True
        self._queue.append({**told, **self._news(bandit.contexts.columns)})
        self._before = self._last = position_of(bandit._rng)
        self._moved = False

    def _start(self) -> None:
        """What the events that follow start from."""
        bandit = self._bandit
        told: Record = {
            "event": "start",
            "time": float(bandit._clock()),
            "format": FORMAT,
            "version": __version__,
            "policy": repr(bandit.policy),
            "digest": self._digest,
            "arms": [*bandit.arms],
            "learnt": bandit.rewards_learnt,
        }
        for field, place in (("after", self._after), ("learnt_from", self.learnt_from)):
            if place is not None:
                told[field] = {"bandit": place[0], "seq": place[1]}
        if not self._has_state:
            told |= _state(bandit)
        columns = bandit.contexts.columns
        self._known = {} if columns is None else {**columns.mark()}
        self._width = 0 if columns is None else columns.width
        self._last = position_of(bandit._rng)
        self._queue.append(told)
        self._seal()
        self._started = True

    def _news(self, columns: Columns | None) -> Record:
        """Columns and words that no record has told of yet."""
        if columns is None or not columns.width:
            return {}
        told: Record = {}
        if not self._width:
            self._width = columns.width
            told["columns"] = {
                "source": columns.source,
                "width": columns.width,
                "names": columns.names,
                "kinds": [*columns.kinds.values()],
            }
        new = {
            name: [*words][self._known.get(name, 0) :]
            for name, words in columns.words.items()
            if len(words) > self._known.get(name, 0)
        }
        if new:
            self._known = {**columns.mark()}
            told["words"] = [[name, words] for name, words in new.items()]
        return told

    def _seal(self) -> None:
        """Number the events of a call."""
        for at in range(self._sealed, len(self._queue)):
            self._seq += 1
            own = {"bandit": self.name, "seq": self._seq}
            self._queue[at] = {"event": self._queue[at]["event"], **own, **self._queue[at]}
        self._sealed = len(self._queue)
        self._bandit._position = (self.name, self._seq)

    def _flush(self) -> None:
        if self._queue:
            self.log.append(self._queue)
            self._queue, self._sealed = [], 0

    def _drop_decisions(self) -> None:
        for told in [it for it in self._queue if it["event"] == "decision"]:
            del self._bandit._pending.waiting[told["id"]]
            self._bandit._tally.dropped += 1
            self.record("drop", id=told["id"])
        self._seal()


def position_of(rng: Rng) -> str:
    """Where a generator is in its stream."""
    state: Any = rng.bit_generator.state
    at = f"{state['state']['state']:032x}"
    return f"{at}+{state['uinteger']:08x}" if state["has_uint32"] else at


def move(rng: Rng, position: str) -> None:
    """Put a generator where it was."""
    at, _, half = position.partition("+")
    state: Any = rng.bit_generator.state
    state["state"]["state"] = int(at, 16)
    state["has_uint32"], state["uinteger"] = int(bool(half)), int(half or "0", 16)
    rng.bit_generator.state = state


def check_generator(rng: Rng) -> None:
    """Refuse a generator whose position a log could not tell."""
    if not isinstance(rng.bit_generator, np.random.PCG64DXSM | np.random.PCG64):
        kind = type(rng.bit_generator).__name__
        raise InvalidInput("log", kind, "only bandits made by this package can be logged")


def _state(bandit: "Bandit") -> Record:
    """The bandit as it is, as text; why not, where it cannot be saved."""
    try:
        return {"state": b64encode(to_bytes(taken(bandit))).decode()}
    except OutputError as error:
        return {"state": None, "why": str(error)}


def _digest(policy: Any) -> str:
    """Equal for equal policies."""
    try:
        return digest_of(pack(policy))[:DIGITS]
    except CannotPack:
        return sha256(repr(policy).encode("utf-8", "replace")).hexdigest()[:DIGITS]

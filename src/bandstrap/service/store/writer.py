"""Group commit: what several callers want to store goes into one transaction."""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Any

from sqlalchemy import Connection

from bandstrap.service.store.promise import Promise
from bandstrap.service.store.rows import NewDecision, Rows
from bandstrap.service.store.store import Store, Unavailable
from bandstrap.service.store.writing import (
    Check,
    NewActivation,
    NewCommand,
    NewReward,
    lock_decisions,
    put_activations,
    put_commands,
    put_decisions,
    put_rewards,
)

LOG = logging.getLogger(__name__)
LONGEST_WAIT = 0.003  # seconds
DEADLINE = 15.0  # seconds that a store may take for a group
NOBODY = 1 << 62  # more jobs than ever come
MOST = 2000  # rows in one transaction, unless one caller brings more


@dataclass(slots=True)
class Job:
    """What one caller wants to store, and who waits for it.

    `finish` and `fail` are for the caller's thread: the one that stores has others to store for.
    `prepare` is for the one that stores: in a row, all but the first take half as long as between
    other things, and hold nobody up who reads requests.
    """

    finish: Callable[[Any], Any]  # of what was stored, the caller's result
    fail: Callable[[Unavailable], Any]
    # Finds decisions, and ids under which something may be stored already.
    prepare: Callable[[], tuple[Sequence[NewDecision], Sequence[str]]] | None = None
    decisions: Sequence[NewDecision] = ()
    asked: Sequence[str] = ()  # ids under which something may be stored already
    rewards: Sequence[NewReward] = ()
    activations: Sequence[NewActivation] = ()
    commands: Sequence[NewCommand] = ()
    promise: Promise[Any] = field(default_factory=Promise)

    @property
    def is_hot(self) -> bool:
        """Whether it is of decisions and rewards: those go another way, without the others."""
        return not self.activations and not self.commands

    def __len__(self) -> int:
        parts = (self.decisions, self.asked, self.rewards, self.activations, self.commands)
        return sum(map(len, parts))


class Writer:
    """One thread that takes all that waits, stores it in one transaction, and says so then.

    If that fails nothing of the group is stored, all are told, and it goes on with the next.
    """

    def __init__(self, store: Store, check: Check) -> None:
        self._store, self._check = store, check
        self._queue: deque[Job | None] = deque()
        self._callers, self._took = 0, 0.0  # at once, and a commit's seconds, of late
        self._wanted, self._enough = NOBODY, Event()  # jobs that it waits for, and whether they are
        self.trouble = ""  # why the last transaction failed; empty if it did not
        self._thread = Thread(target=self._run, name="writer", daemon=True)
        self._current: tuple[Sequence[Job], float] = (), 0.0  # what is stored now, since when
        self._closed = Event()
        self._thread.start()
        Thread(target=self._watch, name="writer's watch", daemon=True).start()

    def put(self, job: Job) -> Promise[Any]:
        self._put(job)
        return job.promise

    def probe(self) -> None:
        """After a failure, look whether the store takes something again."""
        if self.trouble:
            self._put(Job(finish=lambda _: None, fail=lambda _: None))

    def close(self) -> None:
        """Store what waits, and end."""
        self._put(None)
        self._thread.join()
        self._closed.set()

    def hurry(self, seconds: float) -> None:
        """Answer all who wait, if the store has kept a group for so long.

        Whether that group is stored is not known then; what waits behind it is not.
        """
        group, since = self._current
        if not group or monotonic() - since < seconds:
            return
        late = Unavailable(f"the store has not answered for {seconds:g} seconds")
        late.unsure = True
        self._fail(group, late)
        behind, last = self._drained()
        self._fail(behind, Unavailable(str(late)))
        if last:
            self._put(None)

    def _watch(self) -> None:
        while not self._closed.wait(1.0):
            self.hurry(DEADLINE)

    def _put(self, job: Job | None) -> None:
        self._queue.append(job)
        if len(self._queue) >= self._wanted:
            self._wanted = NOBODY
            self._enough.set()

    def _drained(self) -> tuple[list[Job], bool]:
        """All that waits, and whether it is the last."""
        return self._taken(NOBODY)

    def _fail(self, group: Sequence[Job], error: Unavailable) -> None:
        if not self.trouble:
            LOG.warning("%s", error)
        self.trouble = str(error)
        for job in group:
            job.promise.keep(partial(job.fail, error))

    def _run(self) -> None:
        last = False
        while not last:
            self._gather()
            group, last = self._taken(MOST)
            group = [job for job in group if self._prepared(job)]
            started = monotonic()
            self._current = group, started
            for some in ([job for job in group if job.is_hot],
                         [job for job in group if not job.is_hot]):  # fmt: skip
                if some:
                    self._commit(some)
            self._current = (), 0.0
            self._took = monotonic() - started
            self._callers = len(group) + len(self._queue)

    def _gather(self) -> None:
        """Until somebody comes, and those who were answered a moment ago are back, or not soon.

        What is answered together comes back one by one. The first of them alone would keep all
        others waiting for its commit, and those would be twice as many. Nor does this thread wake
        up for the first: it would take turns with the one that still reads what the others ask.
        """
        self._await(self._callers, LONGEST_WAIT)
        if not self._queue:
            self._await(1, None)
            self._await(self._callers, min(self._took, LONGEST_WAIT))

    def _await(self, wanted: int, seconds: float | None) -> None:
        """Until so many jobs wait."""
        self._enough.clear()
        self._wanted = wanted
        if len(self._queue) < wanted:
            self._enough.wait(seconds)
        self._wanted = NOBODY

    def _taken(self, most: int) -> tuple[list[Job], bool]:
        """What waits, up to so many rows, and whether it is the last."""
        group: list[Job] = []
        rows = 0
        while rows < most and self._queue:
            try:
                job = self._queue.popleft()
            except IndexError:  # somebody who is in a hurry has taken it
                break
            if job is None:
                return group, True
            group.append(job)
            rows += max(1, len(job))  # what is to be prepared is one
        return group, False

    def _prepared(self, job: Job) -> bool:
        """Whether there is something to store; before the transaction, which keeps others out."""
        if job.prepare is None:
            return True
        try:
            job.decisions, job.asked = job.prepare()
        except Exception as error:  # a fault of ours: it must not end the thread
            job.promise.keep(partial(_raise, error))
            return False
        return True

    def _commit(self, group: list[Job]) -> None:
        try:
            results = self._results(group)
        except Unavailable as error:
            self._fail(group, error)
            return
        except Exception as error:  # a fault of ours: it must not end the thread
            if len(group) > 1:  # nor harm the others
                for job in group:
                    self._commit([job])
                return
            group[0].promise.keep(partial(_raise, error))
            return
        self.trouble = ""
        for job, result in zip(group, results, strict=True):
            job.promise.keep(partial(job.finish, result))

    def _results(self, group: list[Job]) -> list[Any]:
        """Store all of a group; for each job what is to be known of it."""
        if group[0].is_hot:
            return self._store.write_rows(lambda rows: self._hot(rows, group))
        return self._store.write(lambda connection: self._others(connection, group))

    def _hot(self, rows: Rows, group: list[Job]) -> list[Any]:
        decisions = [each for job in group for each in job.decisions]
        asked = [each for job in group for each in job.asked]
        stored = put_decisions(rows, decisions, asked)
        rewards = [each for job in group for each in job.rewards]
        receipts = iter(put_rewards(rows, rewards, self._check))
        return [[next(receipts) for _ in job.rewards] or stored for job in group]

    def _others(self, connection: Connection, group: list[Job]) -> list[Any]:
        activations = [each for job in group for each in job.activations]
        known = lock_decisions(connection, [each.id for each in activations])
        activated = iter(put_activations(connection, activations, known))
        commands = iter(put_commands(connection, [each for job in group for each in job.commands]))
        return [
            [next(activated) for _ in job.activations] or [next(commands) for _ in job.commands]
            for job in group
        ]


def _raise(error: Exception) -> None:
    raise error

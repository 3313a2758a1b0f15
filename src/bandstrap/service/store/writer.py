"""Group commit: what several callers want to store goes into one transaction."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
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
LONGEST_WAIT = 0.002  # seconds, and never longer than a commit takes
DEADLINE = 15.0  # seconds that a store may take for a group
NOBODY = 1 << 62  # more jobs than ever come
MOST = 2000  # rows in one transaction, unless one caller brings more


@dataclass(slots=True)
class Job:
    """What one caller wants to store, and who waits for it.

    `finish` and `fail` are for the caller's thread: the one that stores has others to store for.
    """

    finish: Callable[[Any], Any]  # of what was stored, the caller's result
    fail: Callable[[Unavailable], Any]
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
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._callers, self._took = 0, 0.0  # at once, and a commit's seconds, of late
        self._wanted, self._enough = NOBODY, Event()  # jobs that it waits for, and whether they are
        self.trouble = ""  # why the last transaction failed; empty if it did not
        self._thread = Thread(target=self._run, name="writer", daemon=True)
        self._current: tuple[Sequence[Job], float] = (), 0.0  # what is stored now, since when
        self._closed = Event()
        self._thread.start()
        Thread(target=self._watch, name="writer's watch", daemon=True).start()

    def put(self, job: Job) -> Promise[Any]:
        self._queue.put(job)
        if self._queue.qsize() >= self._wanted:
            self._wanted = NOBODY
            self._enough.set()
        return job.promise

    def probe(self) -> None:
        """After a failure, look whether the store takes something again."""
        if self.trouble:
            self._queue.put(Job(finish=lambda _: None, fail=lambda _: None))

    def close(self) -> None:
        """Store what waits, and end."""
        self._queue.put(None)
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
            self._queue.put(None)

    def _watch(self) -> None:
        while not self._closed.wait(1.0):
            self.hurry(DEADLINE)

    def _drained(self) -> tuple[list[Job], bool]:
        """All that waits, and whether it is the last."""
        waiting: list[Job] = []
        while not self._queue.empty():
            with suppress(Empty):
                job = self._queue.get_nowait()
                if job is None:
                    return waiting, True
                waiting.append(job)
        return waiting, False

    def _fail(self, group: Sequence[Job], error: Unavailable) -> None:
        if not self.trouble:
            LOG.warning("%s", error)
        self.trouble = str(error)
        for job in group:
            job.promise.keep(partial(job.fail, error))

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            self._wait_for_others()
            group, last = self._waiting(first)
            started = monotonic()
            self._current = group, started
            for some in ([job for job in group if job.is_hot],
                         [job for job in group if not job.is_hot]):  # fmt: skip
                if some:
                    self._commit(some)
            self._current = (), 0.0
            self._took = monotonic() - started
            self._callers = len(group) + self._queue.qsize()
            if last:
                return

    def _wait_for_others(self) -> None:
        """Until those who were waiting or answered a moment ago are back, but not for long.

        What is answered together comes back one by one. The first of them alone would keep all
        others waiting for its commit, and those would be twice as many.
        """
        self._enough.clear()
        self._wanted = self._callers - 1
        if self._queue.qsize() < self._wanted:
            self._enough.wait(min(self._took, LONGEST_WAIT))
        self._wanted = NOBODY

    def _waiting(self, first: Job) -> tuple[list[Job], bool]:
        """All that waits, and whether it is the last."""
        group, rows = [first], len(first)
        while rows < MOST and not self._queue.empty():
            job = self._queue.get()
            if job is None:
                return group, True
            group.append(job)
            rows += len(job)
        return group, False

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

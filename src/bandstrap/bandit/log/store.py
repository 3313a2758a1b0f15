"""Decisions of many processes in one SQLite file: any of them may take the reward of any.

Not among the names of `bandstrap.bandit`: some builds of Python have no SQLite.
"""

import json
import os
import sqlite3
import warnings
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from random import uniform
from secrets import randbits
from threading import RLock
from time import monotonic, sleep, time
from typing import Any, NamedTuple

from bandstrap.bandit.bandit import Bandit, Clock
from bandstrap.bandit.decision import Arm
from bandstrap.bandit.inputs import as_list, check_clock
from bandstrap.bandit.log.file import Record, parsed
from bandstrap.bandit.log.recorded import checked, kept
from bandstrap.bandit.pending import Expiry
from bandstrap.errors import InvalidInput, OutputError
from bandstrap.validation import is_finite, require_positive

__all__ = ["DecisionStore", "Receipt", "Reward", "Version"]

PATIENCE = 60.0  # seconds to wait for other processes
PAUSE = (0.0005, 0.002)  # seconds between two tries to write
BASE = 0xFF  # of SQLite's codes of errors; the rest says more
SAFE = (3, 51, 3)  # of SQLite: before, its write-ahead log may lose what several processes write
FORMAT = 1
TABLES = """
    CREATE TABLE IF NOT EXISTS decisions (
        id TEXT PRIMARY KEY, time REAL NOT NULL, record TEXT NOT NULL, settled TEXT
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS waiting ON decisions (time) WHERE settled IS NULL;
    CREATE TABLE IF NOT EXISTS rewards (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, time REAL NOT NULL,
        reward REAL NOT NULL, weight REAL NOT NULL
    );
    CREATE TABLE IF NOT EXISTS bandits (
        version INTEGER PRIMARY KEY AUTOINCREMENT, learnt INTEGER NOT NULL, state BLOB NOT NULL
    );
"""


class Receipt(Enum):
    """What became of a reward.

    >>> Receipt.KEPT.value
    'kept'
    """

    KEPT = "kept"
    DUPLICATE = "duplicate"  # the decision has its reward already
    EXPIRED = "expired"  # the decision had waited too long
    UNKNOWN = "unknown"  # nobody stored such a decision


class Reward(NamedTuple):
    """A reward and the decision that it belongs to."""

    number: int  # in the order in which rewards came
    id: str
    context: Any
    arm: Arm
    reward: float
    weight: float


class Version(NamedTuple):
    """A bandit that was published."""

    number: int
    learnt: int  # the last reward that it has learnt
    bandit: Bandit


class DecisionStore:
    """Decisions, their rewards and the bandit that has learnt them, for several processes.

    All of them decide with copies of one bandit and store what they decided; a reward may come to
    any of them; one process learns, and publishes the bandit for the others. What a method has
    stored is on the disk when it returns.

    >>> from tempfile import mkdtemp
    >>> from bandstrap import Bootstrap
    >>> store = DecisionStore(Path(mkdtemp()) / "store.sqlite")
    >>> store.publish(Bandit(Bootstrap(), ["red", "green"], seed=1))
    1
    >>> decision = store.bandit().bandit.decide()
    >>> store.add(decision)
    >>> store.reward(decision.id, 1.0), store.reward(decision.id, 1.0)
    (<Receipt.KEPT: 'kept'>, <Receipt.DUPLICATE: 'duplicate'>)
    >>> store.learn(), store.bandit().bandit.rewards_learnt
    (1, 1)
    """

    def __init__(
        self,
        path: str | Path,
        *,
        trusted: Any = (),
        clock: Clock = time,
        patience: float = PATIENCE,
    ) -> None:
        check_clock(clock)
        require_positive(patience=patience)
        self.path, self.trusted, self.patience = Path(path), trusted, patience
        self._clock = clock
        self._lock = RLock()
        self._inherited: list[Any] = []  # of a parent process: SQLite must not even close them
        self._connect()

    def add(self, decisions: Any) -> None:
        """Store a decision, or a list of them, before anybody is told the arm."""
        many = as_list(decisions) or [decisions]
        rows = [(each.id, float(each.time), json.dumps(kept(each))) for each in many]
        with self._transaction() as run:
            for row in rows:
                run("INSERT INTO decisions (id, time, record) VALUES (?, ?, ?)", row)

    def reward(self, decision: Any, reward: float, weight: float = 1.0) -> Receipt:
        """Store a decision's reward; a second one, or one that belongs nowhere, is not stored."""
        name = getattr(decision, "id", decision)
        for parameter, value in {"reward": reward, "weight": weight}.items():
            if not is_finite(value):
                raise InvalidInput(parameter, value, "give a finite number")
        if weight <= 0:
            raise InvalidInput("weight", weight, "give a positive number")
        if not isinstance(name, str):
            raise InvalidInput("decision", name, "give a Decision or its id")
        with self._transaction() as run:
            found = run("SELECT settled FROM decisions WHERE id = ?", (name,)).fetchone()
            if found is None:
                return Receipt.UNKNOWN
            if found[0] is not None:
                return Receipt.EXPIRED if found[0] == "expired" else Receipt.DUPLICATE
            self._settle(run, name, "reward", float(reward), float(weight))
            return Receipt.KEPT

    def expire(self, expiry: Expiry) -> int:
        """Settle the decisions that are older than `expiry.seconds`, with its reward if it has one.

        Returns how many.
        """
        if expiry.seconds is None or expiry.decisions is not None:
            raise InvalidInput("expiry", expiry, "give Expiry(seconds=…)")
        until = self._clock() - expiry.seconds
        with self._transaction() as run:
            query = "SELECT id FROM decisions WHERE settled IS NULL AND time < ? ORDER BY time, id"
            late = [name for (name,) in run(query, (until,))]
            for name in late:
                self._settle(run, name, "expired", expiry.reward, 1.0)
        return len(late)

    def rewards(self, after: int = 0) -> list[Reward]:
        """The rewards that came after number `after`, in order."""
        return [self._reward(*row) for row in self._rewarded(after)]

    def _rewarded(self, after: int) -> list[tuple[Any, ...]]:
        """The same as rows, which may be damaged."""
        query = """SELECT number, rewards.id, CAST(record AS BLOB), reward, weight FROM rewards
                   JOIN decisions ON decisions.id = rewards.id WHERE number > ? ORDER BY number"""
        with self._transaction("DEFERRED") as run:
            return list(run(query, (after,)))

    def _reward(self, number: int, name: str, record: bytes, reward: Any, weight: Any) -> Reward:
        told = checked(self._decision(name, record))
        if not (is_finite(reward) and is_finite(weight) and weight > 0):
            raise self._damaged(name, f"its reward is {reward!r:.40}, weight {weight!r:.40}")
        return Reward(number, name, told["context"], told["arm"], reward, weight)

    def _decision(self, name: str, record: bytes) -> Record:
        """A decision as it was stored."""
        try:
            told = parsed(record)
            if checked(told)["id"] != name:
                raise ValueError(f"it is of decision {told['id']!r:.60}")
        except ValueError as error:
            raise self._damaged(name, f"{error!s:.200}") from error
        return told

    def _damaged(self, name: str, why: str) -> OutputError:
        problem = f"has a damaged record of decision {name} ({why})"
        return OutputError(self.path, problem, "correct or delete its rows")

    def publish(self, bandit: Bandit, learnt: int = 0, after: int = 0) -> int:
        """Let others decide with a bandit, which has learnt rewards up to number `learnt`.

        `after` is the version that it goes on from. If another has been published since, somebody
        else learns too, and this is refused. Returns the version.
        """
        state = bandit.to_bytes()
        with self._transaction() as run:
            newest = run("SELECT MAX(version) FROM bandits").fetchone()[0] or 0
            if newest != after:
                remedy = f"version {newest} is there: one process learns, from store.bandit()"
                raise InvalidInput("after", after, remedy)
            query = "INSERT INTO bandits (learnt, state) VALUES (?, ?)"
            version = int(run(query, (learnt, state)).lastrowid)
            run("DELETE FROM bandits WHERE version < ?", (version,))
            return version

    def bandit(self, after: int = 0) -> Version | None:
        """The published bandit, to decide with, if its version is newer than `after`.

        Every call gives random numbers of their own, so that no two processes choose alike.
        """
        with self._transaction("DEFERRED") as run:
            query = "SELECT version, learnt, state FROM bandits WHERE version > ?"
            found = run(query, (after,)).fetchone()
        if found is None:
            return None
        number, learnt, state = found
        seed, clock = randbits(62), None if self._clock is time else self._clock
        bandit = Bandit.from_bytes(state, self.trusted, seed=seed, clock=clock)
        return Version(number, learnt, bandit)

    def learn(self) -> int:
        """Let the published bandit learn the rewards that are new, and publish it again.

        Returns how many there were. A reward that the bandit refuses, or whose record is damaged,
        is left out with a warning.
        """
        if not self._news():
            return 0
        known = self.bandit()
        if known is None:
            raise InvalidInput("store", str(self.path), "publish a bandit first")
        rows = self._rewarded(known.learnt)
        for row in rows:
            try:
                told = self._reward(*row)
                known.bandit.learn(
                    context=told.context, arm=told.arm, reward=told.reward, weight=told.weight
                )
            except (InvalidInput, LookupError, OutputError) as error:  # its arm may be gone
                what = f"the reward of decision {row[1]} was refused: {error}"
                warnings.warn(what, stacklevel=2)
        if rows:
            self.publish(known.bandit, rows[-1][0], known.number)
        return len(rows)

    def _news(self) -> bool:
        """Whether there are rewards that the published bandit has not learnt."""
        query = "SELECT (SELECT MAX(number) FROM rewards), (SELECT MAX(learnt) FROM bandits)"
        with self._transaction("DEFERRED") as run:
            newest, learnt = run(query).fetchone()
        return learnt is None or (newest or 0) > learnt

    def counts(self) -> dict[str, int]:
        """How many decisions there are, and what became of them."""
        with self._transaction("DEFERRED") as run:
            found = dict(run("SELECT settled, COUNT(*) FROM decisions GROUP BY settled").fetchall())
        waiting, rewarded, expired = (found.get(it, 0) for it in (None, "reward", "expired"))
        total = waiting + rewarded + expired
        return {"decisions": total, "waiting": waiting, "rewarded": rewarded, "expired": expired}

    def append(self, records: Sequence[dict[str, Any]]) -> None:
        """Refused: decisions and rewards have methods of their own."""
        raise InvalidInput("log", str(self.path), "a store is no log to write to; use add, reward")

    def read(self) -> Iterator[dict[str, Any]]:
        """Decisions and rewards as records of a log, to be converted as one."""
        with self._transaction("DEFERRED") as run:
            query = "SELECT id, CAST(record AS BLOB) FROM decisions ORDER BY time, id"
            decisions = run(query).fetchall()
            query = """SELECT rewards.id, rewards.time, reward, weight, settled FROM rewards
                       JOIN decisions ON decisions.id = rewards.id ORDER BY number"""
            rewards = run(query).fetchall()
        for name, record in decisions:
            yield {"event": "decision", **self._decision(name, record)}
        for name, moment, reward, weight, settled in rewards:
            event = "expiry" if settled == "expired" else "reward"
            yield {"event": event, "id": name, "time": moment, "reward": reward, "weight": weight}

    def _settle(self, run: Any, name: str, how: str, reward: float | None, weight: float) -> None:
        run("UPDATE decisions SET settled = ? WHERE id = ?", (how, name))
        if reward is not None:
            query = "INSERT INTO rewards (id, time, reward, weight) VALUES (?, ?, ?, ?)"
            run(query, (name, self._clock(), reward, weight))

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[Any]:
        """All or nothing, and on the disk when the block has ended."""
        with self._lock, self._explained():
            if self._process != os.getpid():  # a connection must not be used by two processes
                self._inherited.append(self._connection)
                self._connect()
            run = self._connection.execute
            self._begin(run, kind)
            try:
                yield run
                run("COMMIT")
            except BaseException:
                run("ROLLBACK")
                raise

    def _begin(self, run: Any, kind: str) -> None:
        """As soon as no other process writes.

        SQLite itself would wait longer and longer between two tries, and starve some processes.
        """
        until = monotonic() + self.patience
        run("PRAGMA busy_timeout = 0")
        while True:
            try:
                run(f"BEGIN {kind}")
                break
            except sqlite3.OperationalError as error:
                is_busy = error.sqlite_errorcode & BASE == sqlite3.SQLITE_BUSY
                if not is_busy or monotonic() > until:
                    raise
                sleep(uniform(*PAUSE))
        run(f"PRAGMA busy_timeout = {int(1000 * self.patience)}")

    def _connect(self) -> None:
        with self._explained():
            self._connection = connection = sqlite3.connect(
                self.path, timeout=self.patience, isolation_level=None, check_same_thread=False
            )
            self._process = os.getpid()
            self._close = weakref.finalize(self, _closed, connection, self._process)
            try:
                self._prepare(connection.execute)
            except BaseException:
                self._close()
                raise

    def _prepare(self, run: Any) -> None:
        run("PRAGMA synchronous = FULL")
        wanted = "wal" if sqlite3.sqlite_version_info >= SAFE else "truncate"
        mode = run(f"PRAGMA journal_mode = {wanted}").fetchone()[0]
        if mode != wanted:
            problem = f"has journal mode {mode}, not safe in SQLite {sqlite3.sqlite_version}"
            raise OutputError(self.path, problem, "let all processes use one version")
        with self._transaction():
            form = run("PRAGMA user_version").fetchone()[0]
            if form not in (0, FORMAT):
                raise OutputError(self.path, f"has format {form}", "upgrade bandstrap")
            for statement in filter(str.strip, TABLES.split(";")):
                run(statement)
            run(f"PRAGMA user_version = {FORMAT}")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of SQLite as `OutputError`."""
        try:
            yield
        except sqlite3.IntegrityError as error:
            remedy = "every decision is stored once"
            raise InvalidInput("decisions", "a decision", f"{error}: {remedy}") from error
        except (sqlite3.Error, sqlite3.Warning, OSError, ValueError) as error:
            if isinstance(error, OutputError | InvalidInput):
                raise
            problem = f"cannot be used ({error})"
            raise OutputError(self.path, problem, "check the path and the disk") from error


def _closed(connection: sqlite3.Connection, process: int) -> None:
    if process == os.getpid():
        connection.close()

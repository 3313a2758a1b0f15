"""The one process that learns: it settles what is due, folds it, and publishes what it has."""

import json
import logging
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from secrets import token_hex
from threading import Event
from time import monotonic, time
from typing import Any

import msgspec
from sqlalchemy import Connection

from bandstrap.errors import BandstrapError, OutputError
from bandstrap.service.config import Experiment, ServiceConfig
from bandstrap.service.fold import COMMANDS, State, load, may_change, rebuild, settings_of
from bandstrap.service.store import Store, Unavailable
from bandstrap.service.store.leases import Lease, LeaseLost, check, give_up, take
from bandstrap.service.store.reading import command_step, tails
from bandstrap.service.store.rows import StoredReward
from bandstrap.service.store.steps import (
    Step,
    append_steps,
    errors_of,
    last_number,
    late_rewards,
    put_error,
    put_snapshots,
    put_status,
    with_records,
)
from bandstrap.service.store.writing import lock_decisions, rewards_of, settled_among
from bandstrap.service.trust import trusted_classes

__all__ = ["Learner", "rebuild"]

LEASE = 10.0  # seconds, renewed when half of them are over
PAUSE = 0.1  # seconds between two looks
BATCH = 500  # lessons in one transaction
BATCHES = 20  # in one call
SPACING = 5  # times what publishing takes
LOG = logging.getLogger(__name__)

Make = Callable[[Connection, int], list[Step]]  # steps from a number on


class Learner:
    """Learns all experiments of a service, each as long as no other process does.

    >>> from tempfile import mkdtemp
    >>> from bandstrap.service.config import config_from
    >>> from bandstrap.service.store import open_store
    >>> config = config_from({"experiments": {"news": {"arms": ["a", "b"]}}})
    >>> store = open_store(mkdtemp() + "/store.sqlite")
    >>> Learner(config, store).tick()
    1
    """

    def __init__(
        self, config: ServiceConfig, store: Store, *, holder: str = "", lease: float = LEASE
    ) -> None:
        self._holder = holder or token_hex(8)
        self.pupils = {
            name: Pupil(each, config, store, self._holder, lease)
            for name, each in config.experiments.items()
        }

    def tick(self, now: float | None = None) -> int:
        """Do all that is to be done now; returns how many steps that were."""
        return sum(each.tick(now) for each in self.pupils.values())

    def run(self, stop: Event) -> None:
        """Go on until `stop` is set; whatever fails is tried again."""
        while not stop.is_set():
            for each in self.pupils.values():
                try:
                    each.tick()
                except Unavailable as error:
                    LOG.warning("%s", error)
                except Exception as error:
                    LOG.exception("the learner of %s has failed", each.experiment.name)
                    each.complain(f"the learner has failed: {error}")
            stop.wait(PAUSE)
        self.close()

    def close(self) -> None:
        """Publish what was learnt, and let another process begin at once."""
        for each in self.pupils.values():
            each.close()


class Pupil:
    """One experiment of a learner."""

    def __init__(
        self, experiment: Experiment, config: ServiceConfig, store: Store, holder: str, lease: float
    ) -> None:
        self.experiment, self._config, self._store = experiment, config, store
        self._holder, self._seconds = holder, lease
        self._trusted = trusted_classes(config)
        self._lease: Lease | None = None
        self.state: State | None = None

    def tick(self, at: float | None = None) -> int:
        """Do all that is to be done now, if no other process does; returns how many steps.

        Of a long backlog it does a part, so that others see how it goes on.
        """
        now = time() if at is None else at
        try:
            if not self._hold(now):
                return 0
            state = self._begun(now)
            before = state.number
            self._read()
            self._obey(state, now)
            for _ in range(BATCHES):
                if not self._settle(state, now):
                    break
                self._judge(state, now)
                if not self._hold(time() if at is None else at) or self.state is None:
                    raise LeaseLost("it took too long")
            self._publish(state, now)
            return state.number - before + self._first
        except LeaseLost:
            self._forget()
            return 0
        except BaseException:  # whether a transaction was committed may be unknown: look again
            self._forget()
            raise

    def complain(self, text: str) -> None:
        """Leave an error for the page, if that is possible."""
        try:
            name = self.experiment.name
            self._store.write(lambda connection: put_error(connection, name, time(), text))
        except Unavailable as error:
            LOG.warning("%s", error)
        except Exception as error:  # of the text, which must not end the learner
            LOG.warning("an error could not be stored: %s", type(error).__name__)

    def close(self) -> None:
        lease = self._lease
        try:
            if self.state is not None:
                self._publish(self.state, time(), at_once=True)
            if lease is not None:
                give_up(self._store, lease)
        except (Unavailable, LeaseLost) as error:
            LOG.warning("%s", error)
        self._forget()

    def _hold(self, now: float) -> bool:
        """Whether this process holds the lease."""
        held = self._lease
        if held is not None and held.until - now > self._seconds / 2:
            return True
        name = f"learner/{self.experiment.name}"
        self._lease = take(self._store, name, self._holder, now, self._seconds)
        if self._lease is None or held is None or held.fence != self._lease.fence:
            self.state = None  # somebody else may have learnt meanwhile
        return self._lease is not None

    def _forget(self) -> None:
        self._lease = self.state = None

    def _begun(self, now: float) -> State:
        """What was learnt before, by whichever process."""
        self._first = 0
        if self.state is not None:
            return self.state
        state = load(self._store, self.experiment, self._trusted)
        self._tails = tails(self._store, self.experiment.name)
        self._waiting: set[str] = set()
        self._due: list[tuple[float, str]] = []
        self._ordered: list[Any] = []  # commands
        self._declined: set[Any] = set()  # verdicts that could not be carried out
        self._published, self._when, self._cost = -1, now, 0.0
        self._told: dict[str, Any] | None = None
        self._configure(state, now)
        self.state = state
        return state

    def _configure(self, state: State, now: float) -> None:
        wanted: dict[str, Any] = json.loads(json.dumps(settings_of(self.experiment)))
        if state.number:
            check_settings(self.experiment, state.settings)
        if not state.number or wanted != state.settings:
            state.check("configure", wanted)
            step = ("configure", wanted, None)
            self._first = self._append(state, now, [step])

    def _read(self) -> None:
        """Decisions, activations and commands that are new."""
        decisions, activations, commands = self._tails
        for row in decisions.read():
            self._waiting.add(row.id)
            if row.deadline is not None:
                heappush(self._due, (row.deadline, row.id))
        for row in activations.read():
            heappush(self._due, (row.deadline, row.id))
        self._ordered += commands.read()

    def _obey(self, state: State, now: float) -> None:
        """Carry out commands, or write down why not."""
        while self._ordered:
            row = self._ordered[0]
            told = {**json.loads(row.payload), "by": row.by, "position": row.position}
            kind = row.kind
            try:
                if kind not in COMMANDS:
                    raise OutputError(kind, "is no command", f"give one of {', '.join(COMMANDS)}")
                state.check(kind, told)
            except BandstrapError as error:
                kind, told = "refused", {**told, "command": row.kind, "why": str(error)}
                self.complain(f"{row.kind} was refused: {error}")
            self._append(state, now, [(kind, told, command_step(row.position))])
            self._ordered.pop(0)

    def _settle(self, state: State, now: float) -> bool:
        """Let decisions whose windows are over be learnt; whether there may be more."""
        names: list[str] = []
        while self._due and self._due[0][0] < now and len(names) < BATCH:
            names.append(heappop(self._due)[1])
        if not names:
            return False
        # A reward that is stored stays as it is, and what is settled is so until somebody else
        # learns, who is found out then: while these are read, others may write.
        early, settled = self._store.read(
            lambda connection: (rewards_of(connection, names), settled_among(connection, names))
        )
        left = [name for name in dict.fromkeys(names) if name not in settled]
        self._write_steps(state, lambda connection, number: self._lessons(
            connection, left, early, number, now))  # fmt: skip
        self._waiting.difference_update(names)
        for text in state.refusals[:3]:
            self.complain(text)
        return True

    def _lessons(
        self, connection: Connection, names: list[str], early: dict[str, StoredReward],
        number: int, now: float,
    ) -> list[Step]:  # fmt: skip
        """A lesson of each decision; its reward cannot come meanwhile."""
        if self._store.is_postgres:  # on SQLite nobody else writes meanwhile
            lock_decisions(connection, names)
        rewards = early | rewards_of(connection, [name for name in names if name not in early])
        return [
            Step(at, "lesson", self._paid(rewards.get(name)), name, now)
            for at, name in enumerate(names, number + 1)
        ]

    def _paid(self, reward: StoredReward | None) -> dict[str, Any]:
        """What a lesson says of a decision's reward."""
        given = reward is not None and not reward.late
        if reward is None or not given:
            told, at, metrics = self.experiment.default_reward, None, {}
        else:
            told, at, metrics = reward.reward, reward.time, msgspec.json.decode(reward.metrics)
        return {"reward": told, "weight": 1.0, "given": given, "at": at, "metrics": metrics}

    def _judge(self, state: State, now: float) -> None:
        """Do what the gate and guardrails ask for."""
        for verdict in state.facts.verdicts():
            if verdict in self._declined:
                continue
            field = "candidate" if verdict.kind == "promote" else "arm"
            told = {
                field: verdict.name,
                "by": "the gate" if field == "candidate" else "a guardrail",
            }
            try:
                state.check(verdict.kind, told)
            except BandstrapError as error:
                self._declined.add(verdict)
                self.complain(f"{verdict.kind} {verdict.name} was refused: {error}")
                continue
            self._append(state, now, [(verdict.kind, told, None)])

    def _append(
        self, state: State, now: float, told: Iterable[tuple[str, dict[str, Any], str | None]]
    ) -> int:
        """Write steps down and let them happen; how many were new."""
        given = [*told]

        def make(connection: Connection, number: int) -> list[Step]:
            known = settled_among(connection, [name for *_, name in given if name is not None])
            new = [each for each in given if each[2] not in known]
            return [
                Step(at, kind, payload, name, now)
                for at, (kind, payload, name) in enumerate(new, number + 1)
            ]

        return self._write_steps(state, make)

    def _write_steps(self, state: State, make: Make) -> int:
        lease, name = self._lease, self.experiment.name

        def work(connection: Connection) -> list[Step]:
            assert lease is not None
            check(connection, lease)
            if last_number(connection, name) != state.number:
                raise LeaseLost(f"another process has learnt {name}")
            steps = make(connection, state.number)
            append_steps(connection, name, steps)
            return steps

        steps = self._store.write(work)
        # What was decided does not change: others may write while it is read.
        state.apply(self._store.read(lambda connection: with_records(connection, steps)))
        return len(steps)

    def _publish(self, state: State, now: float, at_once: bool = False) -> None:
        """Let others decide with what was learnt, and see how it is."""
        spacing = max(self._config.publish, SPACING * self._cost)
        if now - self._when < spacing and not at_once and self._published >= 0:
            return
        self._when, begun = now, monotonic()
        if any(bandit.unsettled for bandit in state.bandits.values()):
            self._append(state, now, [("settle", {}, None)])
        told = self._status(state)
        if told == self._told and state.number == self._published:
            return
        snapshots = state.snapshots() if state.number != self._published else []
        lease, name = self._lease, self.experiment.name

        def work(connection: Connection) -> None:
            assert lease is not None
            check(connection, lease)
            if snapshots:
                put_snapshots(connection, name, snapshots, now)
            put_status(connection, name, {**told, "time": now})

        self._store.write(work)
        self._published, self._told = state.number, told
        self._cost = monotonic() - begun
        self._store.tidy()

    def _status(self, state: State) -> dict[str, Any]:
        name = self.experiment.name
        late = self._store.read(lambda connection: late_rewards(connection, name))
        errors = self._store.read(lambda connection: errors_of(connection, name))
        told = state.facts.status()
        lessons = told.get("decisions", 0)
        return {
            **told, "experiment": name, "mode": self.experiment.mode.value,
            "policy": state.deciding_name, "version": state.number,
            "described": state.described,
            "decisions": lessons + len(self._waiting), "waiting": len(self._waiting),
            "late": late, "errors": errors,
        }  # fmt: skip


def check_settings(experiment: Experiment, begun: dict[str, Any]) -> None:
    """Refuse settings from which what was learnt could not be rebuilt."""
    wanted: dict[str, Any] = json.loads(json.dumps(settings_of(experiment)))
    for setting, value in wanted.items():
        if not may_change(setting, begun) and begun.get(setting) != value:
            remedy = f"it was {begun.get(setting)!r}; change it back, or give a new name"
            where = f"experiment {experiment.name}"
            raise OutputError(where, f"was begun with another setting of {setting}", remedy)

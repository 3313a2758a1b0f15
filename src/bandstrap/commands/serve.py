"""`bandstrap serve`: decisions over HTTP, from this machine."""

import shlex
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from json import dumps
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from bandstrap.bandit.bandit import Bandit
from bandstrap.commands.terminal import line
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.one_thread import ONE_THREAD
from bandstrap.service.config import Mode, ServiceConfig, read_config
from bandstrap.service.contexts import example
from bandstrap.service.http.keys import check_host, new_key
from bandstrap.service.http.offered import Offered


@dataclass(frozen=True)
class Wanted:
    """What the command line changes in the configuration, and which processes run here."""

    store: str | None = None
    host: str | None = None
    port: int | None = None
    workers: int | None = None
    no_learner: bool = False
    learner_only: bool = False
    log: str = "plain"

    def __post_init__(self) -> None:
        if self.no_learner and self.learner_only:
            raise InvalidInput("--learner-only", True, "leave it out, or leave out --no-learner")
        if self.log not in ("plain", "json", "off"):
            raise UnknownName("form of the log", self.log, ("plain", "json", "off"))

    def config(self, path: Path) -> ServiceConfig:
        named = {name: getattr(self, name) for name in ("store", "host", "port", "workers")}
        given = {name: value for name, value in named.items() if value is not None}
        return replace(read_config(path), **given)


@dataclass(frozen=True)
class Checked:
    """A configuration that is valid."""

    config: ServiceConfig
    path: Path

    def as_dict(self) -> Mapping[str, object]:
        told = self.config
        return {
            "experiments": list(told.experiments),
            "store": shown(told.store),
            "keys": [key.name for key in told.keys],
        }

    def __rich__(self) -> RenderableType:
        return Group(line(f"{self.path} is valid"), *map(line, experiments(self.config)))


@dataclass(frozen=True)
class NewKey:
    """A key that nobody has yet."""

    key: str
    lines: str

    def as_dict(self) -> Mapping[str, object]:
        return {"key": self.key, "toml": self.lines}

    def __rich__(self) -> RenderableType:
        said = [
            f"key: {self.key}",
            "It is shown once: give it to the client. These lines of app.toml let it in:",
            "",
            *self.lines.split("\n"),
        ]
        return Group(*map(line, said))


@dataclass(frozen=True)
class Verified:
    """Whether the journal, learnt again from its first step, is what is in use."""

    experiment: str
    steps: int
    same: bool

    def as_dict(self) -> Mapping[str, object]:
        return {"experiment": self.experiment, "steps": self.steps, "same": self.same}

    def __rich__(self) -> RenderableType:
        told = "equals what is in use, bit for bit" if self.same else "DIFFERS from what is in use"
        style = "green" if self.same else "bold red"
        return line(
            f"{self.experiment}: {self.steps:,} steps learnt again: the state {told}", style
        )


def fresh_key() -> NewKey:
    return NewKey(*new_key())


def check(path: Path, wanted: Wanted) -> Checked:
    """Read the configuration and try everything in it that can be tried without a store."""
    config = wanted.config(path)
    check_host(config)
    return Checked(config, path)


def serve(path: Path, wanted: Wanted) -> int:
    """Serve until a signal comes; the exit code."""
    config = wanted.config(path)
    from bandstrap.service.http.processes.server import address, listen
    from bandstrap.service.http.processes.server import serve as run
    from bandstrap.service.practice import practise

    with ONE_THREAD:
        practise(config)  # processes that are forked from this one have it behind them
    listening = None if wanted.learner_only else listen(config)
    where = None if listening is None else address(listening)
    notice = prepare(config)
    for each in begun(config, where, not wanted.no_learner, notice):
        print(each, flush=True)
    return run(config, make_service, None if wanted.no_learner else learn, listening, wanted.log)


def verify(path: Path, wanted: Wanted, experiment: str) -> Verified:
    """Learn from the first step up to the newest snapshot, and compare all that it holds."""
    from bandstrap.service.fold import rebuild
    from bandstrap.service.store import open_store
    from bandstrap.service.store.steps import Snapshot, newest_snapshots
    from bandstrap.service.trust import trusted_classes

    config = wanted.config(path)
    trusted = trusted_classes(config)
    if experiment not in config.experiments:
        raise UnknownName("experiment", experiment, config.experiments)

    def told(snapshots: list[Snapshot]) -> object:
        return sorted(
            (it.policy, it.deciding, _without_epoch(it.state, trusted), dumps(it.facts))
            for it in snapshots
        )

    store = open_store(config.store)
    try:
        kept = store.read(lambda connection: newest_snapshots(connection, experiment))
        steps = max((each.number for each in kept), default=0)
        with ONE_THREAD:  # as the learner does: sums depend on the number of threads
            again = rebuild(store, config.experiments[experiment], steps)
        return Verified(experiment, steps, not kept or told(kept) == told(again.snapshots()))
    finally:
        store.close()


def _without_epoch(state: bytes, trusted: Iterable[Any]) -> bytes:
    """A bandit without the random word that its own ids begin with: here ids come from clients."""
    bandit = Bandit.from_bytes(state, [*trusted])
    bandit._pending.resume_epoch("compared")
    return bandit.to_bytes()


def prepare(config: ServiceConfig) -> str:
    """Make the store's tables, once, before processes share them; what it has to say."""
    from bandstrap.service.store import open_store

    store = open_store(config.store)
    try:
        return store.notice
    finally:
        store.close()


def make_service(config: ServiceConfig) -> Offered:
    from bandstrap.service.service import Service
    from bandstrap.service.store import open_store

    return Service(config, open_store(config.store))


def learn(config: ServiceConfig, stop: threading.Event) -> None:
    from bandstrap.service.learner import Learner
    from bandstrap.service.store import open_store

    Learner(config, open_store(config.store)).run(stop)


def begun(config: ServiceConfig, where: str | None, learner: bool, notice: str) -> list[str]:
    """What runs where, and what to try."""
    processes = [] if where is None else [f"{config.workers} deciding on {where}"]
    processes += ["one learning"] if learner else []
    said = [f"bandstrap serve: {' and '.join(processes)}", f"store: {shown(config.store)}"]
    said += [notice] if notice else []
    said += experiments(config)
    if where is not None:
        said += [*undeclared(config), f"page: {where}/"]
        said += ["try:", *(f"  {each}" for each in tries(config, where))]
    return said


def experiments(config: ServiceConfig) -> list[str]:
    return [
        f"experiment {each.name}: {len(each.arms)} arms, {each.policy or 'the default policy'}, "
        f"{each.mode.value}, window {each.window:g} s"
        for each in config.experiments.values()
    ]


def undeclared(config: ServiceConfig) -> list[str]:
    """A note on contexts that are not declared, where the first decision settles what they are."""
    return [
        f"experiment {each.name}: the first decision settles its context for good, also that there "
        "is none: declare `context` in the configuration"
        for each in config.experiments.values()
        if each.context is None and not each.bandit().policy.context_free
    ]


def tries(config: ServiceConfig, where: str) -> list[str]:
    """Three lines that decide, reward and look."""
    it = next(iter(config.experiments.values()))
    asked: dict[str, object] = {"id": "visit-1"}
    if it.context:
        asked["context"] = example(it.context)
    if it.mode is not Mode.ONLINE:
        asked["arm"] = next(iter(it.arms))
    told = shlex.quote(dumps(asked))
    key = '-H "Authorization: Bearer $KEY" ' if config.keys else ""
    sends = f"curl {key}-H content-type:application/json"
    return [
        f"{sends} {where}/v1/experiments/{it.name}/decisions -d {told}",
        f"{sends} {where}/v1/decisions/visit-1/reward -X PUT -d '{{\"reward\": 1}}'",
        f"curl {key}{where}/v1/experiments/{it.name}",
    ]


def shown(store: str) -> str:
    """A store without the password in its address.

    >>> shown("postgresql://web:secret@db/bandits"), shown("bandstrap.sqlite")
    ('postgresql://web@db/bandits', 'bandstrap.sqlite')
    """
    scheme, separator, rest = store.partition("://")
    if not separator:
        return store
    user, at, host = rest.rpartition("@")
    place = host.partition("?")[0]  # a password may be among the parameters too
    return f"{scheme}://{user.partition(':')[0]}{at}{place}"

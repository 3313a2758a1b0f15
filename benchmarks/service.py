"""Durable decisions and rewards over HTTP, beside the same server that stores nothing.

Clients on this machine decide and reward, one after the other, each on a connection of its own. The
floor is the same server, with the same parsing, keys and counters, over a service whose answers are
there at once. Both run at the same time and are asked by turns.

With `--rate` there is no floor: so many requests a second come for as long as `--seconds` says, and
the memory of all processes is looked at every `--every` seconds.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

import numpy as np

from output import Row, arguments, report

KEY = "a key for benchmarks"
APP = """
[service]
port = 0
workers = {workers}

[keys.load]
sha256 = "{digest}"
roles = ["decide", "reward", "read"]

[experiments.load]
arms = ["a", "b", "c"]
policy = "{policy}"
window = "{window}s"
"""


class Nothing:
    """A service that answers at once and stores nothing."""

    def __init__(self) -> None:
        from bandstrap.service.messages import DecisionAnswer, RewardAnswer

        self.answers: Any = _done(
            [DecisionAnswer("x", "load", "a", 0.5, 2.0, "exact", "online", 0, 0.0, 1.0)]
        )
        self.receipts: Any = _done([RewardAnswer("x", "stored", 0.0)])

    def decide(self, experiment: str, requests: list[Any]) -> Any:
        return self.answers

    def reward(self, rewards: list[Any]) -> Any:
        return self.receipts

    def activate(self, id: str) -> Any:  # noqa: A002
        raise NotImplementedError

    def command(self, experiment: str, kind: str, payload: Mapping[str, Any], by: str) -> Any:
        raise NotImplementedError

    def status(self, experiment: str) -> dict[str, Any]:
        return {"experiment": experiment}

    def experiments(self) -> list[str]:
        return ["load"]

    def ready(self) -> tuple[bool, str]:
        return True, ""

    def export(self, experiment: str) -> Iterator[str]:
        return iter(())

    def close(self) -> None:
        pass


def _done(result: Any) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_result(result)
    return future


def serve_nothing(path: str) -> int:
    """What the command does, without a store and a learner."""
    from bandstrap.service.config import read_config
    from bandstrap.service.http.processes.server import address, listen, serve

    config = read_config(path)
    listening = listen(config)
    print(f"page: {address(listening)}/", flush=True)
    return serve(config, lambda _: Nothing(), None, listening, "off")


class Client(asyncio.Protocol):
    """A connection that asks one thing at a time, with as little work as possible."""

    def __init__(self, name: str) -> None:
        self.name, self.number = name, 0
        self.transport: Any = None
        self.waiting: Any = None
        self.buffer = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, end, body = self.buffer.partition(b"\r\n\r\n")
        if end and len(body) >= int(head.partition(b"content-length: ")[2].partition(b"\r")[0]):
            self.buffer = b""
            self.waiting.set_result((head, body))

    def connection_lost(self, error: Exception | None) -> None:
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(error or ConnectionError("closed"))

    async def ask(self, method: str, path: str, body: str) -> float:
        """The seconds until the answer, which must be 200."""
        self.waiting = asyncio.get_running_loop().create_future()
        started = perf_counter()
        self.transport.write(
            f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {KEY}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode()
        )
        head, answer = await self.waiting
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError((head + answer).decode())
        return perf_counter() - started

    async def decide(self) -> float:
        self.number += 1
        body = f'{{"id": "{self.name}-{self.number}"}}'
        return await self.ask("POST", "/v1/experiments/load/decisions", body)

    async def reward(self) -> float:
        path = f"/v1/decisions/{self.name}-{self.number}/reward"
        return await self.ask("PUT", path, f'{{"reward": {self.number % 2}}}')

    async def work(self, until: float) -> list[float]:
        found = []
        while monotonic() < until:
            found += [await self.decide(), await self.reward()]
        return found

    async def keep(self, first: float, until: float, pause: float) -> list[float]:
        """A decision and its reward at every beat; seconds since the beat, late or not."""
        found, beat = [], first
        while beat < until:
            await asyncio.sleep(beat - monotonic())
            await self.decide()
            found.append(monotonic() - beat)
            found.append(await self.reward())
            beat += pause
        return found


class Load:
    """All clients of one server."""

    def __init__(self, port: int, clients: int) -> None:
        self.port, self.clients, self.turn = port, clients, 0

    async def run(self, seconds: float) -> np.ndarray[Any, Any]:
        made = await self._connected()
        until = monotonic() + seconds
        return await self._done(made, [each.work(until) for each in made])

    async def steady(
        self, seconds: float, rate: float, every: float, look: Callable[[], None]
    ) -> np.ndarray[Any, Any]:
        """So many requests a second; `look` is called at the start, in between and at the end."""
        made = await self._connected()
        start, pause = monotonic(), 2 * self.clients / rate
        beats = [start + place * pause / self.clients for place in range(self.clients)]
        looking = asyncio.create_task(_looking(every, look))
        try:
            found = await self._done(
                made,
                [it.keep(at, start + seconds, pause) for it, at in zip(made, beats, strict=True)],
            )
        finally:
            looking.cancel()
        look()
        return found

    async def _connected(self) -> list[Client]:
        loop = asyncio.get_running_loop()
        self.turn += 1
        made = []
        for place in range(self.clients):
            name = f"{os.getpid()}-{self.turn}-{place}"
            _, client = await loop.create_connection(
                lambda name=name: Client(name), "127.0.0.1", self.port
            )
            made.append(client)
        return made

    async def _done(self, made: list[Client], work: list[Any]) -> np.ndarray[Any, Any]:
        found = await asyncio.gather(*work)
        for each in made:
            each.transport.close()
        return np.concatenate(found)


async def _looking(every: float, look: Callable[[], None]) -> None:
    while True:
        look()
        await asyncio.sleep(every)


@contextmanager
def started(command: list[str], folder: Path) -> Iterator[tuple[int, int]]:
    """A server's port and the id of its process."""
    # It runs elsewhere, where a relative PYTHONPATH would lead to another bandstrap, or none.
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))),
    }
    with (folder / "log.txt").open("a") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=log, text=True
        )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"page: http://[\d.]+:(\d+)/$", line):
                yield int(found[1]), process.pid
                break
        else:
            raise SystemExit((folder / "log.txt").read_text())
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def memory(parent: int) -> dict[str, float]:
    """Megabytes of a server's processes that no other process shares."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    found = {}
    for place, pid in enumerate([str(parent), *children]):
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        private = sum(int(it) for it in re.findall(r"Private_\w+:\s+(\d+) kB", text))
        found["parent" if place == 0 else f"child {place}"] = private / 1024
    return found


def processor(parent: int) -> list[float]:
    """Seconds of a server's processes, the parent first."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    tick = os.sysconf("SC_CLK_TCK")
    fields = [Path(f"/proc/{pid}/stat").read_text().split() for pid in (str(parent), *children)]
    return [(int(it[13]) + int(it[14])) / tick for it in fields]


def main() -> None:
    parser = arguments((__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30.0, help="of each of the two")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--store", default="load.sqlite")
    parser.add_argument("--policy", default="ts")
    parser.add_argument("--window", type=float, default=5.0)
    parser.add_argument("--rate", type=float, help="requests a second, steadily, without a floor")
    parser.add_argument(
        "--every", type=float, default=60.0, help="seconds between two looks at memory"
    )
    given = parser.parse_args()
    if given.rate is not None:
        with tempfile.TemporaryDirectory() as folder:
            rows, note = kept_up(given, Path(folder))
        report(given.out, "service-steady", _settings(given), rows, note)
        return
    with tempfile.TemporaryDirectory() as folder:
        rows, kept = measured(given, Path(folder))
    note = (
        f"{given.clients} clients, {given.workers} workers; memory in MB, first and last: "
        + json.dumps(kept)
    )
    report(given.out, "service", _settings(given), rows, note)


def _settings(given: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(given).items() if name != "store"}


def kept_up(given: Any, folder: Path) -> tuple[list[Row], str]:
    """A steady load: the memory of each process at first, in the middle and at last."""
    looks: list[tuple[float, dict[str, float]]] = []
    with started(_real(given, folder), folder) as (port, parent):
        load = Load(port, given.clients)
        asyncio.run(load.run(1.0))  # until all is loaded
        look = lambda: looks.append((monotonic(), memory(parent)))  # noqa: E731
        found = asyncio.run(load.steady(given.seconds, given.rate, given.every, look))
    hours = np.array([at - looks[0][0] for at, _ in looks]) / 3600
    rows = [_grown(name, hours, [it[name] for _, it in looks]) for name in looks[0][1]]
    p50, p99, most = np.quantile(found, [0.5, 0.99, 1.0]) * 1000
    asked = f"{len(found):,} requests in {given.seconds:g} s, all answered"
    return rows, f"{asked}; ms: p50 {p50:.1f}, p99 {p99:.1f}, longest {most:.0f}"


def _grown(name: str, hours: Any, megabytes: list[float]) -> Row:
    """The slope is that of the second half: before, windows and caches fill."""
    half = len(hours) // 2
    slope = (
        float(np.polyfit(hours[half:], megabytes[half:], 1)[0]) if len(hours) > half + 1 else 0.0
    )
    return {
        "process": name,
        "first MB": megabytes[0],
        "middle MB": megabytes[half],
        "last MB": megabytes[-1],
        "MB an hour": slope,
    }


def _real(given: Any, folder: Path) -> list[str]:
    """The command of the server, and its configuration in the folder."""
    told = {"workers": given.workers, "policy": given.policy, "window": given.window}
    text = APP.format(digest=sha256(KEY.encode()).hexdigest(), **told)
    (folder / "app.toml").write_text(text)
    real = [sys.executable, "-m", "bandstrap", "serve", "app.toml"]
    return [*real, "--store", given.store, "--log", "off"]


def measured(given: Any, folder: Path) -> tuple[list[Row], Row]:
    real = _real(given, folder)
    floor = [sys.executable, str(Path(__file__).resolve()), "--nothing", "app.toml"]
    seconds: dict[str, list[Any]] = {"stores nothing": [], "durable": []}
    kept: list[dict[str, float]] = []
    with started(floor, folder) as (port, floor_parent), started(real, folder) as (other, parent):
        loads = {"stores nothing": Load(port, given.clients), "durable": Load(other, given.clients)}
        for each in loads.values():
            asyncio.run(each.run(1.0))  # until all is loaded
        kept.append(memory(parent))
        parents = {"stores nothing": floor_parent, "durable": parent}
        spent = {name: -np.array(processor(pid)) for name, pid in parents.items()}
        for _ in range(given.turns):
            for name, load in loads.items():
                seconds[name].append(asyncio.run(load.run(given.seconds / given.turns)))
            kept.append(memory(parent))
        spent = {name: spent[name] + np.array(processor(pid)) for name, pid in parents.items()}
    base = sum(map(len, seconds["stores nothing"]))
    rows = [
        _row(name, np.concatenate(found), given, base, spent[name])
        for name, found in seconds.items()
    ]
    return rows, {name: [round(it.get(name, 0.0), 1) for it in kept] for name in kept[0]}


def _row(name: str, seconds: Any, given: Any, base: int, spent: Any) -> Row:
    p50, p99, most = np.quantile(seconds, [0.5, 0.99, 1.0]) * 1000
    return {
        "server": name,
        "requests a second": len(seconds) / given.seconds,
        "of the floor": len(seconds) / base,
        "p50 ms": float(p50),
        "p99 ms": float(p99),
        "longest ms": float(most),
        "µs of workers": float(spent[1 : 1 + given.workers].sum() / len(seconds) * 1e6),
        "µs of the learner": float(spent[1 + given.workers :].sum() / len(seconds) * 1e6),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--nothing"]:
        sys.exit(serve_nothing(sys.argv[2]))
    main()

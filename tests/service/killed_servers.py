"""Kill servers while clients ask them: nothing that was answered is lost, or there twice.

    python tests/service/killed_servers.py --rounds 20 --processes 4 --clients 8

By lines of JSON over sockets and, where a kind begins with "http", by `bandstrap serve` itself with
so many workers, of which the whole process group is killed at once.

On SQLite in both journal modes, and on PostgreSQL, where the database's own processes are killed
too in every other round. A control, PostgreSQL that does not wait for its disk, must lose some.
Since what is killed leaves the system's cache alone, syncs are counted as well, by strace.
"""

import argparse
import os
import random
import shutil
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import postgres_server
from serving import Line, Web, stopped
from sqlalchemy import func, select
from worlds import config, same

from bandstrap.service.fold import load
from bandstrap.service.learner import Learner, rebuild
from bandstrap.service.store import open_store
from bandstrap.service.store.tables import DECISIONS, REWARDS, STEPS

CONTROL = "postgres without waiting"
KINDS = ("wal", "truncate", "postgres", "http", "http postgres", CONTROL)
RESTART = 5.0  # seconds, at most
LAZY = ("synchronous_commit=off", "wal_writer_delay=10s")


class Clients:
    """Threads that ask whichever process answers, and remember what they were told."""

    def __init__(self, many, kind=Line):
        self.decided, self.rewarded = {}, {}
        self.ports, self.first = [], None  # when somebody was answered since the last restart
        self._kind, self._stop = kind, threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(number,), daemon=True)
            for number in range(many)
        ]
        for each in self._threads:
            each.start()

    def stop(self):
        self._stop.set()
        for each in self._threads:
            each.join()

    def _run(self, number):
        rng, line, asked = random.Random(number), None, 0
        name = f"{number}-0"
        while not self._stop.is_set():
            try:
                if line is None:
                    line = self._kind(rng.choice(self.ports or [1]))
                answer = line.decide(name)
                if "status" not in answer:
                    self.decided[name] = answer["arm"], answer["time"]
                    value = rng.choice([0.0, 0.5, 1.0])
                    told = line.reward(name, value)
                    if told.get("receipt") in ("stored", "late"):
                        self.rewarded[name] = value
                        self.first = self.first or time.monotonic()
                    asked += 1
                    name = f"{number}-{asked}"
                else:
                    time.sleep(0.01)
            except (OSError, ValueError):  # killed: the same again, of another process
                line = _closed(line)
                time.sleep(0.01)
        _closed(line)


def _closed(line):
    with suppress(OSError):
        if line is not None:
            line.close()


def killed(asked, rounds, processes, clients, seconds, where, journal, server=None):
    """So many rounds; the longest restart in seconds, up to the first reward that is stored."""
    asking, longest = Clients(clients, asked), 0.0
    rng = random.Random(0)
    try:
        for number in range(rounds):
            began = time.monotonic()
            if server is not None and server.process.poll() is not None:
                server.start()
            asking.ports, asking.first, started = [], None, []
            for each in asked.started(where, journal, processes):
                started.append(each)
                asking.ports.append(each[1])
            while asking.first is None:
                time.sleep(0.005)
                assert time.monotonic() - began < 60, "nobody answers"
            longest = max(longest, asking.first - began)
            time.sleep(rng.uniform(0.3, 1.0) * seconds)
            if server is not None and number % 2 == 0:
                server.kill()
            for process, _ in started:
                stopped(process)
    finally:
        asking.stop()
    if server is not None and server.process.poll() is not None:
        server.start()
    return asking, longest


def compared(asking, where, journal):
    """What was answered and is not there, or otherwise."""
    store = open_store(where, journal, unsafe=True)
    rows = {
        table.name: store.read(lambda it, query=query: [*it.execute(query)])
        for table, query in (
            (DECISIONS, select(DECISIONS.c.id, DECISIONS.c.time)),
            (REWARDS, select(REWARDS.c.id, REWARDS.c.reward)),
        )
    }
    times = {row.id: row.time for row in rows["decisions"]}
    values = {row.id: row.reward for row in rows["rewards"]}
    assert len(times) == len(rows["decisions"])
    assert len(values) == len(rows["rewards"])
    lost = [name for name, (_, at) in asking.decided.items() if times.get(name) != at]
    lost += [name for name, value in asking.rewarded.items() if values.get(name) != value]
    if not lost:
        learnt(store)
    store.close()
    return lost


def learnt(store):
    """Every decision is learnt once, and what was learnt can be rebuilt."""
    given = config(window=2.0)
    learner = Learner(given, store)
    later = time.time() + 1000
    while learner.tick(later):
        pass
    state, news = learner.pupils["news"].state, given.experiments["news"]
    assert same(state, rebuild(store, news))
    assert same(state, load(store, news))
    lessons = select(func.count()).where(STEPS.c.kind == "lesson")
    decisions = select(func.count()).select_from(DECISIONS)
    counts = [store.read(lambda it, q=q: it.execute(q).scalar_one()) for q in (lessons, decisions)]
    assert counts[0] == counts[1], counts


def tried(kind, rounds, processes, clients, seconds, durable=True):
    """One kind of store; what was lost."""
    with TemporaryDirectory() as folder:
        server, asked = None, Web if kind.startswith("http") else Line
        where, journal = Path(folder) / "store.sqlite", None if asked is Web else kind
        if "postgres" in kind:
            lazy = LAZY if kind == CONTROL else ()
            server = postgres_server.Server(durable, settings=lazy)
            where, journal = server.fresh(), None
        try:
            given = asked, rounds, processes, clients, seconds, where, journal, server
            asking, longest = killed(*given)
            lost = compared(asking, where, journal)
        finally:
            if server is not None:
                server.stop()
    print(
        f"{kind}: {rounds} rounds, {len(asking.decided)} decisions and {len(asking.rewarded)} "
        f"rewards were answered, {len(lost)} lost; restart in {longest:.1f} s at most", flush=True,
    )  # fmt: skip
    return lost, longest


def syncs(kind, asked=50):
    """Syncs to the disk for each decision that one client asks for; None if nobody can count."""
    if shutil.which("strace") is None:
        return None
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        counts = Path(folder) / "calls"
        calls = "trace=fsync,fdatasync,sync_file_range,msync"
        under = ["strace", "-f", "-qq", "-e", calls, "-o", str(counts)]
        server, where, journal = None, Path(folder) / "store.sqlite", kind
        if kind == "postgres":
            server = postgres_server.Server(durable=True, under=under)
            where, journal = server.fresh(), None
        [(process, port)] = Line.started(where, journal, under=() if server else under)
        line = Line(port)
        line.decide("first")
        before = len(counts.read_text().splitlines())
        for number in range(asked):
            line.decide(f"{number}")
        found = len(counts.read_text().splitlines()) - before
        line.close()
        stopped(process)
        if server is not None:
            server.process = _traced(server.process)
            server.stop()
    return found / asked


def _traced(process):
    """What strace runs: it has to be told to stop, not strace."""
    for child in postgres_server._children(process.pid):
        os.kill(child, 2)
    process.wait()
    return process


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--kinds", default=",".join(KINDS))
    told = parser.parse_args()
    faults = []
    for kind in told.kinds.split(","):
        if "postgres" in kind and postgres_server.programs() is None:
            print(f"{kind}: skipped, PostgreSQL is not installed")
            continue
        lost, longest = tried(kind, told.rounds, told.processes, told.clients, told.seconds)
        is_control = kind == CONTROL
        if is_control != bool(lost):
            faults.append(f"{kind}: {len(lost)} lost, as in {lost[:3]}")
        if longest > RESTART:
            faults.append(f"{kind}: a restart took {longest:.1f} s")
        if not is_control and not kind.startswith("http"):
            found = syncs(kind)
            shown = "strace is missing: no" if found is None else f"{found:.2f}"
            print(f"{kind}: {shown} syncs a decision")
            if found is not None and found < 1:
                faults.append(f"{kind}: {found} syncs a decision")
    print("\n".join(faults) or "nothing was lost but by the control")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

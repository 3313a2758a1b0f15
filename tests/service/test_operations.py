"""What docs/operations.md says, with `bandstrap serve` itself: a full disk, backup and restore."""

import os
import re
import resource
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from serving import Web, stopped

from bandstrap.commands.serve import Wanted, verify
from bandstrap.service.store import open_store
from bandstrap.service.store.tables import DECISIONS
from pages import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sets limits of processes")
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
LONG = {f"field {i}": "long" * 50 for i in range(50)}  # 10 kB
PATIENCE = 20.0  # seconds


@contextmanager
def serving(where):
    [(process, port)] = Web.started(where, None)
    web = Web(port)
    try:
        yield process, web
    finally:
        web.close()
        if process.poll() is None:
            stopped(process)


def group(process):
    """The server and the processes that it has started."""
    found = [process.pid]
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        return found + [int(each) for each in file.read().split()]


def limit(process, size):
    """No process may make a file longer than that: the disk is full, as far as they see."""
    for each in group(process):
        resource.prlimit(each, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def decided(web, name):
    """Whether a decision was acknowledged."""
    return web.decide(name, context=LONG).get("status", 200)


def test_a_full_disk_is_503_and_got_over_without_a_restart(tmp_path):
    where = tmp_path / "store.sqlite"
    with serving(where) as (process, web):
        assert decided(web, "first") == 200
        longest = max(each.stat().st_size for each in tmp_path.iterdir())
        limit(process, longest + 300_000)
        statuses = {f"{i}": decided(web, f"{i}") for i in range(100)}
        assert {*statuses.values()} == {200, 503}
        assert list(statuses.values()).index(503) > 2
        limit(process, resource.RLIM_INFINITY)
        until = time.monotonic() + PATIENCE
        while decided(web, "after") != 200:
            assert time.monotonic() < until
            time.sleep(0.05)
        again = [name for name, status in statuses.items() if status == 503]
        assert decided(web, again[0]) == 200  # the same id: nothing was stored under it
        assert process.poll() is None
    store = open_store(where)
    stored = store.read(lambda it: {row.id for row in it.execute(DECISIONS.select())})
    store.close()
    acknowledged = {name for name, status in statuses.items() if status == 200}
    assert stored == acknowledged | {"first", "after", again[0]}


def backed_up(folder):
    """By the command on the page; by the same function of SQLite where that is not installed."""
    [line] = re.findall(r"^sqlite3 .*backup.*$", PAGE, re.M)
    if shutil.which("sqlite3") is not None:
        subprocess.run(shlex.split(line), cwd=folder, check=True)
        return
    with sqlite3.connect(folder / "bandstrap.sqlite") as one:
        one.backup(sqlite3.connect(folder / "backup.sqlite"))


def test_a_backup_of_a_running_server_is_restored(tmp_path):
    where = tmp_path / "bandstrap.sqlite"
    with serving(where) as (process, web):
        for i in range(8):
            made = web.decide(f"{i}")
            assert web.reward(f"{i}", float(made["arm"] == "b"))["receipt"] == "stored"
        learnt = until_learnt(web, 8)
        backed_up(tmp_path)
        assert web.decide("later")["arm"]
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
    os.replace(tmp_path / "backup.sqlite", where)
    for suffix in ("-wal", "-shm", "-journal"):
        assert suffix in PAGE
        (tmp_path / f"bandstrap.sqlite{suffix}").unlink(missing_ok=True)
    with serving(where) as (_, web):
        assert web.decide("0")["repeated"]
        assert web.reward("0", 0.7)["status"] == 409
        assert web.reward("later", 1.0)["status"] == 404
        assert until_learnt(web, 8)["rewards"] == learnt["rewards"] == 8
    toml = tmp_path / "app.toml"
    arms = '[experiments.news]\narms = ["a", "b", "c"]\npolicy = "wb"\n'
    toml.write_text(arms, encoding="utf-8")
    assert verify(toml, Wanted(store=str(where)), "news").same


def until_learnt(web, many):
    until = time.monotonic() + PATIENCE
    while True:
        status = web._asked("GET", "/v1/experiments/news", None)
        if status["decisions"] - status["waiting"] >= many or time.monotonic() > until:
            return status
        time.sleep(0.05)

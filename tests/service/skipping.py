"""Many write at once to PostgreSQL: the learner's reader skips none of their rows.

    python tests/service/skipping.py --rows 100000 --writers 8

Numbers are given before transactions commit, so that one who remembers the last number that was
read, the control, skips rows.
"""

import argparse
import random
import sys
import threading
import time
from multiprocessing import get_context

import postgres_server
from sqlalchemy import select

from bandstrap.service.store import open_store
from bandstrap.service.store.reading import Tail
from bandstrap.service.store.rows import NewDecision
from bandstrap.service.store.tables import DECISIONS
from bandstrap.service.store.writing import put_decisions

GROUP = 20  # rows in a transaction


def write(url, writer, rows):
    """Rows in groups, each of them a moment before it is committed."""
    store, rng = open_store(url), random.Random(writer)

    def work(transaction, start):
        for i in range(start, min(start + GROUP, rows)):
            row = NewDecision(f"{writer}-{i}", "news", 0.0, 1.0, "", "{}", "{}")
            put_decisions(transaction, [row], [])
            if rng.random() < 0.02:
                time.sleep(rng.uniform(0.0, 0.02))

    for start in range(0, rows, GROUP):
        store.write_rows(lambda it, start=start: work(it, start))
    store.close()


class Control(threading.Thread):
    """Reads what has a higher number than the last."""

    def __init__(self, store):
        super().__init__(daemon=True)
        self.store, self.found, self.last = store, set(), 0
        self.done = threading.Event()

    def look(self):
        query = select(DECISIONS.c.position, DECISIONS.c.id).where(DECISIONS.c.position > self.last)
        for row in self.store.read(lambda it: [*it.execute(query)]):
            self.found.add(row.id)
            self.last = max(self.last, row.position)

    def run(self):
        while not self.done.wait(0.005):
            self.look()
        self.look()


def skipped(server, rows, writers):
    """How many rows the learner's reader and the control have skipped, or had twice."""
    url = server.fresh()
    store = open_store(url)
    tail, found = Tail(store, "news", DECISIONS, ("id", "deadline")), []
    found += tail.read()
    control = Control(store)
    control.start()
    context = get_context("spawn")
    started = [
        context.Process(target=write, args=(url, number, rows // writers))
        for number in range(writers)
    ]
    for each in started:
        each.start()
    while any(each.is_alive() for each in started):
        found += tail.read()
        time.sleep(0.01)
    control.done.set()
    control.join()
    found += tail.read()
    assert [each.exitcode for each in started] == [0] * writers
    there = {f"{writer}-{i}" for writer in range(writers) for i in range(rows // writers)}
    names = [row.id for row in found]
    store.close()
    return len(there - {*names}), len(names) - len({*names}), len(there - control.found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--writers", type=int, default=8)
    told = parser.parse_args()
    if postgres_server.programs() is None:
        sys.exit("PostgreSQL is not installed: scripts/postgres installs it, as root")
    server = postgres_server.Server()
    missing, twice, control = skipped(server, told.rows, told.writers)
    server.stop()
    print(f"of {told.rows} rows the learner skipped {missing}, had {twice} twice; "
          f"one who reads by number skipped {control}")  # fmt: skip
    sys.exit(bool(missing or twice or not control))


if __name__ == "__main__":
    main()

"""Many threads of several processes ask for the same decisions: one row, one answer.

python tests/service/askers.py --threads 50 --processes 3
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import postgres_server
from sqlalchemy import func, select

from bandstrap.service.store import open_store
from bandstrap.service.store.tables import DECISIONS, REWARDS

ASKER = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from worlds import config, decide, reward
from bandstrap.service.service import Service
from bandstrap.service.store import open_store
where, journal, threads, ids = sys.argv[1], sys.argv[2] or None, int(sys.argv[3]), int(sys.argv[4])
store = open_store(where, journal)
service = Service(config(), store)
print("ready", flush=True)
sys.stdin.readline()
def ask(number):
    name = str(number % ids)
    answer = decide(service, name)
    receipt = reward(service, name, 1.0).receipt
    return name, answer.arm, answer.time, answer.repeated, receipt
with ThreadPoolExecutor(threads) as pool:
    print(json.dumps([*pool.map(ask, range(threads * 2))]), flush=True)
service.close()
store.close()
"""


def asked(where, kind, threads, processes, ids):
    """What all of them were told, of each decision and its reward."""
    journal = "" if kind == "postgres" else kind
    command = [sys.executable, "-c", ASKER, str(where), journal, f"{threads}", f"{ids}"]
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                         env={**os.environ, "PYTHONPATH": path})
        for _ in range(processes)
    ]  # fmt: skip
    assert [each.stdout.readline() for each in started] == ["ready\n"] * processes
    for each in started:
        each.stdin.write("\n")
        each.stdin.flush()
    return [row for each in started for row in json.loads(each.communicate()[0])]


def one_answer_each(store, told, ids):
    assert len({(name, arm, time) for name, arm, time, *_ in told}) == ids
    assert sum(not repeated for *_, repeated, _ in told) == ids
    assert sum(receipt == "stored" for *_, receipt in told) == ids
    for table in (DECISIONS, REWARDS):
        query = select(func.count()).select_from(table)
        assert store.read(lambda it, query=query: it.execute(query).scalar_one()) == ids


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=50)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--ids", type=int, default=40)
    told = parser.parse_args()
    server = None if postgres_server.programs() is None else postgres_server.Server(durable=True)
    with TemporaryDirectory() as folder:
        for kind in ("wal", "truncate", *(["postgres"] if server else [])):
            where = server.fresh() if kind == "postgres" else Path(folder) / kind
            store = open_store(where, None if kind == "postgres" else kind)
            answers = asked(where, kind, told.threads, told.processes, told.ids)
            one_answer_each(store, answers, told.ids)
            store.close()
            print(f"{kind}: {len(answers)} were asked for {told.ids} decisions, one answer each")
    if server:
        server.stop()


if __name__ == "__main__":
    main()

"""What the fuzzer must notice it notices, and files can be made again by their number."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

# Processes are forked from one without threads, which a worker of pytest is not.
SCRIPT = """
import json, os, socket, subprocess, sys, time
from pathlib import Path
from fuzz.pool import Clock, Pool
from fuzz.watch import Watch

def end():
    os.kill(os.getpid(), 11)

def hang():
    while True:
        pass

def wait():
    time.sleep(100)

def swallowed():
    try:
        Path("../outside").write_text("x")
    except Exception:
        pass

DEEDS = {
    "nothing": lambda: None,
    "own file": lambda: Path("saved/mine").write_text("x"),
    "other file": lambda: Path("outside").write_text("x"),
    "swallowed": swallowed,
    "removed": lambda: os.remove("kept"),
    "renamed": lambda: os.rename("saved", "other"),
    "process": lambda: subprocess.run(["true"]),
    "shell": lambda: os.system("true"),
    "fork": os.fork,
    "socket": lambda: socket.create_connection(("localhost", 1)),
    "import": lambda: __import__("this"),
    "crash": end,
    "exit": lambda: os._exit(0),
    "hang": hang,
    "wait": wait,
}

def work(number, folder, tell):
    (folder / "saved").mkdir(exist_ok=True)
    (folder / "kept").touch()
    os.chdir(folder)
    watch = Watch(folder / "saved", folder / "kernels")
    tell(Clock.now())
    if list(DEEDS)[number] == "crash":
        end()
    try:
        with watch:
            list(DEEDS.values())[number]()
    except RuntimeError:
        pass
    return {"misdeeds": [kind for kind, _ in watch.misdeeds], "notes": sorted(watch.notes)}

told = {}
for ended in Pool(work, 2, Path(sys.argv[1]), limit=0.5).run(range(len(DEEDS))):
    told[list(DEEDS)[ended.number]] = [ended.result, ended.status, ended.hung, ended.stack]
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    done = run("-c", SCRIPT, str(tmp_path_factory.mktemp("jobs")))
    return json.loads(done.stdout)


def run(*arguments):
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment
    )


@pytest.mark.parametrize(
    ("deed", "kinds"),
    [
        ("nothing", []),
        ("own file", []),
        ("other file", ["files touched"]),
        ("swallowed", ["files touched"]),
        ("removed", ["files touched"]),
        ("renamed", ["files touched"]),
        ("process", ["processes"]),
        ("shell", ["processes"]),
        ("fork", ["processes"]),
        ("socket", ["sockets"]),
    ],
)
def test_misdeeds_are_noticed_and_do_not_happen(told, deed, kinds):
    assert told[deed][0]["misdeeds"] == kinds


def test_imports_are_noted(told):
    assert "import this" in told["import"][0]["notes"]


def test_crashes_and_hangs_are_told_and_where_they_were(told):
    result, status, hung, stack = told["crash"]
    assert (result, status, hung) == (None, -11, False)
    assert " in end" in stack
    result, status, hung, stack = told["hang"]
    assert (result, status, hung) == (None, -9, True)
    assert " in hang" in stack
    assert told["wait"][:3] == [None, -9, True]


def test_a_file_that_ends_the_process_is_told(told):
    assert told["exit"][0] is None


def test_files_of_a_seed_have_the_same_changes(tmp_path):
    done = run("-c", MADE, str(tmp_path))
    assert done.stdout == "60\n", done.stderr


MADE = """
import json, sys
from pathlib import Path
from fuzz.campaign import Campaign

made = []
folder = Path(sys.argv[1])
for _ in range(2):
    campaign = Campaign(["eg", "phe", "online-bootstrap"], 1, folder)
    campaign.prepare()
    for number in range(60):
        campaign.make(number, folder, takes=lambda: True)
        told = json.loads((folder / "told.json").read_text())  # with ids, which differ
        made.append([each.partition(":")[0] for each in told])
print(sum(one == two for one, two in zip(made[:60], made[60:])))
"""

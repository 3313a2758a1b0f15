"""Two commands do not share a folder, and a dead one does not keep it."""

import os
import signal
import subprocess
import sys
from threading import Thread

import pytest

from bandstrap.errors import OutputError
from bandstrap.simulation.store.folder import locked
from called import called, failed, in_one_line

# Takes the lock, says so, and keeps it until it is ended.
HOLDER = """
import sys
from pathlib import Path
from bandstrap.simulation.store.folder import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
REPRODUCE = ("reproduce", "theorem1", "--quick", "--out")


@pytest.fixture
def holder(tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-c", HOLDER, str(out)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout.readline() == "held\n"
        yield out, process
        process.kill()


def test_the_second_command_is_told_who_is_at_work(holder):
    out, process = holder
    said = in_one_line(failed(*REPRODUCE, out))
    assert f"{out}: is in use by process {process.pid} on " in said
    assert " since 2" in said
    assert "wait until it is done" in said
    assert "choose another --out" in said
    assert [path.name for path in out.iterdir()] == [".lock"]


@pytest.mark.parametrize("command", ["compare", "benchmark"])
def test_other_commands_ask_too(holder, tmp_path, command):
    out, _ = holder
    rows = [f"{i % 7},{i % 2}" for i in range(60)]
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "t.csv").write_text("\n".join(["x,y", *rows]))
    given = {
        "compare": [tmp_path / "tables" / "t.csv", "--label", "y"],
        "benchmark": ["--folder", tmp_path / "tables", "--label", "y"],
    }
    names = ["--policies", "eg-lin,ts-lin", "--rounds", "20", "--runs", "2", "--workers", "1"]
    assert "is in use by process" in failed(command, *given[command], *names, "--out", out)
    assert [path.name for path in out.iterdir()] == [".lock"]


def test_a_killed_process_keeps_nothing(holder):
    out, process = holder
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (out / ".lock").exists()
    code, _, said = called(*REPRODUCE, out)
    assert (code, said) == (0, "")
    assert not (out / ".lock").exists()


def test_workers_do_not_keep_it_after_the_one_that_started_them(tmp_path):
    code = """
import os, signal, sys
from pathlib import Path
from joblib import Parallel, delayed
from bandstrap.simulation.store.folder import locked
with locked(Path(sys.argv[1])):
    pids = Parallel(n_jobs=2)(delayed(os.getpid)() for _ in range(2))
    assert os.getpid() not in pids
    os.kill(os.getpid(), signal.SIGKILL)
"""
    out = tmp_path / "out"
    process = subprocess.Popen([sys.executable, "-c", code, str(out)], start_new_session=True)
    try:
        assert process.wait(120) == -signal.SIGKILL
        os.killpg(process.pid, 0)  # workers are still there
        with locked(out):
            pass
    finally:
        os.killpg(process.pid, signal.SIGKILL)


def test_nothing_is_left(tmp_path):
    out = tmp_path / "new" / "out"
    with locked(out):
        assert (out / ".lock").read_text().startswith(f"process {os.getpid()} on ")
    assert not list(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt), locked(out):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())
    with locked(out):
        (out / "results").touch()
    assert [path.name for path in out.iterdir()] == ["results"]


def test_threads_take_turns(tmp_path):
    """Each removes the file, and nobody holds one that is no longer there."""
    inside, most, refused = [], [], []

    def turn(number):
        for _ in range(200):
            try:
                with locked(tmp_path):
                    inside.append(number)
                    most.append(len(inside))
                    inside.remove(number)
            except OutputError:
                refused.append(number)

    threads = [Thread(target=turn, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert len(most) + len(refused) == 800
    assert not list(tmp_path.iterdir())


def test_a_lock_that_is_none_is_named(tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / ".lock").symlink_to("mine")
    with (
        pytest.raises(OutputError, match=r"\.lock: cannot be written.*delete it"),
        locked(tmp_path),
    ):
        pass
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize("said", [b"", b"\x1b[31mred\n", b"\xff\xfe"])
def test_what_a_lock_says_is_only_shown_if_it_is_text(holder, said):
    out, _ = holder
    (out / ".lock").write_bytes(said)
    with pytest.raises(OutputError) as refused, locked(out):
        pass
    assert str(refused.value).isprintable()


def test_two_processes_may_ask_at_once_whether_a_folder_is_writable(tmp_path):
    from bandstrap.simulation.store.folder import writable

    failures = []

    def ask():
        try:
            for _ in range(200):
                writable(tmp_path)
        except OutputError as error:
            failures.append(error)

    threads = [Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    with pytest.raises(OutputError, match="null byte"):
        writable(tmp_path / "a\0b")

"""Ctrl-C and signals that end: one sentence, what is done is kept, nobody is left working."""

import errno
import os
import shlex
import signal
import subprocess
import sys
import time
from threading import Event, Thread

import numpy as np
import pytest

import bandstrap.commands.names
from bandstrap.commands.calling import Commands
from bandstrap.simulation import runner
from bandstrap.simulation.interrupts import unheard
from called import called

# Batches in progress are saved all the time, so that there is something to keep at once.
SAVING = """
import sys
from functools import partial
from bandstrap.experiments import session
session.Runner = partial(session.Runner, save_every=0.0)
from bandstrap.cli import main
main()
"""
BLOCKED = "from signal import *; print(SIGINT in pthread_sigmask(SIG_BLOCK, []))"
ENDLESS = ("reproduce", "figure1", "--policies", "wb", "--runs", "2", "--horizon", "9000000")


SIGNALS = {
    signal.SIGINT: (130, "interrupted"),
    signal.SIGTERM: (143, "ended by SIGTERM"),
    signal.SIGHUP: (129, "ended by SIGHUP"),
}


@pytest.fixture(autouse=True)
def heard():
    """Signals are heard here and in children, even where the tests themselves run under nohup."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, answer in before.items():
        if answer == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    yield
    for number, answer in before.items():
        signal.signal(number, answer)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("send", "number"),
    [
        (os.killpg, signal.SIGINT),
        (os.kill, signal.SIGTERM),  # all are answered alike: the last tests send each
    ],
)
def test_while_workers_run(tmp_path, send, number):
    arguments = [*ENDLESS, "--workers", "2", "--out", str(tmp_path / "my out")]
    process = subprocess.Popen(
        [sys.executable, "-c", SAVING, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 120
        while len(list(tmp_path.rglob("*.midway"))) < 2:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.01)
        assert len(members(process.pid)) > 2  # itself and its workers
        send(process.pid, number)
        # Returns when nobody has the other ends of the pipes any more: no worker is left.
        out, said = process.communicate(timeout=60)
    finally:
        if members(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
    again = shlex.join(["bandstrap", *arguments])
    code, words = SIGNALS[number]
    assert said == f"{words}; finished work is kept, continue with: {again}\n"
    assert (process.returncode, out) == (code, "")
    assert members(process.pid) == []
    kept = list(tmp_path.rglob("*.midway"))
    assert len(kept) >= 2
    for path in kept:
        with np.load(path) as play:
            assert "text" in play.files


def members(group):
    """Processes of a group that have not ended."""
    asked = ["ps", "-eo", "pgid=,stat=,pid=,args="]
    lines = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [line.split(maxsplit=3) for line in lines]
    # One in brackets has given its memory back: it runs nothing any more, it only is not gone yet.
    return [
        each
        for each in found
        if int(each[0]) == group and not each[1].startswith("Z") and not each[-1].startswith("[")
    ]


def interrupted(*given):
    raise KeyboardInterrupt


def test_while_one_process_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "run_batch", interrupted)
    code, out, said = called(*ENDLESS, "--workers", "1", "--out", tmp_path)
    assert (code, out) == (130, "")
    again = shlex.join(["bandstrap", *ENDLESS, "--workers", "1", "--out", str(tmp_path)])
    assert said == f"interrupted; finished work is kept, continue with: {again}\n"


def test_where_nothing_is_kept(monkeypatch):
    monkeypatch.setattr(bandstrap.commands.names, "known", interrupted)
    assert called("list") == (130, "", "interrupted; start again with: bandstrap list\n")


def test_an_interrupt_waits_where_it_is_not_heard():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *given: heard.append(given))
    try:
        with unheard():
            signal.raise_signal(signal.SIGINT)  # to this thread
            started = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True)
            assert started.stdout.split() == [b"True"]
            assert not heard
        assert len(heard) == 1
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_that_another_thread_is_given_is_not_lost():
    # Whatever tests before this one have left behind in the process.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    mask = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    over = Event()
    thread = Thread(target=over.wait)
    thread.start()

    def meanwhile():
        with unheard():
            signal.pthread_kill(thread.ident, signal.SIGINT)
            over.set()
            thread.join()  # it cannot end before it was given the interrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            meanwhile()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("answer", [signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler])
def test_who_answers_is_as_before(answer):
    before = signal.signal(signal.SIGINT, answer)
    try:
        with unheard():
            pass
        assert signal.getsignal(signal.SIGINT) == answer
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_signals_alone():
    seen = []

    def look():
        with unheard():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


@pytest.mark.parametrize("command", ["compare", "benchmark"])
def test_other_commands_end_with_their_workers(tmp_path, command):
    (tmp_path / "t.csv").write_text("x,y\n" + "1,a\n2,b\n" * 50)
    data = ("t.csv", "--label", "y") if command == "compare" else ("--folder", ".")
    long = ("--policies", "wb-log,npb-log", "--rounds", "9000000", "--runs", "2")
    process = subprocess.Popen(
        [sys.executable, "-m", "bandstrap", command, *data, *long, "--workers", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 120
        while len(members(process.pid)) < 3:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
        process.terminate()
        _, said = process.communicate(timeout=60)
    finally:
        if members(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 143
    told = f"ended by SIGTERM; finished work is kept, continue with: bandstrap {command} "
    assert said.startswith(told)
    assert members(process.pid) == []


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_who_ends_a_process_without_an_answer_is_not_answered(name):
    # A program that simulates has asked for no handler, and hears what it always heard.
    number = getattr(signal, name)
    before = signal.signal(number, signal.SIG_DFL)
    try:
        with unheard():
            assert signal.getsignal(number) == signal.SIG_DFL
            assert number not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    finally:
        signal.signal(number, before)


def test_an_answer_of_the_users_own_is_given_once_workers_have_started():
    heard = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        with unheard():
            signal.raise_signal(signal.SIGTERM)
            assert not heard
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_what_is_ignored_stays_ignored(monkeypatch):
    seen = []

    def look():
        seen.append(signal.getsignal(signal.SIGHUP))
        return {"names": {"policies": ["wb"]}, "about": {}}

    monkeypatch.setattr(bandstrap.commands.names, "known", look)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        assert called("list")[0] == 0
        assert seen == [signal.SIG_IGN]
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        assert called("list")[0] == 0
        assert callable(seen[1])
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_terminal_that_is_gone_does_not_hide_the_signal(monkeypatch):
    def gone():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        raise OSError(errno.EIO, "Input/output error")  # as where a bar is taken off it

    monkeypatch.setattr(bandstrap.commands.names, "known", gone)
    code, out, said = called("list")
    assert (code, out, said) == (129, "", "")


@pytest.mark.parametrize("number", SIGNALS)
def test_before_a_command_has_begun(monkeypatch, number):
    def early(*given, **more):
        signal.raise_signal(number)

    monkeypatch.setattr(Commands, "parse_args", early)
    code, out, _ = called("list")
    assert (code, out) == (SIGNALS[number][0], "")

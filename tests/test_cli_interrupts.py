"""Ctrl-C: one sentence, what is done is kept, and nobody is left working."""

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


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["the process", "the group"])
def test_while_workers_run(tmp_path, send):
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
        send(process.pid, signal.SIGINT)
        # Returns when nobody has the other ends of the pipes any more: no worker is left.
        out, said = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    again = shlex.join(["bandstrap", *arguments])
    assert said == f"interrupted; what is done is kept, go on with: {again}\n"
    assert (process.returncode, out) == (130, "")
    kept = list(tmp_path.rglob("*.midway"))
    assert len(kept) >= 2
    for path in kept:
        with np.load(path) as play:
            assert "text" in play.files


def interrupted(*given):
    raise KeyboardInterrupt


def test_while_one_process_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "run_batch", interrupted)
    code, out, said = called(*ENDLESS, "--workers", "1", "--out", tmp_path)
    assert (code, out) == (130, "")
    again = shlex.join(["bandstrap", *ENDLESS, "--workers", "1", "--out", str(tmp_path)])
    assert said == f"interrupted; what is done is kept, go on with: {again}\n"


def test_where_nothing_is_kept(monkeypatch):
    monkeypatch.setattr(bandstrap.commands.names, "names", interrupted)
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

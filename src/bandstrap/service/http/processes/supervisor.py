"""Keeps processes running: those that die are started again, and all end together."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any

from bandstrap.service.http.processes.worker import CANNOT

PATIENCE = 5.0  # seconds until what does not end is killed
LIVED = 5.0  # seconds after which a process counts as having worked
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
ENDING = ("SIGTERM", "SIGINT", "SIGHUP")


@dataclass
class Kept:
    """A process that is to run, and how it fares."""

    name: str
    target: Callable[..., None]
    arguments: tuple[Any, ...]
    process: BaseProcess | None = None
    started: float = 0.0
    again: float = 0.0  # not before this time
    pause: float = FIRST_PAUSE

    def start(self) -> None:
        self.process = _context().Process(
            target=self.target, args=self.arguments, name=self.name, daemon=False
        )
        with held():  # a signal before the child has handlers of its own would be lost
            self.process.start()
        self.started = monotonic()

    def ended(self) -> int | None:
        """Its exit code, once."""
        if self.process is None or self.process.exitcode is None:
            return None
        code, self.process = self.process.exitcode, None
        if monotonic() - self.started > LIVED:
            self.pause = FIRST_PAUSE
        self.again = monotonic() + self.pause
        self.pause = min(2 * self.pause, LONGEST_PAUSE)
        return code


class Supervisor:
    """Runs processes until a signal ends them all.

    It starts no thread, so that it can fork: what it has imported is shared by all of them.
    """

    def __init__(self, kept: Sequence[Kept]) -> None:
        self._kept = kept
        self._ending = False
        self._woken, self._wake = os.pipe()
        self._begun = monotonic()

    def run(self) -> int:
        """Until SIGTERM or Ctrl-C; the exit code, not 0 if nothing could be started."""
        before = {each: signal.signal(each, self._end) for each in _signals()}
        try:
            code = self._watch()
        finally:
            self._stop()
            for each, handler in before.items():
                signal.signal(each, handler)
            os.close(self._woken)
            os.close(self._wake)
        return code

    def _watch(self) -> int:
        while not self._ending:
            for each in self._kept:
                code = each.ended()
                if code is not None and not self._ending:
                    if code == CANNOT and monotonic() - self._begun < LIVED:
                        return 1  # it has said why
                    said = f"{each.name} ended with {code} and is started again"
                    print(said, file=sys.stderr, flush=True)
                if each.process is None and monotonic() >= each.again and not self._ending:
                    each.start()
            self._sleep(LONGEST_PAUSE if all(it.process for it in self._kept) else FIRST_PAUSE)
        return 0

    def _sleep(self, seconds: float) -> None:
        """Until something happens."""
        alive = [each.process.sentinel for each in self._kept if each.process is not None]
        wait([*alive, self._woken], seconds)

    def _end(self, number: int, frame: object) -> None:
        self._ending = True
        os.write(self._wake, b"x")

    def _stop(self) -> None:
        running = [each.process for each in self._kept if each.process is not None]
        for process in running:
            process.terminate()
        deadline = monotonic() + PATIENCE
        for process in running:
            process.join(max(0.0, deadline - monotonic()))
            if process.exitcode is None:
                process.kill()
                process.join()


@contextmanager
def held() -> Iterator[None]:
    """Signals wait; a child that is forked meanwhile lets them come when it can take them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _context() -> Any:
    """Fork on Linux, which is quick; elsewhere libraries may crash in a forked child."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _signals() -> list[signal.Signals]:
    """Except those that are ignored, as under nohup."""
    found = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    return [each for each in found if signal.getsignal(each) != signal.SIG_IGN]

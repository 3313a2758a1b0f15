"""A process for each piece of work, forked from this one, where everything is loaded and compiled.

So a crash or a hang is of one file and no other, and the next one starts in milliseconds.
"""

import faulthandler
import gc
import json
import math
import mmap
import os
import select
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, process_time, sleep
from typing import Any, NamedTuple

Tell = Callable[["Clock | None"], None]  # tells the parent that a step begins, or has ended
Work = Callable[[int, Path, Tell], dict[str, Any]]
STAMP = struct.Struct("dd")
SHARE = 5  # a process that has the processor for less than one part in so many waits for something
BETWEEN = 120.0  # seconds that may pass outside of steps
TICK = 0.1  # seconds between looks at how long steps take
BROKEN = "broken"  # the key of an error in the work itself
STACK = "stack.txt"  # where a process writes where it was when it was ended


class Clock(NamedTuple):
    """Seconds of the wall clock and of the processor."""

    wall: float
    processor: float

    @classmethod
    def now(cls) -> "Clock":
        return cls(monotonic(), process_time())

    def until(self, later: "Clock") -> float:
        """How long something took, or would have taken if nobody else had used the processor."""
        return max(later.processor - self.processor, (later.wall - self.wall) / SHARE)


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    number: int
    folder: Path  # where it worked; another will soon
    result: dict[str, Any] | None  # None if it crashed or was ended
    status: int  # as of `os.waitstatus_to_exitcode`
    hung: bool
    stack: str


@dataclass
class _Child:
    number: int
    pid: int
    pipe: int
    folder: Path
    stamp: mmap.mmap
    received: bytes = b""

    def late(self, limit: float) -> bool:
        begun = Clock(*STAMP.unpack(self.stamp[: STAMP.size]))
        return begun.until(Clock(monotonic(), _processor(self.pid))) > limit


class Pool:
    """Runs work in so many processes at a time; a step may take `limit` seconds."""

    def __init__(self, work: Work, jobs: int, folder: Path, limit: float) -> None:
        self.work, self.jobs, self.folder, self.limit = work, jobs, folder, limit
        self.running: dict[int, _Child] = {}

    def run(self, numbers: Iterable[int]) -> Iterator[Ended]:
        """How each ended, as they end."""
        gc.freeze()
        waiting = iter(numbers)
        more = True
        while more or self.running:
            while more and len(self.running) < self.jobs:
                number = next(waiting, None)
                more = number is not None
                if number is not None:
                    child = self._started(number)
                    self.running[child.pipe] = child
            yield from self._looked()

    def _looked(self) -> Iterator[Ended]:
        ready, _, _ = select.select([*self.running], [], [], TICK)
        for pipe in ready:
            child = self.running[pipe]
            more = os.read(pipe, 1 << 16)
            child.received += more
            if not more:
                yield self._ended(child, hung=False)
        for child in [*self.running.values()]:
            if child.pipe not in ready and child.late(self.limit):
                _end(child)
                yield self._ended(child, hung=True)

    def _started(self, number: int) -> _Child:
        folder = self.folder / f"job{self._free()}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STACK).unlink(missing_ok=True)
        stamp = mmap.mmap(-1, mmap.PAGESIZE)
        _put(stamp, None)
        read, write = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            self._in_child(number, folder, stamp, write)
        os.close(write)
        return _Child(number, pid, read, folder, stamp)

    def _free(self) -> int:
        taken = {child.folder.name for child in self.running.values()}
        return next(i for i in range(self.jobs) if f"job{i}" not in taken)

    def _in_child(self, number: int, folder: Path, stamp: mmap.mmap, write: int) -> None:
        try:
            stack = (folder / STACK).open("w")
            faulthandler.enable(stack)
            faulthandler.register(signal.SIGUSR1, stack)
            _silence()
            result = self.work(number, folder, lambda clock: _put(stamp, clock))
        except BaseException:
            result = {BROKEN: traceback.format_exc()}
        finally:
            os.write(write, json.dumps(result).encode())
            os._exit(0)

    def _ended(self, child: _Child, hung: bool) -> Ended:
        del self.running[child.pipe]
        os.close(child.pipe)
        child.stamp.close()
        status = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        result = json.loads(child.received) if status == 0 and child.received else None
        if result is not None and BROKEN in result:
            raise RuntimeError(f"number {child.number}: {result[BROKEN]}")
        stack = child.folder / STACK
        text = stack.read_text(errors="replace") if stack.exists() else ""
        return Ended(child.number, child.folder, result, status, hung, text)


def _put(stamp: mmap.mmap, begun: Clock | None) -> None:
    """Note when a step began; outside of steps, that it will begin much later."""
    clock = begun or Clock(monotonic() + BETWEEN, math.inf)
    stamp[: STAMP.size] = STAMP.pack(*clock)


def _processor(pid: int) -> float:
    """Seconds of the processor that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _end(child: _Child) -> None:
    """Let it write where it is, and end it."""
    os.kill(child.pid, signal.SIGUSR1)
    sleep(0.1)
    os.kill(child.pid, signal.SIGKILL)


def _silence() -> None:
    """Children print nothing: what they have to say goes through the pipe."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)

"""Many files, made, tried and counted."""

import json
import re
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fuzz.changes import changed, crept
from fuzz.pool import Ended, Pool, Tell
from fuzz.subjects import SUBJECTS, kept_file, played
from fuzz.trial import CRASH, FILE, GOOD, HANG, PACKAGE, Result, Trial
from fuzz.using import Steps, Use
from fuzz.world import World
from hostile import Raw, read, write

LIMIT = 2.0  # seconds that a step may take
PATIENCE = 2  # times as many, while other files are tried at the same time
TOLD = "told.json"  # what was changed in the file beside it
FRAME = re.compile(r'File "(.+)", line \d+ in (\S+)')


@dataclass(frozen=True)
class Tried:
    """A file and what became of it."""

    number: int
    policy: str
    told: list[str]  # what was changed
    result: Result
    content: bytes  # of the file

    @property
    def group(self) -> tuple[str, ...]:
        """Failures of one group have probably one cause."""
        error = re.split(r"[:({]", self.result.what)[0]
        step = self.result.step if self.result.where == "" else ""
        return self.result.verdict, error, self.result.where, step


class Campaign:
    """Files number 0, 1, … of a seed: each policy in turn. Number -1 - i is policy i's own."""

    def __init__(self, policies: list[str], seed: int, folder: Path) -> None:
        self.policies, self.seed, self.folder = policies, seed, folder
        self.files: dict[str, Raw] = {}
        self.waiting: dict[str, list[Any]] = {}

    def prepare(self) -> None:
        """Make the honest files, and use each once: from then on all that it needs is compiled."""
        honest = self.folder / "honest"
        honest.mkdir(parents=True, exist_ok=True)
        for name in self.policies:
            bandit, self.waiting[name] = played(SUBJECTS[name])
            bandit.save(honest / f"{name}.bandit")
            self.files[name] = read(kept_file(SUBJECTS[name]) or honest / f"{name}.bandit")
            Use(bandit, SUBJECTS[name], Steps(lambda clock: None)).whole([], honest)

    @cached_property
    def world(self) -> World:
        return World(self.files)

    def policy(self, number: int) -> str:
        return self.policies[(number if number >= 0 else -1 - number) % len(self.policies)]

    def make(self, number: int, folder: Path, takes: Callable[[], bool]) -> None:
        """Write the file of a number; every other one by changes that are taken one by one."""
        policy = self.policy(number)
        honest, seed = self.files[policy], f"{self.seed}/{policy}/{number}"
        if number < 0:
            _write(folder, honest, ["nothing"])
        elif number // len(self.policies) % 2 == 0:
            _write(folder, *changed(honest, seed, self.world))
        else:
            made = crept(
                honest, seed, self.world, lambda raw, told: _write(folder, raw, told) and takes()
            )
            _write(folder, *made)

    def run(self, numbers: Iterable[int], jobs: int) -> Iterator[Tried]:
        """Try files; what seems to hang is tried again alone, in the end."""
        slow = []
        for each in self._pass(numbers, jobs, PATIENCE * LIMIT):
            if each.result.verdict == HANG:
                slow.append(each.number)
            else:
                yield each
        yield from self._pass(sorted(slow), 1, LIMIT)

    def _pass(self, numbers: Iterable[int], jobs: int, limit: float) -> Iterator[Tried]:
        _ = self.world  # once, before processes are forked
        for ended in Pool(self._work, jobs, self.folder, limit).run(numbers):
            yield self._tried(ended)

    def _work(self, number: int, folder: Path, tell: Tell) -> dict[str, Any]:
        policy = self.policy(number)
        trial = Trial(folder, SUBJECTS[policy], self.waiting[policy], tell)
        takes = lambda: trial.loaded() is not None  # noqa: E731
        return trial.run(lambda: self.make(number, folder, takes)).as_dict()

    def _tried(self, ended: Ended) -> Tried:
        told = json.loads((ended.folder / TOLD).read_text())
        content = (ended.folder / FILE).read_bytes()
        return Tried(ended.number, self.policy(ended.number), told, _result(ended), content)


def _write(folder: Path, raw: Raw, told: list[str]) -> bool:
    (folder / TOLD).write_text(json.dumps(told))
    write(raw, folder / FILE)
    return True


def _result(ended: Ended) -> Result:
    if ended.result is None:
        return _killed(ended)
    result = Result(**ended.result)
    seconds, step = result.slowest
    if seconds > LIMIT and result.verdict in GOOD:
        return Result(HANG, step, f"{seconds:.1f} s", "", "", result.slowest, result.notes)
    return result


def _killed(ended: Ended) -> Result:
    frames = [each for each in FRAME.findall(ended.stack) if each[0].startswith(str(PACKAGE))]
    where = f"{Path(frames[0][0]).relative_to(PACKAGE)} {frames[0][1]}" if frames else "outside"
    if ended.hung:
        return Result(HANG, "", "did not end", where, ended.stack)
    died = signal.Signals(-ended.status).name if ended.status < 0 else f"exit {ended.status}"
    return Result(CRASH, "", died, where, ended.stack)

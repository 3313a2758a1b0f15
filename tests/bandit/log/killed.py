"""Kill a bandit that writes a log, again and again: what it has answered is there.

    python tests/bandit/log/killed.py --kills 1000

A process decides, learns and saves, and tells through a pipe what it is about to do and what has
been done. It is killed with SIGKILL at a random moment. The bandit that is rebuilt, from the log
and sometimes from a saved file, must know every decision and every reward that was answered, each
reward by the arm that it belongs to, and at most the one more that was being worked on.
"""

import argparse
import os
import random
import signal
import time
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bandstrap import Bandit, Bootstrap, InvalidInput

ARMS = ["a", "b", "c"]
LINES = 120  # that a process may tell before it is killed
LONGEST = 0.002  # seconds that it lives on after them
OPERATIONS = 400  # at most, in a life
LIVES = 25  # until a new log is begun


class Ledger:
    """What was answered, and what may have been done without an answer."""

    def __init__(self) -> None:
        self.arms: dict[str, str] = {}  # of decisions that were answered
        self.rewards: dict[str, float] = {}
        self.found = 0  # without an answer
        self.begun: list[str] = []

    def read(self, told: str) -> None:
        lines = told.split("\n")
        self.begun = []
        for line in lines[:-1]:  # the last one is empty, or was cut off
            what, *rest = line.split()
            if what == "decided":
                self.arms[rest[0]] = rest[1]
            elif what == "learnt":
                self.rewards[rest[0]] = float(rest[1])
            self.begun = [what, *rest]

    def check(self, bandit: Bandit) -> None:
        self._find(bandit)
        waiting = {name: it.arm for name, it in bandit._pending.waiting.items()}
        assert waiting == {
            name: arm for name, arm in self.arms.items() if name not in self.rewards
        }, "a decision is lost, or waits though it has its reward"
        sums, counts = Counter[str](), Counter[str]()
        for name, reward in self.rewards.items():
            sums[self.arms[name]] += round(reward * 4)
            counts[self.arms[name]] += 1
        stats = {each.arm: each for each in bandit.stats().arms}
        assert [stats[arm].rewards for arm in ARMS] == [counts[arm] for arm in ARMS]
        totals = [round((stats[arm].mean or 0.0) * stats[arm].rewards * 4) for arm in ARMS]
        assert totals == [sums[arm] for arm in ARMS], "a reward was credited to another arm"

    def _find(self, bandit: Bandit) -> None:
        """Take note of what was done at the end and not answered: one thing at most."""
        new = [name for name in bandit._pending.waiting if name not in self.arms]
        assert len(new) <= 1
        for name in new:
            self.arms[name] = str(bandit._pending.waiting[name].arm)
            self.found += 1
        if self.begun[:1] == ["learn"] and self.begun[1] not in bandit._pending.waiting:
            self.rewards[self.begun[1]] = float(self.begun[2])
            self.found += 1


def live(log: Path, file: Path, fresh: bool, from_file: bool, seed: int, pipe: int) -> None:
    """Until it is killed."""
    moments, tell = random.Random(seed), lambda text: os.write(pipe, f"{text}\n".encode())
    warnings.simplefilter("ignore")
    if fresh:
        bandit = Bandit.load(file, log=log)
    else:
        bandit = Bandit.rebuild(log, file if from_file else None)
    tell("ready")
    for turn in range(OPERATIONS):
        waiting = [*bandit._pending.waiting]
        if turn % 40 == 39:
            bandit.save(file)
        elif len(waiting) < 3 or moments.random() < 0.5:
            tell("decide")
            decision = bandit.decide()
            tell(f"decided {decision.id} {decision.arm}")
        else:
            name, reward = moments.choice(waiting), moments.randrange(5) / 4
            tell(f"learn {name} {reward}")
            bandit.learn(name, reward)
            tell(f"learnt {name} {reward}")


def life(moments: random.Random, *given: object) -> str:
    """What a process has told until it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            live(*given, moments.randrange(10**9), writing)  # type: ignore[arg-type]
            time.sleep(60)
        finally:
            os._exit(1)
    os.close(writing)
    told, enough = b"", 1 + moments.randrange(LINES)
    while told.count(b"\n") < enough:
        piece = os.read(reading, 1 << 16)
        assert piece, "the process has failed"
        told += piece
    time.sleep(moments.uniform(0, LONGEST))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while piece := os.read(reading, 1 << 16):
        told += piece
    os.close(reading)
    return told.decode()


def killed(folder: Path, kills: int) -> Ledger:
    moments, ledger, file = random.Random(kills), Ledger(), folder / "b"
    Bandit(Bootstrap(), ARMS, seed=1).save(file)
    ready = Bandit.load(file)  # kernels are loaded here, once
    for _ in range(9):
        decision = ready.decide()
        assert decision.weight > 0
        ready.learn(decision, 0.25)
    for turn in range(kills):
        log, fresh = folder / f"log{turn // LIVES}", turn % LIVES == 0
        from_file = not fresh and turn % 2 == 0 and saved_in(log)
        ledger.read(life(moments, log, file, fresh, from_file))
        if not log.stat().st_size:  # killed before it did anything: nothing to rebuild
            Bandit.load(file, log=log).rank()
        bandit = examined(ledger, log, file if saved_in(log) and turn % 3 == 0 else None)
        if turn % LIVES == LIVES - 1:
            bandit.save(file)
    return ledger


def examined(ledger: Ledger, log: Path, file: Path | None) -> Bandit:
    """The bandit of a log, which may end within a line: readers and writers warn of that."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*is cut off and (left out|removed)")
        bandit = Bandit.rebuild(log, file)
        ledger.check(bandit)
        for name in [*ledger.rewards][-3:]:
            with pytest.raises(InvalidInput, match="has its reward already"):
                bandit.learn(name, 1.0)
    return bandit


def saved_in(log: Path) -> bool:
    """Whether the file was saved by a bandit of this log."""
    return b'"event":"save"' in log.read_bytes() if log.exists() else False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    kills = parser.parse_args().kills
    with TemporaryDirectory() as folder:
        ledger = killed(Path(folder), kills)
    print(
        f"{kills} kills, {len(ledger.arms)} decisions and {len(ledger.rewards)} rewards: "
        f"0 answered ones lost, 0 credited wrongly; {ledger.found} were done and not answered"
    )


if __name__ == "__main__":
    main()

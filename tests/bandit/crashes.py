"""Save a bandit while everything goes wrong: there is the old file or the new one, never another.

    python tests/bandit/crashes.py --kills 200 --savers 100 --full 50

Every file that is found must load, and hold the knowledge of one of the saves.
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bandstrap import Bandit, Bootstrap, OutputError

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "storage")]
from kills import kills  # noqa: E402 - a script of another folder

REWARDS = np.random.default_rng(0).random(4000)
SMALL = 20_000  # bytes that a file on a full disk may have
SAVER = "import crashes, sys; crashes.save_many(*map(int, sys.argv[2:]), sys.argv[1])"


def holding(number: int) -> Bandit:
    """A bandit that knows which save it is of: by how many rewards it has learnt."""
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=number)
    bandit.learn(arm=["a"] * 4000, reward=REWARDS)
    bandit.rewards_learnt = number
    return bandit


def write(path: Path, number: int, known: list[Bandit] = []) -> None:  # noqa: B006 - kept
    known = known or known.append(holding(number)) or known
    known[0].rewards_learnt = number
    known[0].save(path)


def read(path: Path) -> int:
    """Which save it is of; the whole file is looked at, and the bandit asked."""
    bandit = Bandit.load(path)
    assert bandit.decide().arm in ("a", "b")
    return bandit.rewards_learnt


def save_many(first: int, last: int, path: str) -> None:
    bandit = holding(first)
    for number in range(first, last):
        bandit.rewards_learnt = number
        bandit.save(path)


def two_threads(path: Path, saves: int) -> int:
    """Save from two threads; how many files a reader found meanwhile."""
    write(path, 0)
    ranges = ((1, 1 + saves, str(path)), (1001, 1001 + saves, str(path)))
    threads = [threading.Thread(target=save_many, args=given) for given in ranges]
    return _watched(path, saves, threads, lambda each: each.is_alive(), lambda each: each.start())


def two_processes(path: Path, saves: int) -> int:
    """Save from two processes; how many files a reader found meanwhile."""
    write(path, 0)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent)])}
    started = [
        subprocess.Popen([sys.executable, "-c", SAVER, str(path), f"{at}", f"{at + saves}"],
                         env=environment)
        for at in (1, 1001)
    ]  # fmt: skip
    looked = _watched(path, saves, started, lambda each: each.poll() is None, lambda each: None)
    assert [each.returncode for each in started] == [0, 0]
    return looked


def _watched(path, saves, savers, is_busy, start) -> int:
    allowed, looked = {0, *range(1, 1 + saves), *range(1001, 1001 + saves)}, 0
    for saver in savers:
        start(saver)
    while any(map(is_busy, savers)):
        assert read(path) in allowed
        looked += 1
    assert read(path) in (saves, 1000 + saves)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    return looked


def full_disk(path: Path, times: int) -> int:
    """Save where there is room for a part of the file only; how often that was refused."""
    write(path, 7)
    before = path.read_bytes()
    child = os.fork()
    if child == 0:
        os._exit(_full(path, times))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    return times


def _full(path: Path, times: int) -> int:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, SMALL))
    for number in range(times):
        try:
            write(path, number)
        except OutputError as error:
            if "cannot be written" in str(error):
                continue
        return 1
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--savers", type=int, default=100)
    parser.add_argument("--full", type=int, default=50)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bandit"
        middle = kills(path, given.kills, write, read, longest=0.1)
        print(f"{given.kills} kills, {middle} in the middle of a save: old or new each time")
        looked = two_threads(path, given.savers)
        print(f"2 threads, {given.savers} saves each: {looked} loads, each of one of the saves")
        looked = two_processes(path, given.savers)
        print(f"2 processes, {given.savers} saves each: {looked} loads, each of one of the saves")
        refused = full_disk(path, given.full)
        print(f"{refused} saves to a full disk refused: the old file is as it was")


if __name__ == "__main__":
    main()

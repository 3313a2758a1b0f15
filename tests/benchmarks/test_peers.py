"""Libraries are played by adapters in processes of their own: here one that is no library."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
ROUNDS = 1050

FAKE = """
import numpy as np
from player import Method, Player


class Remembers(Player):
    '''Knows the arm of each context once it has been paid for it.'''

    def __init__(self, task):
        super().__init__(task)
        self.known = {}

    def choose(self, prepared):
        return np.array([self.known.get(float(row[0]), 0) for row in prepared])

    def learn(self, prepared, arms, rewards):
        for row, arm, reward in zip(prepared, arms, rewards):
            self.known[float(row[0])] = arm if reward else (arm + 1) % self.task.n_arms


class Breaks(Remembers):
    def choose(self, prepared):
        raise RuntimeError('fake error')


METHODS = {
    'every': Method(Remembers),
    'batches': Method(Remembers, batch=100),
    'breaks': Method(Breaks),
}
"""


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The benchmark, with adapters in a folder of ours."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    module = import_module("peers")
    for name in ("play.py", "player.py"):
        (tmp_path / name).write_text((BENCHMARKS / "peers" / name).read_text())
    (tmp_path / "with_fake.py").write_text(FAKE)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    return module


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Four contexts in turn; the arm of context i is i, and bytes are shares of 255."""
    path = tmp_path / "stream.npz"
    labels = np.arange(ROUNDS) % 4
    contexts = labels[:, None].astype(np.uint8)
    np.savez(path, contexts=contexts, labels=labels, n_arms=4, unit=1 / 255)
    return path


def played(peers: Any, method: str, file: Path, seconds: float = 60.0) -> dict[str, Any]:
    where = peers.Environment(sys.executable)
    result: dict[str, Any] = peers.play("fake", method, where, file, 0, seconds)
    return result


def test_every_round_is_learnt_from(peers: Any, file: Path) -> None:
    result = played(peers, "every", file)
    assert (result["state"], result["rounds"], result["batch"]) == ("done", ROUNDS, 1)
    wrong = 0 + 1 + 2 + 3  # context i takes i tries
    assert result["reward per step"] == pytest.approx((ROUNDS - wrong) / ROUNDS)
    assert result["µs per round"] > 0
    assert result["trace"][-1] == [ROUNDS, ROUNDS - wrong]


def test_batches_learn_only_at_their_end(peers: Any, file: Path) -> None:
    result = played(peers, "batches", file)
    wrong = 25 * (0 + 1 + 2 + 3)  # context i takes i batches with 25 rows of each
    assert result["batch"] == 100
    assert result["rounds"] == ROUNDS
    assert result["reward per step"] == pytest.approx((ROUNDS - wrong) / ROUNDS)


def test_no_time_is_said_with_the_round_reached(peers: Any, file: Path) -> None:
    result = played(peers, "every", file, seconds=0.0)
    assert (result["state"], result["rounds"]) == ("stopped", 0)


def test_a_failure_says_why_and_does_not_raise(peers: Any, file: Path) -> None:
    assert played(peers, "breaks", file)["state"] == "failed: RuntimeError: fake error"


def test_what_does_not_install_is_reported(
    peers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(command: list[str], limit: float) -> str:
        raise subprocess.CalledProcessError(1, command, stderr="hm\nERROR: no such thing\n")

    monkeypatch.setattr(peers, "_run", fail)
    where = peers.environment("nothing", tmp_path)
    assert where.python is None
    assert where.reason == "not installed: ERROR: no such thing"


def test_adapters_name_their_methods_without_the_library(peers: Any) -> None:
    script = "import json, sys; from importlib import import_module as i; " + (
        "print(json.dumps([list(i('with_' + n).METHODS) for n in sys.argv[1:]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, peers.OURS, *peers.PEERS],
        cwd=BENCHMARKS / "peers", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert all(json.loads(done.stdout))


def test_games_are_kept_and_not_played_again(peers: Any, tmp_path: Path) -> None:
    given = SimpleNamespace(
        rounds=40, out=tmp_path, seconds=60.0, seed=3, seeds=2, libraries="fake", methods="every"
    )
    where = peers.Environment(sys.executable, "1.0")
    first = peers.once("iris", "fake", "every", where, 3, given)
    assert (first["state"], first["version"]) == ("done", "1.0")
    (kept,) = (tmp_path / "peers").glob("*.json")
    kept.write_text(json.dumps(first | {"reward per step": 0.125}))
    again = peers.once("iris", "fake", "every", where, 3, given)
    assert again["reward per step"] == 0.125


def test_the_verdict_compares_by_seed(peers: Any) -> None:
    def method(library: str, name: str, *rewards: float) -> Any:
        results = [{"state": "done", "rounds": 9, "reward per step": each} for each in rewards]
        return peers.Played(library, name, results)

    found = [method("bandstrap", "best", 0.8, 0.6), method("river", "LinUCB", 0.7, 0.5)]
    row = peers.verdict("iris", [*found, method("bandstrap", "auto", 0.6, 0.4)])
    assert (row["best peer"], row["best of ours"]) == ("river: LinUCB", "best")
    assert (row["its reward"], row["auto"]) == pytest.approx((0.6, 0.5))
    assert row["± difference"] == pytest.approx(0.0, abs=1e-12)  # .1 less by either seed

"""A log as a file: appended whole or not at all, by many, read line by line."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from bandstrap import Bandit, Bootstrap, Decision, InvalidInput, LinThompson, LogFile, OutputError
from bandstrap.bandit.log import file as module

ABC = ["a", "b", "c"]


def events(log):
    return [record["event"] for record in log.read()]


def test_fields_of_a_decision_and_a_reward(tmp_path):
    bandit = Bandit(LinThompson(), ABC, seed=1, clock=lambda: 7.5, log=tmp_path / "log")
    decision = bandit.decide({"age": 0.1, "new": True}, allowed=["c", "a"])
    bandit.learn(decision, 0.3, weight=2.0)
    start, told, reward = LogFile(tmp_path / "log").read()
    assert {key: told[key] for key in ("event", "seq", "time", "id", "arm", "learnt")} == {
        "event": "decision", "seq": 1, "time": 7.5, "id": decision.id, "arm": decision.arm,
        "learnt": 0,
    }  # fmt: skip
    assert told["context"] == {"age": 0.1, "new": True}
    assert (told["allowed"], told["method"], told["control"]) == (["a", "c"], "exact", False)
    assert told["propensity"] == decision.propensity
    assert told["weight"] == pytest.approx(1 / decision.propensity)
    assert (told["policy"], len(told["digest"])) == ("LinThompson", 16)
    assert (start["policy"], start["arms"]) == (repr(bandit.policy), ABC)
    kept = ("event", "id", "arm", "reward", "weight", "learnt", "time")
    assert [reward[key] for key in kept] == ["reward", decision.id, decision.arm, 0.3, 2.0, 1, 7.5]


def test_a_decision_there_and_back(tmp_path):
    bandit = Bandit(LinThompson(), ABC, seed=1)
    rows = np.array([[0.1, -1 / 3], [1e-7, 5.0]])
    for decision in bandit.decide(rows):
        again = Decision.from_dict(json.loads(json.dumps(decision.to_dict())))
        assert again.context.tobytes() == decision.context.tobytes()
        for name in ("id", "number", "arm", "propensity", "error", "time", "learnt", "control"):
            assert getattr(again, name) == getattr(decision, name)
        assert again.to_dict() == decision.to_dict()
        bandit.learn(again, 1.0)
    assert bandit.rewards_learnt == 2


def test_a_decision_of_words_there_and_back():
    from bandstrap import ContextualBootstrap, DecisionTree, Multinomial, NoExamples

    policy = ContextualBootstrap(Multinomial(), DecisionTree(), NoExamples())
    bandit = Bandit(policy, ABC, seed=1)
    decision = bandit.decide({"age": 3, "member": True})
    again = Decision.from_dict(json.loads(json.dumps(decision.to_dict())))
    assert again.context == {"age": 3.0, "member": True}
    bandit.learn(again, 1.0)


def test_a_recorded_decision_is_of_its_bandit_only():
    one, other = (Bandit(LinThompson(), ABC, seed=seed) for seed in (1, 2))
    decision = Decision.from_dict(one.decide([1.0, 2.0]).to_dict())
    with pytest.raises(InvalidInput, match="no such decision"):
        other.learn(decision, 1.0)
    changed = Decision.from_dict({**decision.to_dict(), "context": [1.0, 3.0]})
    with pytest.raises(InvalidInput, match="a different decision"):
        one.learn(changed, 1.0)
    with pytest.raises(InvalidInput, match="only that of the chosen arm"):
        decision.propensities  # noqa: B018


@pytest.mark.parametrize(
    "change",
    [{"id": None}, {"arm": [1]}, {"context": 5}, {"context": ["x"]}, {"context": [[1.0]]},
     {"propensity": "x"}, {"number": 1.5}, {"weight": -1.0}, {"dtype": "O", "context": [1.0]}],
)  # fmt: skip
def test_what_no_decision_is_like_is_refused(change):
    told = Bandit(Bootstrap(), ABC, seed=1).decide().to_dict()
    with pytest.raises(InvalidInput):
        Decision.from_dict({**told, **change})
    for name in told:
        with pytest.raises(InvalidInput, match=name):
            Decision.from_dict({key: value for key, value in told.items() if key != name})
    with pytest.raises(InvalidInput):
        Decision.from_dict([1])


def test_a_weight_that_was_deferred_is_not_asked_for():
    class Later(Decision):
        __slots__ = ()
        method = "deferred"

        @property
        def propensity(self):
            raise AssertionError

    decision = Bandit(Bootstrap(), ABC, seed=1).decide()
    decision.__class__ = Later
    told = decision.to_dict()
    assert (told["propensity"], told["weight"], told["method"]) == (None, None, "deferred")
    with pytest.raises(InvalidInput, match="deferred"):
        Decision.from_dict(told).weight  # noqa: B018


@pytest.mark.parametrize(("sync", "synced"), [(0, 0), (1, 7), (3, 2)])
def test_it_is_synced_as_often_as_one_says(sync, synced, tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(os, "fsync", calls.append)
    log = LogFile(tmp_path / "log", sync=sync)
    for number in range(7):
        log.append([{"n": number}])
    assert len(calls) == synced
    assert [record["n"] for record in log.read()] == [*range(7)]


@pytest.mark.parametrize("sync", [-1, 1.5, None, "always"])
def test_another_sync_is_refused(sync, tmp_path):
    if sync is not None:
        with pytest.raises(InvalidInput, match="sync"):
            LogFile(tmp_path / "log", sync=sync)


@pytest.mark.parametrize("bad", [b"{\n", b"5\n", b"\xff\n", b'{"a": NaN}\n', b'{"a": 1e999}\n',
                                 b"\n", b"[" * 100_000 + b"\n"])  # fmt: skip
def test_a_bad_line_is_an_error_with_its_number(bad, tmp_path):
    log = LogFile(tmp_path / "log")
    log.append([{"n": 1}, {"n": 2}])
    with open(log.path, "ab") as file:
        file.write(bad)
    log.append([{"n": 4}])
    records = log.read()
    assert [next(records)["n"], next(records)["n"]] == [1, 2]
    with pytest.raises(OutputError, match="line 3 is no record"):
        next(records)


def test_a_line_is_not_read_whatever_its_length(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 100)
    log = LogFile(tmp_path / "log")
    log.append([{"n": "x" * 90}, {"n": "x" * 100}])
    records = log.read()
    assert len(next(records)["n"]) == 90
    with pytest.raises(OutputError, match=r"line 2 is no record .it is longer than 100 bytes"):
        next(records)


def test_a_long_line_that_is_cut_is_removed(tmp_path):
    log = LogFile(tmp_path / "log")
    log.append([{"n": 1}])
    for rest in (b"{", b'{"x": "' + b"y" * 200_000, b"z" * 65_536):
        with open(log.path, "ab") as file:
            file.write(rest)
        with pytest.warns(UserWarning, match="cut off and removed"):
            log.append([{"n": 2}])
    assert [record["n"] for record in log.read()] == [1, 2, 2, 2]
    log.path.write_bytes(b"never a line")
    with pytest.warns(UserWarning, match="cut off and removed"):
        log.append([{"n": 3}])
    assert log.path.read_bytes() == b'{"n":3}\n'


WRITER = """
import sys
from bandstrap import LogFile
log = LogFile(sys.argv[1])
for number in range(300):
    log.append([{"who": int(sys.argv[2]), "n": number, "long": "x" * (number * 97 % 5000)}] * 2)
"""


def test_several_processes_append_to_one_file(tmp_path):
    path = tmp_path / "log"
    started = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(who)]) for who in range(3)
    ]
    assert [each.wait() for each in started] == [0, 0, 0]
    records = [*LogFile(path).read()]
    for who in range(3):
        own = [record["n"] for record in records if record["who"] == who]
        assert own == [number for number in range(300) for _ in range(2)]
    pairs = [(record["who"], record["n"]) for record in records]
    assert pairs[::2] == pairs[1::2]  # what is appended together stays together


@pytest.fixture
def slow_writes(monkeypatch):
    """The system writes a few bytes at a time, and others get their turn in between."""
    real = os.write

    def write(file, data):
        time.sleep(0)
        return real(file, data[:50])

    monkeypatch.setattr(os, "write", write)


def whole(log, who):
    for number in range(60):
        log.append([{"who": who, "n": number, "long": "x" * 300}])


def test_writers_in_threads_wait_for_each_other(tmp_path, slow_writes):
    threads = [
        threading.Thread(target=whole, args=(LogFile(tmp_path / "log"), who)) for who in range(3)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len([*LogFile(tmp_path / "log").read()]) == 180


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_locks_the_file_for_itself(tmp_path, slow_writes):
    log, children = LogFile(tmp_path / "log"), []
    log.append([{"n": -1}])
    for who in range(3):
        child = os.fork()
        if child == 0:
            whole(log, who)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert len([*log.read()]) == 181


def limit(size):
    """Files of this process may not grow beyond it."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def runs_out(log):
    bandit = Bandit(Bootstrap(), ABC, seed=1, log=log)
    first = bandit.decide()
    bandit.learn(bandit.decide(), 1.0)
    limit(log.stat().st_size + 700)
    answered = [bandit.decide().id]
    with pytest.raises(OutputError, match="cannot be written"):
        bandit.decide()
    # The decision was dropped: nobody has its id.
    assert set(bandit._pending.waiting) == {first.id, *answered}
    with pytest.raises(OutputError, match="cannot be written"):
        bandit.learn(first, 1.0)
    assert first.id in bandit._pending.waiting
    limit(resource.RLIM_INFINITY)
    bandit.learn(first, 1.0)
    again = Bandit.rebuild(log)
    assert set(again._pending.waiting) == set(answered)
    assert again.rewards_learnt == bandit.rewards_learnt == 2
    assert again.stats().dropped == bandit.stats().dropped == 1
    assert again.decide().scores == bandit.decide().scores


def test_a_full_disk_is_said_and_loses_nothing(tmp_path):
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            runs_out(tmp_path / "log")
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_reward_that_could_not_be_written_is_written_first_thing(tmp_path):
    class Sometimes(LogFile):
        fails = False

        def append(self, records):
            if self.fails:
                raise OutputError("log", "cannot be written", "wait")
            super().append(records)

    log = Sometimes(tmp_path / "log")
    bandit = Bandit(Bootstrap(), ABC, seed=1, log=log)
    decision = bandit.decide()
    log.fails = True
    with pytest.raises(OutputError):
        bandit.learn(decision, 1.0)
    assert bandit.rewards_learnt == 1
    with pytest.raises(OutputError):  # not "it has its reward already": nobody has it for sure
        bandit.learn(decision, 1.0)
    log.fails = False
    with pytest.raises(InvalidInput, match="has its reward already"):
        bandit.learn(decision, 1.0)
    assert events(log) == ["start", "decision", "reward"]
    assert Bandit.rebuild(log).rewards_learnt == 1


def test_where_no_log_can_be(tmp_path):
    for path in (tmp_path, tmp_path / "no" / "log", Path("/dev/null"), tmp_path / "a\0b"):
        with pytest.raises(OutputError):
            Bandit(Bootstrap(), ABC, log=path)
    with pytest.raises(InvalidInput, match="log"):
        Bandit(Bootstrap(), ABC, log=5)


def test_a_log_that_was_deleted_is_missed(tmp_path):
    bandit = Bandit(Bootstrap(), ABC, seed=1, log=tmp_path / "log")
    bandit.decide()
    (tmp_path / "log").unlink()
    with pytest.raises(OutputError, match="was deleted"):
        bandit.decide()
    assert bandit.decisions_waiting == 1

"""Decisions of many processes in one file: stored once, rewarded once, learnt once."""

import json
import os
import sqlite3
import sys

import numpy as np
import pytest

from bandstrap import Bandit, Bootstrap, Expiry, InvalidInput, LinThompson, OutputError, Support
from bandstrap.bandit.log import store as module
from bandstrap.bandit.log.store import DecisionStore, Receipt

AB = ["a", "b"]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")


@pytest.fixture
def now():
    return [1000.0]


@pytest.fixture
def store(tmp_path, now):
    made = DecisionStore(tmp_path / "store", clock=lambda: now[0])
    made.publish(Bandit(LinThompson(), AB, seed=1, clock=lambda: now[0]))
    return made


def decided(store, *contexts):
    bandit = store.bandit().bandit
    decisions = [bandit.decide(context) for context in contexts]
    store.add(decisions)
    return decisions


def test_a_reward_is_kept_once(store):
    one, other = decided(store, [1.0, 2.0], [3.0, 4.0])
    assert store.reward(one.id, 0.5) is Receipt.KEPT
    assert store.reward(one, 0.75) is Receipt.DUPLICATE
    assert store.reward("nobody's", 0.5) is Receipt.UNKNOWN
    assert store.counts() == {"decisions": 2, "waiting": 1, "rewarded": 1, "expired": 0}
    (told,) = store.rewards()
    assert (told.id, told.arm, told.reward, told.weight) == (one.id, one.arm, 0.5, 1.0)
    assert told.context.tobytes() == one.context.tobytes()
    assert store.reward(other, 1, weight=2) is Receipt.KEPT
    assert [it.id for it in store.rewards(after=told.number)] == [other.id]


def test_any_process_takes_the_reward(store, tmp_path):
    decision, *_ = decided(store, {"age": 3.0, "new": True})
    elsewhere = DecisionStore(tmp_path / "store")
    assert elsewhere.reward(decision.id, 1.0) is Receipt.KEPT
    assert store.reward(decision.id, 1.0) is Receipt.DUPLICATE
    assert elsewhere.rewards()[0].context == {"age": 3.0, "new": True}


def test_learning_is_published(store):
    before = store.bandit()
    for decision in decided(store, *np.eye(2)):
        store.reward(decision, 1.0)
    assert store.learn() == 2
    assert store.learn() == 0
    after = store.bandit(after=before.number)
    assert (after.number, after.learnt) == (before.number + 1, 2)
    assert after.bandit.rewards_learnt == 2
    assert store.bandit(after=after.number) is None


def test_no_two_copies_choose_alike(store):
    bandits = [store.bandit().bandit for _ in range(3)]
    arms = {tuple(it.decide([1.0, 1.0]).arm for _ in range(40)) for it in bandits}
    assert len(arms) == 3


def test_only_one_process_learns(store, tmp_path):
    (decision,) = decided(store, [1.0, 2.0])
    store.reward(decision, 1.0)
    one = store.bandit()
    store.learn()
    with pytest.raises(InvalidInput, match="one process learns"):
        store.publish(one.bandit, 1, one.number)
    assert store.bandit().bandit.rewards_learnt == 1


def test_a_learner_that_fails_learns_nothing_twice(store, monkeypatch):
    (decision,) = decided(store, [1.0, 2.0])
    store.reward(decision, 1.0)
    with monkeypatch.context() as patch:
        patch.setattr(Bandit, "to_bytes", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.learn()
    assert store.learn() == 1
    assert store.bandit().bandit.rewards_learnt == 1


def test_a_reward_that_cannot_be_learnt_is_said_and_left_out(store):
    one, other = decided(store, [1.0, 2.0], [1.0, 3.0])
    store.reward(one, 50.0)  # beyond the support
    store.reward(other, 1.0)
    with pytest.warns(UserWarning, match=f"{one.id} was refused"):
        assert store.learn() == 2
    assert store.bandit().bandit.rewards_learnt == 1
    assert store.learn() == 0


def test_silence_is_a_reward_or_none(store, now):
    old, older = decided(store, [1.0, 2.0], [2.0, 1.0])
    now[0] += 61
    (young,) = decided(store, [0.0, 1.0])
    assert store.reward(older, 1.0) is Receipt.KEPT
    assert store.expire(Expiry(seconds=60, reward=0.0)) == 1
    assert store.expire(Expiry(seconds=60, reward=0.0)) == 0
    assert store.reward(old, 1.0) is Receipt.EXPIRED
    assert [(it.id, it.reward) for it in store.rewards()] == [(older.id, 1.0), (old.id, 0.0)]
    now[0] += 61
    assert store.expire(Expiry(seconds=60)) == 1
    assert store.reward(young, 1.0) is Receipt.EXPIRED
    assert store.counts() == {"decisions": 3, "waiting": 0, "rewarded": 1, "expired": 2}
    assert store.learn() == 2
    for wrong in (Expiry(decisions=5), Expiry(decisions=5, seconds=1), Expiry()):
        with pytest.raises(InvalidInput, match="seconds"):
            store.expire(wrong)


def test_it_reads_as_a_log(store, now):
    one, other = decided(store, [1.0, 2.0], [2.0, 1.0])
    store.reward(one, 1.0)
    now[0] += 61
    store.expire(Expiry(seconds=60, reward=0.0))
    told = [*store.read()]
    assert [it["event"] for it in told] == ["decision", "decision", "reward", "expiry"]
    assert {it["id"]: it["propensity"] for it in told[:2]} == {
        it.id: it.propensity for it in (one, other)
    }


@pytest.mark.parametrize(
    ("given", "match"),
    [((5, 1.0), "decision"), (("x", float("nan")), "reward"), (("x", "1"), "reward"),
     (("x", 1.0, 0.0), "weight"), (("x", 1.0, float("inf")), "weight")],
)  # fmt: skip
def test_what_is_no_reward_is_refused(given, match, store):
    with pytest.raises(InvalidInput, match=match):
        store.reward(*given)


def test_a_decision_is_stored_once_and_a_list_whole_or_not_at_all(store):
    bandit = store.bandit().bandit
    one, other = bandit.decide([1.0, 1.0]), bandit.decide([1.0, 2.0])
    store.add(one)
    with pytest.raises(InvalidInput, match="stored once"):
        store.add([other, one])
    assert store.counts()["decisions"] == 1
    store.add(other)


def test_files_that_are_none(tmp_path, store):
    (tmp_path / "text").write_text("not a database, " * 100)
    for path in (tmp_path / "text", tmp_path, tmp_path / "no" / "store", tmp_path / "a\0b"):
        with pytest.raises(OutputError, match="cannot be used"):
            DecisionStore(path)
    sqlite3.connect(tmp_path / "later").execute("PRAGMA user_version = 9").connection.close()
    with pytest.raises(OutputError, match="has format 9"):
        DecisionStore(tmp_path / "later")
    with pytest.raises(InvalidInput, match="publish a bandit first"):
        DecisionStore(tmp_path / "new").learn()
    with pytest.raises(OutputError, match="its own clock"):
        DecisionStore(tmp_path / "store").bandit()
    with pytest.raises(InvalidInput, match="patience"):
        DecisionStore(tmp_path / "new", patience=-1)


def test_what_is_answered_is_on_the_disk(store):
    run = store._connection.execute
    assert run("PRAGMA synchronous").fetchone()[0] == 2
    mode = run("PRAGMA journal_mode").fetchone()[0]
    assert mode == ("wal" if sqlite3.sqlite_version_info >= module.SAFE else "truncate")


def test_a_write_ahead_log_is_used_only_where_it_is_safe(tmp_path, monkeypatch):
    path = tmp_path / "store"
    monkeypatch.setattr(module, "SAFE", (0,))
    newer = DecisionStore(path)
    assert newer._connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    newer.publish(Bandit(Bootstrap(), AB, seed=1))
    monkeypatch.setattr(module, "SAFE", (99,))
    with pytest.raises(OutputError, match=r"mode wal|cannot be used"):
        DecisionStore(path, patience=0.1)
    newer._connection.close()
    older = DecisionStore(path)
    assert older._connection.execute("PRAGMA journal_mode").fetchone()[0] == "truncate"
    assert older.bandit().bandit.arms == ("a", "b")


def test_a_store_that_others_hold_is_waited_for_and_then_said(tmp_path, store):
    impatient = DecisionStore(tmp_path / "store", patience=0.05)
    with store._transaction(), pytest.raises(OutputError, match="locked"):
        impatient.reward("x", 1.0)
    assert impatient.reward("x", 1.0) is Receipt.UNKNOWN


@pytest.mark.skipif(sqlite3.sqlite_version_info >= module.SAFE, reason="writers do not wait")
def test_a_commit_that_fails_leaves_nothing_open(tmp_path, store):
    impatient = DecisionStore(tmp_path / "store", patience=0.05)
    decision = store.bandit().bandit.decide([1.0, 2.0])
    with store._transaction("DEFERRED") as run:
        run("SELECT COUNT(*) FROM decisions").fetchone()  # reads, so that nobody can commit
        with pytest.raises(OutputError, match="locked"):
            impatient.add(decision)
    assert store.counts()["decisions"] == 0
    impatient.add(decision)
    assert store.counts()["decisions"] == 1


def test_a_forked_process_opens_it_for_itself(store):
    (decision,) = decided(store, [1.0, 2.0])
    child = os.fork()
    if child == 0:
        os._exit(0 if store.reward(decision, 1.0) is Receipt.KEPT else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert store.reward(decision, 1.0) is Receipt.DUPLICATE


def test_threads_share_a_store(store):
    from concurrent.futures import ThreadPoolExecutor

    decisions = decided(store, *np.random.default_rng(0).random((30, 2)))
    with ThreadPoolExecutor(6) as pool:
        said = [*pool.map(lambda it: store.reward(it, 1.0), [*decisions, *decisions])]
    assert (said.count(Receipt.KEPT), said.count(Receipt.DUPLICATE)) == (30, 30)


def test_a_bandit_of_words_and_rewards_of_two_values(tmp_path):
    store = DecisionStore(tmp_path / "words")
    store.publish(Bandit(Bootstrap(), AB, rewards=Support.binary(), seed=1))
    (decision,) = decided(store, None)
    store.reward(decision, 1)
    assert store.learn() == 1


def test_a_crowd_of_processes(tmp_path):
    """All of it: `python tests/bandit/log/crowd.py`."""
    import crowd

    said = crowd.crowd(tmp_path, processes=2, pairs=60)
    assert said["duplicate"] > 5


DAMAGED = [
    b"", b"{", b"5", b"[" * 100_000, b"{}", b"\xff", b'{"context": [1.0, 2.0]}',
    b'{"context": [NaN, 2.0], "arm": "a"}',
]  # fmt: skip


def damage(store, decision, record):
    query = "UPDATE decisions SET record = CAST(? AS TEXT) WHERE id = ?"
    store._connection.execute(query, (record, decision.id))


@pytest.mark.parametrize("record", DAMAGED, ids=lambda it: it[:20].decode("latin-1"))
def test_a_damaged_record_is_named_and_stops_nothing(record, store):
    one, other = decided(store, [1.0, 2.0], [1.0, 3.0])
    store.reward(one, 0.5)
    store.reward(other, 1.0)
    damage(store, one, record)
    for read in (store.rewards, lambda: list(store.read())):
        with pytest.raises(OutputError, match=f"damaged record of decision {one.id}"):
            read()
    with pytest.warns(UserWarning, match=f"damaged record of decision {one.id}"):
        assert store.learn() == 2
    assert store.bandit().bandit.rewards_learnt == 1


def test_a_record_of_another_decision_is_refused(store):
    one, other = decided(store, [1.0, 2.0], [1.0, 3.0])
    store.reward(one, 0.5)
    damage(store, one, json.dumps(other.to_dict()).encode())
    with pytest.raises(OutputError, match=f"it is of decision '{other.id}'"):
        store.rewards()


@pytest.mark.parametrize(("column", "value"), [("reward", "much"), ("weight", -1), ("weight", 0)])
def test_a_damaged_reward_is_named(column, value, store):
    (one,) = decided(store, [1.0, 2.0])
    store.reward(one, 0.5)
    store._connection.execute(f"UPDATE rewards SET {column} = ?", (value,))
    with pytest.raises(OutputError, match=f"decision {one.id} .its reward is"):
        store.rewards()

"""Our own decision logs, from files, objects, stores and tables."""

import json

import numpy as np
import pandas as pd
import pytest

from bandstrap import (
    Bandit,
    Bootstrap,
    Expiry,
    InvalidInput,
    LinThompson,
    LogFile,
    OutputError,
    Propensity,
)
from bandstrap.bandit.log.store import DecisionStore
from bandstrap.bandit.log.table import write_parquet
from bandstrap.evaluation.logs import read_log


def played(path, rounds=30, **options):
    """A bandit that decided, and was told every other reward."""
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=1, log=path, **options)
    decisions = []
    for number in range(rounds):
        decisions.append(bandit.decide())
        if number % 2:
            bandit.learn(decisions[-1], reward=number / 100)
    return bandit, decisions


def contextual(path, contexts, arms=("a", "b")):
    bandit = Bandit(LinThompson(), arms, seed=1, log=path)
    for context in contexts:
        bandit.learn(bandit.decide(context), reward=0.5)
    return bandit


def changed(path, *changes):
    """The log with other lines: (line, function of the record)."""
    lines = path.read_text().splitlines()
    for line, change in changes:
        lines[line - 1] = change(json.loads(lines[line - 1]))
    path.write_text("\n".join(line for line in lines if line is not None) + "\n")
    return path


def test_lines_of_several_processes_are_sorted(tmp_path):
    """Whoever wrote first may have decided later."""
    played(tmp_path / "log")
    log = read_log(tmp_path / "log")
    lines = (tmp_path / "log").read_text().splitlines()
    here = [at for at, line in enumerate(lines) if json.loads(line)["event"] == "decision"]
    lines[here[3]], lines[here[9]] = lines[here[9]], lines[here[3]]
    (tmp_path / "log").write_text("\n".join(lines) + "\n")
    again = read_log(tmp_path / "log")
    assert again.times.tolist() == log.times.tolist()
    np.testing.assert_array_equal(again.rewards, log.rewards)
    assert again.chosen.tolist() == log.chosen.tolist()
    assert "have been sorted" in again.notes[-1]


def test_decisions_with_their_rewards(tmp_path):
    path = tmp_path / "log"
    _, decisions = played(path)
    log = read_log(path)
    assert log.arms == ("a", "b")
    assert [log.arms[place] for place in log.chosen] == [each.arm for each in decisions]
    assert log.propensities.tolist() == [each.propensity for each in decisions]
    assert log.weights.tolist() == [each.weight for each in decisions]
    assert log.times.tolist() == [each.time for each in decisions]
    assert log.rewards[1::2].tolist() == [number / 100 for number in range(1, 30, 2)]
    assert np.isnan(log.rewards[::2]).all()
    assert log.contexts is None
    assert log.allowed is None
    assert log.notes[0].startswith("30 decisions: 15 with a reward, 15 waiting for one, 0 expired")


def test_a_log_object_and_a_table_give_the_same(tmp_path):
    path = tmp_path / "log"
    bandit, decisions = played(path)
    bandit.drop(decisions[0])
    write_parquet(path, tmp_path / "table.parquet")
    log = read_log(path)
    assert len(log) == 29
    for other in (bandit.log, LogFile(path), tmp_path / "table.parquet"):
        same = read_log(other)
        for name in ("chosen", "propensities", "weights", "times"):
            assert (getattr(same, name) == getattr(log, name)).all()
        assert np.array_equal(same.rewards, log.rewards, equal_nan=True)


def test_expired_dropped_and_arms_that_come_and_go(tmp_path):
    bandit, decisions = played(tmp_path / "log", 6, expiry=Expiry(decisions=3, reward=0.0))
    bandit.drop(decisions[4])
    bandit.add_arm("c")
    bandit.decide(allowed=["a", "b"])
    bandit.retire_arm("a")
    bandit.decide()
    bandit.reinstate_arm("a")
    bandit.remove_arm("b")
    bandit.decide()
    log = read_log(tmp_path / "log")
    assert log.arms == ("a", "b", "c")
    assert len(log) == 8  # of 9
    assert "expired, 1 dropped" in log.notes[0]
    assert log.rewards[0] == 0.0  # as the expiry says
    assert log.allowed[0].tolist() == [True, True, False]
    assert log.allowed[-3:].tolist() == [
        [True, True, False],
        [False, True, True],
        [True, False, True],
    ]


def test_contexts_as_they_were_given(tmp_path):
    rows = np.random.default_rng(0).standard_normal((8, 2))
    contextual(tmp_path / "array", rows)
    log = read_log(tmp_path / "array")
    assert (log.contexts == rows).all()
    assert log.columns.names == []
    assert log.context(3).tolist() == rows[3].tolist()
    contextual(tmp_path / "dict", [{"x": x, "one": 1.0, "flag": x > 0} for x in rows[:, 0]])
    log = read_log(tmp_path / "dict")
    assert log.columns.names == ["x", "one", "flag"]  # also what never changes
    assert (log.contexts[:, 0] == rows[:, 0]).all()
    frame = pd.DataFrame(rows)  # whose names are numbers
    bandit = Bandit(LinThompson(), [1, "1"], seed=1, log=tmp_path / "frame")
    bandit.learn(bandit.decide(frame), reward=[0.5] * 8)
    log = read_log(tmp_path / "frame")
    assert log.arms == (1, "1")
    assert log.columns.names == [0, 1]


def test_a_bandit_can_be_asked_about_its_own_log(tmp_path):
    bandit = contextual(tmp_path / "log", [{"x": x, "one": 1.0} for x in np.linspace(-1, 1, 8)])
    log = read_log(tmp_path / "log")
    again = Bandit.from_bytes(bandit.to_bytes())
    assert again.decide(log.context(5)).context == {"x": log.contexts[5, 0], "one": 1.0}


def test_a_store_of_decisions(tmp_path):
    store = DecisionStore(tmp_path / "store")
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=1)
    decisions = [bandit.decide() for _ in range(6)]
    store.add(decisions)
    for decision in decisions[1:4]:
        store.reward(decision.id, 1.0)
    for source in (store, tmp_path / "store"):
        log = read_log(source)
        assert sorted(log.propensities) == sorted(each.propensity for each in decisions)
        assert np.nansum(log.rewards) == 3


def test_deferred_propensities(tmp_path):
    path = tmp_path / "log"
    bandit = Bandit(Bootstrap(), range(100), seed=1, log=path)
    for _ in range(3):
        bandit.learn(bandit.decide(), reward=0.3)
    bandit.learn(arm=range(100), reward=[0.3, 0.7] * 50)
    bandit.decide()
    with pytest.raises(InvalidInput, match=r"propensity, line \d+ = None: was deferred here"):
        read_log(path)
    assert read_log(path, propensity="").propensities is None


def test_all_deferred(tmp_path):
    path = tmp_path / "log"
    bandit = Bandit(Bootstrap(), range(100), seed=1, log=path)
    bandit.learn(arm=range(100), reward=[0.3, 0.7] * 50)
    bandit.decide()
    log = read_log(path)
    assert log.propensities is None
    assert "sharpen" in " ".join(log.notes)
    assert "100 rewards learnt without a decision" in " ".join(log.notes)


def test_unbiased_weights(tmp_path):
    path = tmp_path / "log"
    bandit = Bandit(
        Bootstrap(), ["a", "b", "c"], seed=1, log=path, propensity=Propensity(repeats=3)
    )
    decisions = []
    for number in range(20):
        decisions.append(bandit.decide())
        bandit.learn(decisions[-1], reward=number / 19)
    log = read_log(path)
    assert log.weights.tolist() == [each.weight for each in decisions]
    assert any("geometric" in note for note in log.notes)


def test_a_cut_last_line_is_named_and_left_out(tmp_path):
    path = tmp_path / "log"
    played(path, 4)
    whole = path.read_text()
    path.write_text(whole[:-20])
    log = read_log(path)
    assert np.isnan(log.rewards).sum() == 3
    assert log.notes[0] == "Line 7, the last, is cut off and left out."


def test_a_bad_line_in_the_middle(tmp_path):
    path = tmp_path / "log"
    played(path, 4)
    changed(path, (3, lambda record: "{not json"))
    with pytest.raises(OutputError, match="line 3 cannot be read"):
        read_log(path)
    log = read_log(path, bad_lines=1)
    assert "Left out: 1 bad line (line 3" in log.notes[0]
    changed(path, (2, lambda record: json.dumps({"event": "decision", "id": 3})))
    with pytest.raises(OutputError, match=r"line 3 cannot be read .*, nor can 1 line before"):
        read_log(path, bad_lines=1)


def test_a_reward_for_no_decision(tmp_path):
    path = tmp_path / "log"
    played(path, 4)
    changed(path, (4, lambda record: json.dumps({**record, "id": "other"})))
    with pytest.raises(OutputError, match="line 4 has a reward for no decision"):
        read_log(path)


def test_rewards_of_decisions_from_before_the_log(tmp_path):
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=1)
    early = bandit.decide()
    logged = Bandit.from_bytes(bandit.to_bytes(), log=tmp_path / "log")
    logged.learn(early, reward=1.0)
    logged.learn(logged.decide(), reward=0.5)
    log = read_log(tmp_path / "log")
    assert log.rewards.tolist() == [0.5]
    assert "1 reward of decisions that the log does not have" in " ".join(log.notes)


def test_one_id_twice(tmp_path):
    path = tmp_path / "log"
    played(path, 4)
    first = json.loads(path.read_text().splitlines()[1])["id"]
    changed(path, (3, lambda record: json.dumps({**record, "id": first})))
    with pytest.raises(OutputError, match="lines 2 and 3 have decisions of one id, in all 1"):
        read_log(path)


def test_contexts_of_another_width(tmp_path):
    path = tmp_path / "log"
    contextual(path, np.ones((3, 2)))
    changed(path, (4, lambda record: json.dumps({**record, "context": [1.0]})))
    with pytest.raises(InvalidInput, match="context, line 4 = 1: numbers in the context"):
        read_log(path)


def test_columns_are_not_named_of_our_logs(tmp_path):
    played(tmp_path / "log", 2)
    with pytest.raises(InvalidInput, match="a log of ours has its own names"):
        read_log(tmp_path / "log", arm="arm")


def test_a_log_without_decisions(tmp_path):
    Bandit(Bootstrap(), ["a", "b"], log=tmp_path / "log").learn(arm="a", reward=1.0)
    with pytest.raises(InvalidInput, match="it has no decisions"):
        read_log(tmp_path / "log")

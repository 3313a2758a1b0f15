"""Rebuilt from its log, with a saved file or without, equals never stopped, bit for bit."""

import copy
import json
import os
import shutil
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bandstrap import (
    Bandit,
    Bootstrap,
    ContextualEpsilonGreedy,
    Control,
    EigenExamples,
    EpsilonGreedy,
    Expiry,
    Exponential,
    HalfLife,
    InvalidInput,
    LinearRegression,
    LinThompson,
    LogFile,
    LogisticRegression,
    OnlineBootstrap,
    OnlineLogistic,
    OutputError,
    Replicas,
    SharedBootstrap,
    Support,
    Window,
)
from bandstrap.policies import POLICIES
from bandstrap.policies.entry import CHANGE_ARMS
from bandstrap.policies.registry import CONTEXTUAL, REGISTRY
from states import everything

ABC = ["a", "b", "c"]
CONTEXTS = np.random.default_rng(7).standard_normal((30, 3))


def play(bandit, rounds, contextual=False, start=0):
    """Decisions, with every third reward late, one dropped and one learnt from others."""
    late = []
    for i in range(start, start + rounds):
        context = CONTEXTS[i % 30] if contextual else None
        decision = bandit.decide(context, allowed=["a", "c"] if i % 5 == 4 else None)
        if i % 3:
            bandit.learn(decision, float((i + bandit.arms.index(decision.arm)) % 2))
        else:
            late.append(decision.id)
    bandit.drop(late.pop())
    bandit.learn(late[:2], [1.0, 0.0][: len(late[:2])])
    bandit.rank(CONTEXTS[0] if contextual else None, k=2)
    bandit.learn(context=CONTEXTS[1] if contextual else None, arm="b", reward=1.0)


def check_same(bandit, *others, context=None):
    """What they know, the decisions that wait, and all that they will decide."""
    known, waiting = everything(bandit), [*bandit._pending.waiting]
    for other in others:
        assert everything(other) == known
        assert [*other._pending.waiting] == waiting
        assert other.stats().arms == bandit.stats().arms
    decided = [[each.decide(context) for _ in range(3)] for each in (bandit, *others)]
    arms = [[(it.arm, tuple(it.scores.values())) for it in some] for some in decided]
    assert all(each == arms[0] for each in arms)
    assert len({it.id for some in decided for it in some}) == 3 * len(decided)


def check_rebuilt(make, folder, contextual=False, rounds=(9, 6), change=True):
    log, file = folder / "log", folder / "b"
    bandit = make(log)
    play(bandit, rounds[0], contextual)
    if change:
        bandit.add_arm("d")
    bandit.save(file)
    play(bandit, rounds[1], contextual, rounds[0])
    context = CONTEXTS[5] if contextual else None
    settled = json.loads(log.read_text().splitlines()[1])["id"]
    again = [Bandit.rebuild(log), Bandit.rebuild(log, file)]
    for each in again:
        with pytest.raises(InvalidInput, match="has its reward already"):
            each.learn(settled, 1.0)
    check_same(bandit, *again, context=context)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_without_contexts(name, tmp_path):
    check_rebuilt(
        lambda log: Bandit(POLICIES[name](), ABC, seed=4, rewards=Support.binary(), log=log),
        tmp_path,
        change=CHANGE_ARMS not in REGISTRY[name].cannot,
    )


@pytest.mark.parametrize("name", CONTEXTUAL)
def test_every_contextual_policy(name, tmp_path):
    policy = CONTEXTUAL[name](EigenExamples(np.eye(3)))
    check_rebuilt(
        lambda log: Bandit(policy, ABC, seed=4, rewards=Support.binary(), log=log),
        tmp_path,
        contextual=True,
        rounds=(6, 4),
        change=CHANGE_ARMS not in REGISTRY[name].cannot,
    )


SETTINGS = {
    "half-life": {"forgetting": HalfLife(7)},
    "window": {"forgetting": Window(6)},
    "expiry": {"expiry": Expiry(decisions=3, reward=0.0)},
    "expiry without reward": {"expiry": Expiry(decisions=2)},
    "control": {"control": Control(0.4, arm="b")},
    "learning at random": {"policy": OnlineBootstrap()},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting(name, tmp_path):
    given = {"policy": Bootstrap(), **SETTINGS[name]}

    def make(log):
        return Bandit(arms=ABC, seed=4, rewards=Support.binary(), log=log, **given)

    log = tmp_path / "log"
    bandit = make(log)
    for i in range(25):
        decision = bandit.decide()
        if i % 3 == 0:
            bandit.learn(decision, 1.0)
    check_same(bandit, Bandit.rebuild(log))


def test_time_of_expiry_is_that_of_the_log(tmp_path):
    now = [100.0]
    clock = lambda: now[0]  # noqa: E731
    expiry = Expiry(seconds=10, reward=0.5)
    bandit = Bandit(Bootstrap(), ABC, seed=1, expiry=expiry, clock=clock, log=tmp_path / "log")
    for _ in range(12):
        now[0] += 3
        bandit.decide()
    now[0] += 50
    assert bandit.expire() == 4
    with pytest.raises(OutputError, match="its own clock"):
        Bandit.rebuild(tmp_path / "log")
    again = Bandit.rebuild(tmp_path / "log", clock=clock)
    assert again.rewards_learnt == bandit.rewards_learnt == 12
    check_same(bandit, again)


WORDS = [{"age": float(i), "city": c, "new": i % 2 == 0} for i, c in enumerate("xyxzyx")]


FRAME = pd.DataFrame(WORDS[:2])
FIRST = {"dict": WORDS[0], "frame": FRAME, "category": FRAME.astype({"city": "category"})}


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
def test_columns_and_words_are_the_same(first, tmp_path):
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    from bandstrap import ContextualBootstrap, SeenExamples, from_sklearn

    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["city"]), remainder="passthrough"
    )
    model = from_sklearn(make_pipeline(encoder, Ridge()), replicas=2)
    policy = ContextualBootstrap(Exponential(), model, SeenExamples())
    bandit = Bandit(policy, ABC, seed=1, log=tmp_path / "log")
    bandit.decide(first)
    for context in WORDS[2:]:
        bandit.learn(bandit.decide(context), 1.0)
    with pytest.raises(InvalidInput):
        bandit.learn(context=[WORDS[0] | {"city": "w"}], arm=["a"], reward=[7.0])
    bandit.learn(context=WORDS[1] | {"city": "v"}, arm="a", reward=0.5)
    again = Bandit.rebuild(tmp_path / "log")
    assert again.contexts.columns.words == bandit.contexts.columns.words
    told = [each for record in LogFile(tmp_path / "log").read() for each in record.get("words", ())]
    words = [word for _, some in told for word in some]
    assert sorted(words) == [*"vxyz"]  # each of them once
    assert again.contexts.columns.kinds == bandit.contexts.columns.kinds
    assert again.contexts.columns.source == bandit.contexts.columns.source
    check_same(bandit, again, context=WORDS[3])


@pytest.mark.parametrize("kind", [np.float32, np.float64, int])
def test_numbers_keep_their_type(kind, tmp_path):
    bandit = Bandit(LinThompson(), ABC, seed=1, log=tmp_path / "log")
    rows = np.array([[0.1, 1 / 3, 1e-30], [np.pi, -0.0, 5.0]]).astype(kind)
    for decision in bandit.decide(rows):
        bandit.learn(decision, 1.0)
    waiting = bandit.decide(rows[0])
    again = Bandit.rebuild(tmp_path / "log")
    row = again._pending.waiting[waiting.id].context
    assert (row.dtype, row.tobytes()) == (waiting.row.dtype, waiting.row.tobytes())
    check_same(bandit, again, context=rows[1])


def test_columns_with_numbers_for_names(tmp_path):
    bandit = Bandit(LinThompson(), ABC, seed=1, log=tmp_path / "log")
    frame = pd.DataFrame(CONTEXTS[:2])
    for decision in bandit.decide(frame):
        bandit.learn(decision, 1.0)
    check_same(bandit, Bandit.rebuild(tmp_path / "log"), context=frame.iloc[0])


def test_arms_with_features_come_and_go(tmp_path):
    policy = SharedBootstrap(Exponential(), Replicas(OnlineLogistic()), EigenExamples())
    arms = dict(zip(ABC, CONTEXTS, strict=False))
    bandit = Bandit(policy, arms, seed=1, rewards=Support.binary(), log=tmp_path / "log")
    bandit.learn(bandit.decide([1.0, 2.0]), 1)
    bandit.add_arm("d", features=CONTEXTS[9])
    bandit.retire_arm("a")
    bandit.learn([bandit.decide([0.5, -1.0]), bandit.decide([0.0, 1.0])], [1, 0])
    bandit.remove_arm("b")
    bandit.reinstate_arm("a")
    check_same(bandit, Bandit.rebuild(tmp_path / "log"), context=[0.3, 0.4])


def test_it_goes_on_and_on_in_the_same_log(tmp_path):
    log = tmp_path / "log"
    whole = Bandit(Bootstrap(), ABC, seed=3)
    play(whole, 6)
    bandit = Bandit(Bootstrap(), ABC, seed=3, log=log)
    play(bandit, 6)
    for turn in range(4):
        bandit = Bandit.rebuild(log, tmp_path / "b" if turn == 3 else None)
        play(bandit, 6, start=6 * turn)
        play(whole, 6, start=6 * turn)
        if turn == 2:
            bandit.save(tmp_path / "b")
    assert everything(whole)[0][2]["_memory"] == everything(bandit)[0][2]["_memory"]
    check_same(bandit, Bandit.rebuild(log))
    records = [*LogFile(log).read()]
    starts = ["state" in record for record in records if record["event"] == "start"]
    assert starts == [True, False, False, False, False, False]  # the last is check_same's
    ids = [each["id"] for each in records if each["event"] == "decision"]
    assert len(ids) == len(set(ids)) == 36


def test_a_look_back_to_before_a_decision(tmp_path):
    log, now = tmp_path / "log", [0.0]
    bandit = Bandit(Bootstrap(), ABC, seed=3, log=log, clock=lambda: now[0])
    told, arms = [], []
    for i in range(20):
        now[0] = float(i)
        decision = bandit.decide()
        told.append(decision)
        bandit.learn(decision, 0.1 * (i % 4))
        if i == 10:
            bandit.save(tmp_path / "b")
    before, size = os.path.getsize(log), len(told)
    for i in (0, 7, 19):
        then = Bandit.rebuild(log, upto=told[i], clock=lambda: now[0])
        assert then.rewards_learnt == i
        assert then.decide().scores == told[i].scores
        assert then.log is None
    assert Bandit.rebuild(log, upto=told[12].id, clock=lambda: 0.0).rewards_learnt == 12
    assert Bandit.rebuild(log, upto=4.5, clock=lambda: 0.0).rewards_learnt == 5
    assert Bandit.rebuild(log, tmp_path / "b", upto=15.0, clock=lambda: 0.0).rewards_learnt == 16
    with pytest.raises(OutputError, match="saved earlier"):
        Bandit.rebuild(log, tmp_path / "b", upto=told[3], clock=lambda: 0.0)
    with pytest.raises(InvalidInput, match="no such decision"):
        Bandit.rebuild(log, upto="x", clock=lambda: 0.0)
    with pytest.raises(InvalidInput, match="upto"):
        Bandit.rebuild(log, upto=[1], clock=lambda: 0.0)
    assert (os.path.getsize(log), len(arms) + size) == (before, 20)


def test_calls_that_are_refused_change_nothing_in_the_log(tmp_path):
    policy = ContextualEpsilonGreedy(LogisticRegression(), prior=EigenExamples())
    bandit = Bandit(policy, ABC, seed=0, rewards=Support.binary(), log=tmp_path / "log")
    decision = bandit.decide([1.0, 2.0])
    bandit.learn(decision, 1.0)
    lines = (tmp_path / "log").read_text()
    for refused in (
        lambda: bandit.decide([1.0]),
        lambda: bandit.decide([1.0, np.nan]),
        lambda: bandit.decide([1.0, 2.0], allowed=["x"]),
        lambda: bandit.learn(decision, 1.0),
        lambda: bandit.learn(bandit.decide, 1.0),
        lambda: bandit.learn(context=[1.0, 2.0], arm="a", reward=0.5),
        lambda: bandit.drop("x"),
        lambda: bandit.add_arm("a"),
        lambda: bandit.remove_arm("x"),
        lambda: bandit.retire_arm("x"),
        lambda: bandit.rank([1.0, 2.0], k=9),
    ):
        with pytest.raises((InvalidInput, LookupError)):
            refused()
    assert (tmp_path / "log").read_text() == lines
    check_same(bandit, Bandit.rebuild(tmp_path / "log"), context=[1.0, 2.0])


class DrawError(Exception):
    pass


def test_after_a_draw_that_failed_the_state_is_written_anew(tmp_path, monkeypatch):
    """Nobody can tell what it has changed on the way."""
    bandit = Bandit(LinThompson(), ABC, seed=0, log=tmp_path / "log")
    bandit.learn(bandit.decide([1.0, 2.0]), 1.0)
    with monkeypatch.context() as patch:
        real = type(bandit._lock_in).look
        bandit._lock_in.due = 2

        def look(self, *args):
            raise DrawError

        patch.setattr(type(bandit._lock_in), "look", look)
        assert real is not look
        with pytest.raises(DrawError):
            bandit.decide([[1.0, 2.0], [3.0, 4.0]])
    bandit._lock_in.due = 64
    bandit.learn(bandit.decide([1.0, 2.0]), 1.0)
    events = [record["event"] for record in LogFile(tmp_path / "log").read()]
    assert events == ["start", "decision", "reward", "start", "decision", "reward"]
    check_same(bandit, Bandit.rebuild(tmp_path / "log"), context=[1.0, 2.0])


def test_random_numbers_that_others_drew_are_told(tmp_path):
    bandit = Bandit(Bootstrap(), ABC, seed=0, log=tmp_path / "log")
    bandit.learn(bandit.decide(), 1.0)
    bandit._rng.integers(5, dtype=np.uint32)  # leaves half a word behind
    bandit.learn(bandit.decide(), 1.0)
    check_same(bandit, Bandit.rebuild(tmp_path / "log"))


def changed(log, number, **values):
    lines = log.read_text().splitlines()
    lines[number] = json.dumps({**json.loads(lines[number]), **values})
    log.write_text("\n".join(lines) + "\n")


def test_an_arm_that_does_not_come_again_is_named(tmp_path):
    log = tmp_path / "log"
    bandit = Bandit(Bootstrap(), ABC, seed=0, log=log)
    arm = bandit.decide().arm
    other = next(each for each in ABC if each != arm)
    changed(log, 1, arm=other)
    with pytest.raises(OutputError, match=f"line 2 does not happen again: arm '{other}' was"):
        Bandit.rebuild(log)
    changed(log, 1, arm=arm, random="0" * 32)
    with pytest.raises(OutputError, match="line 2 does not happen again: random numbers"):
        Bandit.rebuild(log)


@pytest.mark.parametrize(
    ("number", "values", "match"),
    [
        (1, {"event": "x"}, "line 2 cannot happen again: no event"),
        (1, {"id": 5}, "line 2 cannot happen again"),
        (1, {"context": [1.0, "x"]}, "line 2 cannot happen again"),
        (1, {"allowed": ["q"]}, "line 2 cannot happen again"),
        (1, {"columns": {"source": "x"}}, "line 2 cannot happen again"),
        (1, {"random": "zz", "moved": True}, "line 2 cannot happen again"),
        (1, {"time": "late"}, "line 2 cannot happen again"),
        (2, {"reward": 7.0}, "line 3 cannot happen again"),
        (2, {"id": "x"}, "line 3 cannot happen again"),
        (2, {"weight": -1}, "line 3 cannot happen again"),
        (2, {"seq": "2"}, "line 3 is no record"),
        (2, {"bandit": None}, "line 3 is no record"),
        (2, {"seq": 3}, "lacks event 2"),
        (0, {"state": "AAAA"}, "damaged"),
        (0, {"state": "é"}, "damaged"),
        (0, {"state": 5}, "damaged"),
        (0, {"state": None}, "start=path"),
        (0, {"format": 2}, "upgrade"),
    ],
)
def test_lines_that_no_bandit_wrote_are_refused(number, values, match, tmp_path):
    log = tmp_path / "log"
    bandit = Bandit(Bootstrap(), ABC, seed=0, log=log)
    bandit.learn(bandit.decide(), 1.0)
    bandit.decide()
    changed(log, number, **values)
    with pytest.raises(OutputError, match=match):
        Bandit.rebuild(log)


def test_a_policy_that_cannot_be_saved_needs_no_saving_to_be_logged(tmp_path):
    bandit = Bandit(EpsilonGreedy(lambda t: 1 / t), ABC, seed=1, log=tmp_path / "log")
    bandit.learn(bandit.decide(), 1.0)
    with pytest.raises(OutputError, match="has no state to start from"):
        Bandit.rebuild(tmp_path / "log")


def test_logs_and_files_that_do_not_belong_together(tmp_path):
    one, other = (Bandit(Bootstrap(), ABC, seed=1, log=tmp_path / name) for name in "xy")
    for bandit in (one, other):
        bandit.decide()
    one.save(tmp_path / "b")
    with pytest.raises(OutputError, match="does not go on from the saved one"):
        Bandit.rebuild(tmp_path / "y", tmp_path / "b")
    copy.deepcopy(one).save(tmp_path / "c")
    with pytest.raises(OutputError, match="saved without a log"):
        Bandit.rebuild(tmp_path / "x", tmp_path / "c")
    with pytest.raises(OutputError, match="cannot be read"):
        Bandit.rebuild(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    (tmp_path / "empty").touch()
    with pytest.raises(OutputError, match="has no bandit"):
        Bandit.rebuild(tmp_path / "empty")


def test_a_log_that_was_cleared_needs_the_file(tmp_path):
    log = tmp_path / "log"
    bandit = Bandit(Bootstrap(), ABC, seed=1, log=log)
    play(bandit, 6)
    bandit.save(tmp_path / "b")
    lines = log.read_text().splitlines(keepends=True)
    play(bandit, 6)
    log.write_text("".join(log.read_text().splitlines(keepends=True)[len(lines) :]))
    with pytest.raises(OutputError, match="start=path"):
        Bandit.rebuild(log)
    check_same(bandit, Bandit.rebuild(log, tmp_path / "b"))


def test_a_loaded_bandit_with_another_log_starts_from_what_it_knows(tmp_path):
    bandit = Bandit(Bootstrap(), ABC, seed=1, log=tmp_path / "x")
    play(bandit, 6)
    bandit.save(tmp_path / "b")
    for seed in (None, 5):
        loaded = Bandit.load(tmp_path / "b", seed=seed, log=tmp_path / f"y{seed}")
        play(loaded, 6)
        check_same(loaded, Bandit.rebuild(tmp_path / f"y{seed}"))


def test_copies_write_no_log_and_forked_ones_do(tmp_path):
    bandit = Bandit(Bootstrap(), ABC, seed=1, log=tmp_path / "log")
    bandit.learn(bandit.decide(), 1.0)
    assert copy.deepcopy(bandit).log is None
    child = os.fork()
    if child == 0:
        bandit.learn(bandit.decide(), 0.0)
        bandit.save(tmp_path / "child")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    bandit.learn(bandit.decide(), 1.0)
    assert Bandit.rebuild(tmp_path / "log", tmp_path / "child").rewards_learnt == 2
    bandit.save(tmp_path / "b")
    check_same(bandit, Bandit.rebuild(tmp_path / "log", tmp_path / "b"))


def test_a_cut_last_line_is_named_and_left_out(tmp_path):
    log = tmp_path / "log"
    bandit = Bandit(Bootstrap(), ABC, seed=1, log=log)
    first = bandit.decide()
    size = log.stat().st_size
    bandit.decide()
    data = log.read_bytes()
    for cut in range(size + 1, len(data), 37):
        log.write_bytes(data[:cut])
        with pytest.warns(UserWarning, match="line 3 is cut off and left out"):
            again = Bandit.rebuild(log)
        assert [*again._pending.waiting] == [first.id]
        with pytest.warns(UserWarning, match="the last line is cut off and removed"):
            again.learn(first, 1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert Bandit.rebuild(log).rewards_learnt == 1


def test_a_log_may_be_any_object(tmp_path):
    class Kept(list):
        def append(self, records):
            self.extend(json.loads(json.dumps(records)))

        def read(self):
            return iter(self)

    log = Kept()
    bandit = Bandit(LinThompson(), ABC, seed=1, log=log)
    play(bandit, 6, contextual=True)
    check_same(bandit, Bandit.rebuild(log), context=CONTEXTS[0])
    assert bandit.log is log
    with pytest.raises(InvalidInput, match="append and read"):
        Bandit(Bootstrap(), ABC, log=[])


def test_what_a_linear_bootstrap_keeps(tmp_path):
    """Rebuilt in a copy of the folder: nothing points to where the log was."""
    from bandstrap import ContextualBootstrap

    policy = ContextualBootstrap(Exponential(), LinearRegression(), EigenExamples())
    (tmp_path / "one").mkdir()
    bandit = Bandit(policy, ABC, seed=1, log=tmp_path / "one" / "log")
    play(bandit, 12, contextual=True)
    bandit.save(tmp_path / "one" / "b")
    play(bandit, 3, contextual=True)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    again = Bandit.rebuild(Path(tmp_path / "two" / "log"), tmp_path / "two" / "b")
    check_same(bandit, again, context=CONTEXTS[2])

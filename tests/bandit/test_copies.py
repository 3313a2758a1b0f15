"""Copies of a bandit: by file with a clock or a seed of their own, deep, and pickled."""

import copy
import json
import pickle

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    BetaThompson,
    Bootstrap,
    ContextualBootstrap,
    EigenExamples,
    Expiry,
    Exponential,
    InvalidInput,
    LinearRegression,
    OutputError,
    SeenExamples,
    Support,
    from_sklearn,
)
from bandstrap.bandit.logged import LoggedBandit

COLOURS = ["red", "green", "blue"]


def played(bandit, rounds=20, context=None):
    return [bandit.decide(context).arm for _ in range(rounds)]


def by_clock(now):
    return Bandit(Bootstrap(), COLOURS, seed=0, expiry=Expiry(seconds=60), clock=lambda: now[0])


def test_a_clock_of_one_s_own_is_asked_for_again(tmp_path):
    now = [0.0]
    bandit = by_clock(now)
    waiting = bandit.decide()
    bandit.save(tmp_path / "b")
    with pytest.raises(OutputError, match=r"its own clock; give it again: .*clock=…"):
        Bandit.load(tmp_path / "b")
    with pytest.raises(InvalidInput, match="clock = 5"):
        Bandit.load(tmp_path / "b", clock=5)
    again = Bandit.load(tmp_path / "b", clock=lambda: now[0])
    assert again.expire() == 0
    now[0] = 59.0
    again.learn(waiting, 1.0)
    again.save(tmp_path / "c")
    with pytest.raises(OutputError, match="clock"):
        Bandit.load(tmp_path / "c")


def test_the_usual_clock_is_not_asked_for(tmp_path):
    Bandit(Bootstrap(), COLOURS, seed=0, expiry=Expiry(seconds=60)).save(tmp_path / "b")
    assert Bandit.load(tmp_path / "b").expire() == 0


def test_copies_with_seeds_decide_by_streams_and_ids_of_their_own(tmp_path):
    bandit = Bandit(BetaThompson(), COLOURS, seed=1, rewards=Support.binary())
    bandit.learn(arm=COLOURS * 20, reward=[0, 1, 0] * 20)
    waiting = bandit.decide()
    bandit.save(tmp_path / "b")
    same = [Bandit.load(tmp_path / "b") for _ in range(2)]
    copies = [Bandit.load(tmp_path / "b", seed=seed) for seed in (1, 2, 2)]
    assert played(same[0]) == played(same[1]) == played(bandit)
    told = [[each.decide(allowed=["red", "blue"]) for _ in range(40)] for each in copies]
    arms = [[decision.arm for decision in some] for some in told]
    assert arms[0] != arms[1] == arms[2]
    ids = [{decision.id for decision in some} for some in told]
    assert not ids[0] & ids[1]
    assert not ids[1] & ids[2]
    assert json.loads(json.dumps([*ids[0]])) == [*ids[0]]
    assert copies[0].decisions_waiting == 41
    copies[0].learn(waiting.id, 1.0)
    with pytest.raises(InvalidInput, match="has its reward already"):
        copies[0].learn(waiting.id, 1.0)
    with pytest.raises(InvalidInput, match="no such decision"):
        copies[1].learn(told[0][0], 1.0)
    copies[0].learn(told[0][0], 1.0)
    with pytest.raises(InvalidInput, match="has its reward already"):
        copies[0].learn(told[0][0], 1.0)
    assert [copy.decide().arm for copy in copies].count("green") == 3
    with pytest.raises(InvalidInput, match="seed = -1"):
        Bandit.load(tmp_path / "b", seed=-1)


def test_a_copy_with_a_seed_goes_on_from_its_own_file(tmp_path):
    Bandit(BetaThompson(), COLOURS, seed=1, rewards=Support.binary()).save(tmp_path / "b")
    copied = Bandit.load(tmp_path / "b", seed=5)
    decision = copied.decide()
    copied.save(tmp_path / "c")
    again = Bandit.load(tmp_path / "c")
    again.learn(decision, 1.0)
    copied.learn(decision, 1.0)
    assert played(again) == played(copied)
    assert again.decide().id != copied.decide().id


def test_decisions_of_a_copy_are_learnt_by_context_and_arm(tmp_path):
    """Words have other codes in other processes; a decision tells them as words."""
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["city"]), remainder="passthrough"
    )
    model = from_sklearn(make_pipeline(encoder, Ridge()), replicas=2)
    policy = ContextualBootstrap(Exponential(), model, SeenExamples())
    learning = Bandit(policy, COLOURS, seed=1)
    learning.learn(context={"city": "Oslo", "age": 3.0, "new": True}, arm="red", reward=1)
    learning.save(tmp_path / "b")
    deciding = Bandit.load(tmp_path / "b", seed=2)
    deciding.contexts.rows({"city": "Rome", "age": 1.0, "new": False})
    decision = deciding.decide({"city": "Bern", "age": 4, "new": False})
    assert decision.context == {"city": "Bern", "age": 4.0, "new": False}
    learning.learn(context=decision.context, arm=decision.arm, reward=1)
    assert learning.rewards_learnt == 2
    rows = learning.contexts.rows(decision.context)[0]
    assert rows[0].tolist() == [[1.0, 4.0, 0.0]]  # Bern is the second word here, the third there


def test_decisions_of_arrays_are_learnt_by_context_and_arm(tmp_path):
    policy = ContextualBootstrap(Exponential(), LinearRegression(), EigenExamples())
    bandit = Bandit(policy, COLOURS, seed=1)
    decision = bandit.decide([1.0, 2.0])
    bandit.learn(context=decision.context, arm=decision.arm, reward=1)
    assert bandit.rewards_learnt == 1
    assert Bandit(Bootstrap(), COLOURS).decide().context is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
@pytest.mark.parametrize("context", [None, [1.0, 2.0]])
def test_deep_copies_and_pickles_go_on_alike_and_apart(copied, context):
    policy = ContextualBootstrap(Exponential(), LinearRegression(), EigenExamples())
    bandit = Bandit(policy if context else Bootstrap(), COLOURS, seed=1)
    decision = bandit.decide(context)
    again = copied(bandit)
    again.learn(copied(decision), 1.0)
    assert bandit.decisions_waiting == 1
    bandit.learn(decision, 1.0)
    assert played(again, context=context) == played(bandit, context=context)


def test_a_fitted_logged_bandit_is_pickled():
    rows = np.random.default_rng(0).standard_normal((20, 2))
    policy = ContextualBootstrap(Exponential(), LinearRegression(), EigenExamples())
    model = LoggedBandit(policy, random_state=0).fit(rows, ["a", "b"] * 10, [0.0, 1.0] * 10)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(rows[:3]) == model.predict(rows[:3])).all()

"""Logged decisions learnt and predicted from in scikit-learn's way."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from bandstrap import (
    BESA,
    UCB1,
    Bandit,
    BetaThompson,
    ContextualBootstrap,
    EigenExamples,
    Encoder,
    Exponential,
    GaussianLimit,
    InvalidInput,
    LinearRegression,
    LinThompson,
    LoggedBandit,
    LogisticRegression,
    SeenExamples,
    Support,
    UnknownName,
    from_sklearn,
)
from bandstrap.evaluation.logs import read_log
from bandstrap.storage.packing import pack

WB = ContextualBootstrap(Exponential(), GaussianLimit(LogisticRegression()), EigenExamples())
NAMES = ["low", "mid", "high"]


def log(rows=400, seed=0):
    """Arm `high` pays where the first column is above 0, `low` below; `mid` now and then."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((rows, 2))
    arms = rng.choice(NAMES, rows)
    right = np.where(table[:, 0] > 0, "high", "low")
    chance = np.where(arms == "mid", 0.3, np.where(arms == right, 0.9, 0.1))
    return table, arms, (rng.random(rows) < chance).astype(float)


def fitted(policy=WB, **given):
    return LoggedBandit(policy, rewards=Support.binary(), random_state=0, **given).fit(*log())


FAR = np.array([[2.0, 0.0], [-2.0, 0.0], [1.5, 1.0]])


@pytest.mark.parametrize("policy", [WB, LinThompson()], ids=["draws", "exact"])
def test_it_predicts_the_best_arm_and_chances(policy):
    model = fitted(policy)
    assert model.classes_.tolist() == sorted(NAMES)
    assert model.predict(FAR).tolist() == ["high", "low", "high"]
    chances = model.predict_proba(FAR)
    assert chances.shape == (3, 3)
    assert chances.sum(axis=1) == pytest.approx(np.ones(3))
    assert (model.classes_[chances.argmax(axis=1)] == model.predict(FAR)).all()


def test_predictions_change_nothing_and_do_not_depend_on_their_neighbours():
    model = fitted(draws=300)
    before = pack(model.bandit_).text, model.bandit_._rng.bit_generator.state
    whole, again = model.predict_proba(FAR), model.predict_proba(FAR)
    model.predict(FAR)
    assert (pack(model.bandit_).text, model.bandit_._rng.bit_generator.state) == before
    assert (whole == again).all()
    assert model.predict_proba(FAR[1:])[0] == pytest.approx(whole[1], abs=0.15)
    assert model.bandit_.decisions_waiting == 0


def test_chances_are_those_of_the_bandit_s_decisions():
    at = np.array([[0.1, 0.0]])
    model = fitted(draws=1000)
    told = model.predict_proba(at)[0]
    arms = [model.bandit_.decide(at[0]).arm for _ in range(1000)]
    shares = np.array([arms.count(name) for name in model.classes_]) / 1000
    # Two shares of 1000: a standard error of at most 0.022; the floor moves 0.001.
    assert np.abs(told - shares).max() < 0.1


def test_it_follows_scikit_learn_s_conventions():
    model = LoggedBandit(WB, draws=7, random_state=3)
    assert set(model.get_params()) == {"policy", "arms", "rewards", "draws", "random_state"}
    copy = clone(model)
    assert copy is not model
    assert copy.get_params() == model.get_params()
    assert copy.set_params(draws=9).draws == 9
    with pytest.raises(NotFittedError):
        model.predict(FAR)
    with pytest.raises(NotFittedError):
        model.predict_proba(FAR)
    assert model.fit(*log(60)) is model
    assert model.n_features_in_ == 2
    assert (clone(model).fit(*log(60)).predict(FAR) == model.predict(FAR)).all()


def test_fit_forgets_the_log_before():
    model = fitted()
    table, arms, rewards = log(50)
    assert model.fit(table, arms, rewards).bandit_.rewards_learnt == 50


def test_a_frame_with_names():
    table, arms, rewards = log()
    frame = pd.DataFrame({"sign": table[:, 0] > 0, "x": table[:, 0]})
    model = LoggedBandit(WB, rewards=Support.binary(), random_state=0).fit(frame, arms, rewards)
    assert model.feature_names_in_.tolist() == ["sign", "x"]
    assert set(model.predict(frame.iloc[:20])) <= {"low", "high"}
    with pytest.raises(InvalidInput, match="y"):
        model.predict(frame.rename(columns={"x": "y"}))


def test_arms_that_are_numbers_and_no_contexts():
    arms = np.array([7, 9] * 30)
    model = LoggedBandit(BetaThompson(), random_state=0, rewards=Support.binary())
    model.fit(np.empty((60, 0)), arms, (arms == 9).astype(float))
    assert model.predict(np.empty((3, 0))).tolist() == [9, 9, 9]
    assert model.predict_proba(np.empty((2, 0))).shape == (2, 2)


def test_an_arm_that_the_log_never_tried_is_explored_but_not_predicted():
    model = LoggedBandit(UCB1(), arms=["a", "b", "c"], random_state=0)
    model.fit(np.empty((20, 0)), ["a", "b"] * 10, [0.2, 0.6] * 10)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict(np.empty((1, 0))).tolist() == ["b"]
    assert model.predict_proba(np.empty((1, 0)))[0].tolist() == [0, 0, 1]


def test_propensities_undo_what_the_log_preferred():
    """A line fit to a curve: the log tries `a` mostly where it pays, weights tell the average."""
    rng = np.random.default_rng(1)
    good = rng.random(4000) < 0.5
    tried = np.where(good, 0.9, 0.1)  # how probable `a` was
    arms = np.where(rng.random(4000) < tried, "a", "b")
    chances = np.where(arms == "a", tried, 1 - tried)
    rewards = np.where(arms == "a", good * 1.0, 0.6)
    table = np.ones((4000, 1))  # what made the difference was not written down
    policy = ContextualBootstrap(
        Exponential(), GaussianLimit(LinearRegression()), EigenExamples(np.eye(1))
    )
    plain = LoggedBandit(policy, random_state=0).fit(table, arms, rewards)
    weighed = LoggedBandit(policy, random_state=0).fit(table, arms, rewards, chances)
    assert plain.predict(table[:1]).tolist() == ["a"]  # 0.9 by the log
    assert weighed.predict(table[:1]).tolist() == ["b"]  # 0.5 in truth, against 0.6


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda m, x, a, r: m.fit(x[:-1], a, r), "each of"),
        (lambda m, x, a, r: m.fit(x, a, r[:-1]), "give 30"),
        (lambda m, x, a, r: m.fit(x[0], a, r), "give a table"),
        (lambda m, x, a, r: m.fit(x, a, r, np.ones(3)), "propensities = 3: give 30, one for each"),
        (lambda m, x, a, r: m.fit(x, a, r, np.zeros(30)), "above 0"),
        (lambda m, x, a, r: m.fit(x, a, r, np.full(30, np.nan)), "above 0"),
        (lambda m, x, a, r: m.fit(x, a, r + 7), "rewards lie in"),
        (lambda m, x, a, r: m.set_params(draws=0).fit(x, a, r), "draws"),
        (lambda m, x, a, r: m.fit(x, a, r).predict(x[:, :1]), "it was fit to 2"),
    ],
)
def test_bad_input(wrong, told):
    with pytest.raises(InvalidInput, match=told):
        wrong(LoggedBandit(LinThompson(), random_state=0), *log(30))


def test_an_arm_that_is_not_among_those_given():
    with pytest.raises(UnknownName, match="high"):
        LoggedBandit(LinThompson(), arms=["low", "mid"]).fit(*log(30))


def test_policies_that_take_whole_weights_only_say_so():
    _, arms, rewards = log(30)
    model = LoggedBandit(BESA(), random_state=0)
    with pytest.raises(InvalidInput, match="whole weights"):
        model.fit(np.empty((30, 0)), arms, rewards, np.linspace(0.1, 1, 30))
    assert not hasattr(model, "bandit_")


def test_names_of_two_types_stay_what_they_are():
    arms = ["a", 1] * 10
    for given in (None, ["a", 1]):
        model = LoggedBandit(UCB1(scale=0.0), arms=given, random_state=0)
        model.fit(np.empty((20, 0)), arms, [0.2, 0.6] * 10)
        assert model.predict(np.empty((1, 0))).tolist() == [1]
        assert set(model.classes_.tolist()) == {"a", 1}


def test_names_of_features_are_those_of_the_last_table():
    table, arms, rewards = log(30)
    model = LoggedBandit(LinThompson(), random_state=0)
    model.fit(pa.table({"x": table[:, 0], "y": table[:, 1]}), arms, rewards)
    assert model.feature_names_in_.tolist() == ["x", "y"]
    model.fit(table, arms, rewards)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda m, x, a, r: m.fit(x, 3, r), "arms = 3: give a list"),
        (lambda m, x, a, r: m.fit(x, a[:, None], r), "arms = .*: name arms"),
        (lambda m, x, a, r: m.fit(x, a, None), "reward = None: give a list of 30"),
        (lambda m, x, a, r: m.fit(x, a, 1.0), "reward = 1.0: give a list of 30"),
        (lambda m, x, a, r: m.fit(x, a, r, ["x"] * 30), "propensities = 'x': give a number"),
        (lambda m, x, a, r: m.fit([[1, 2], [3]], a, r), "X = .*all of one length"),
        (lambda m, x, a, r: m.set_params(draws=2.5).fit(x, a, r), "draws = 2.5"),
        (lambda m, x, a, r: m.set_params(arms=3).fit(x, a, r), "arms = 3: give a list"),
    ],
)
def test_values_of_the_wrong_kind(wrong, told):
    with pytest.raises(InvalidInput, match=told):
        wrong(LoggedBandit(LinThompson(), random_state=0), *log(30))


def test_it_is_a_public_name_that_scikit_learn_waits_for():
    code = "import sys, bandstrap; bandstrap.Bandit; assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "LoggedBandit" in dir(sys.modules["bandstrap"])


def shop(rows=300, seed=0):
    """What sells depends on the town, which is text; ages are missing now and then."""
    rng = np.random.default_rng(seed)
    towns = rng.choice(["Oslo", "Rome"], rows)
    arms = rng.choice(["ice", "tea"], rows)
    rewards = (rng.random(rows) < np.where((towns == "Rome") == (arms == "ice"), 0.9, 0.1)) * 1.0
    ages = rng.integers(20, 60, rows).astype(float)
    ages[::10] = np.nan
    return pd.DataFrame({"town": towns, "age": ages}), arms, rewards


WEATHER = [{"town": "Oslo", "age": 30.0}, {"town": "Rome", "age": None}]


@pytest.mark.parametrize("kind", ["pandas", "arrow", "dicts"])
def test_text_and_missing_values_become_numbers_by_an_encoder(kind):
    frame, arms, rewards = shop()
    table = {
        "pandas": frame,
        "arrow": pa.Table.from_pandas(frame),
        "dicts": frame.to_dict("records"),
    }[kind]
    model = LoggedBandit(LinThompson(), random_state=0).fit(table, arms, rewards)
    assert model.predict(WEATHER).tolist() == ["tea", "ice"]
    assert model.predict(table)[:3].tolist() == model.predict(frame)[:3].tolist()
    assert model.feature_names_in_.tolist() == ["town", "age"]
    assert model.encoder_.columns == ("town=Oslo", "town=Rome", "age", "age=(missing)")
    with pytest.raises(InvalidInput, match="X = '1 columns': it was fit to 2"):
        model.predict([{"town": "Oslo"}])


def test_numbers_in_text_and_pipelines_that_read_text_themselves():
    frame, arms, rewards = shop(60)
    texts = pd.DataFrame({"age": frame["age"].fillna(0).astype(str)})
    assert LoggedBandit(LinThompson()).fit(texts, arms, rewards).encoder_ is not None
    towns = frame[["town"]]
    reads = make_pipeline(make_column_transformer((OneHotEncoder(), ["town"])), SklearnLogistic())
    policy = ContextualBootstrap(Exponential(), from_sklearn(reads, replicas=2), SeenExamples())
    model = LoggedBandit(policy, rewards=Support.binary(), random_state=0, draws=5)
    assert model.fit(towns, arms, rewards).encoder_ is None
    assert model.predict(towns[:2]).tolist() in (["tea", "ice"], ["ice", "tea"], ["tea"] * 2,
                                                 ["ice"] * 2)  # fmt: skip


def test_the_bandit_is_handed_over_with_its_encoder(tmp_path):
    frame, arms, rewards = shop()
    model = LoggedBandit(LinThompson(), random_state=0).fit(frame, arms, rewards)
    model.bandit_.save(tmp_path / "live.bandit")
    model.encoder_.save(tmp_path / "encoder.json")
    bandit, encode = Bandit.load(tmp_path / "live.bandit"), Encoder.load(tmp_path / "encoder.json")
    for row in WEATHER:
        decisions = [bandit.decide(encode(row)) for _ in range(10)]
        same = [model.bandit_.decide(model.encode(row)) for _ in range(10)]
        assert [each.arm for each in decisions] == [each.arm for each in same]
    bandit.learn(decisions[0].id, reward=1.0)
    assert bandit.rewards_learnt == len(frame) + 1
    assert model.bandit_.rewards_learnt == len(frame)


def test_scores_are_estimates_of_what_predictions_earn():
    """The log prefers the worse arm: rewards that are not weighted would be too low."""
    rng = np.random.default_rng(0)
    model = LoggedBandit(UCB1(scale=0.0), random_state=0)
    model.fit(np.empty((4, 0)), ["a", "b"] * 2, [0.2, 0.8] * 2)
    assert model.predict(np.empty((1, 0))).tolist() == ["b"]
    hot = rng.random(4000) < 0.5  # known to the log alone: then `b` pays, and is tried less
    tried = np.where(hot, 0.2, 0.8)
    arms = np.where(rng.random(4000) < tried, "b", "a")
    chances = np.where(arms == "b", tried, 1 - tried)
    rewards = np.where(arms == "b", hot * 1.0, 0.5)
    nothing = np.empty((4000, 0))
    matched = arms == "b"
    weights = 1 / chances[matched]
    expected = (weights * rewards[matched]).sum() / weights.sum()
    score = model.score(nothing, arms, rewards, chances)
    assert score == pytest.approx(expected, rel=1e-12)
    assert score == pytest.approx(0.5, abs=0.06)  # three standard errors
    assert model.score(nothing, arms, rewards) == pytest.approx(rewards[matched].mean())
    assert np.isnan(model.score(nothing[:2], ["a", "a"], [1.0, 0.0]))
    with pytest.raises(InvalidInput, match="arms = 2: give one for each of 3 rows"):
        model.score(nothing[:3], ["a", "a"], [1.0, 0.0])


def test_a_log_that_was_read_is_learnt():
    frame, arms, rewards = shop()
    gaps = np.where(np.arange(300) % 50 == 0, np.nan, rewards)
    table = frame.assign(arm=arms, reward=gaps, propensity=0.5)
    model = LoggedBandit(LinThompson(), random_state=0).fit_log(read_log(table))
    assert model.bandit_.rewards_learnt == 294
    assert model.predict(WEATHER).tolist() == ["tea", "ice"]
    there = ~np.isnan(gaps)
    plain = LoggedBandit(LinThompson(), random_state=0)
    plain.fit(frame[there], arms[there], gaps[there], [0.5] * 294)
    assert plain.predict_proba(WEATHER) == pytest.approx(model.predict_proba(WEATHER))
    bare = read_log({"action": [0, 1, 1], "reward": [0.0, 1.0, 1.0], "n_actions": 3})
    model = LoggedBandit(UCB1(scale=0.0), random_state=0).fit_log(bare)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict(np.empty((1, 0))).tolist() == [1]

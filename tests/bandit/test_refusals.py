"""What a bandit refuses, it refuses at once, in one clear sentence, and stays as it was."""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression as Classifier
from sklearn.neighbors import KNeighborsRegressor

from bandstrap import (
    BESA,
    ArmFeatures,
    Bandit,
    BetaThompson,
    Bootstrap,
    ContextualBootstrap,
    DecisionTree,
    EigenExamples,
    Exponential,
    HalfLife,
    InvalidInput,
    LinearRegression,
    LinThompson,
    Multinomial,
    NoExamples,
    SharedBootstrap,
    Support,
    UnknownName,
    from_sklearn,
)
from bandstrap.bandit.contexts import ContextReader
from states import everything

LINEAR = ContextualBootstrap(Exponential(), LinearRegression(), EigenExamples())
SHARED = SharedBootstrap(Exponential(), LinearRegression(), EigenExamples())
FEATURES = {"a": [1.0, 0.0], "b": [0.0, 1.0]}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"policy": Bootstrap}, r"policy = .*Bootstrap\(\)"),
        ({"policy": "wb"}, "policy = 'wb'"),
        ({"rewards": (0, 1)}, r"rewards = \(0, 1\): give Support"),
        ({"forgetting": 200}, "forgetting = 200: give HalfLife"),
        ({"propensity": 0.01}, r"propensity = 0.01: give Propensity"),
        ({"expiry": 100}, "expiry = 100: give Expiry"),
        ({"clock": 5}, "clock = 5: give a function"),
        ({"seed": -1}, "seed = -1: give a whole number"),
        ({"seed": 1.5}, "seed = 1.5: give a whole number"),
        ({"arms": "red"}, r"arms = 'red': give a list of names, such as \['red'"),
        ({"arms": pd.DataFrame({"x": [1.0], "y": [2.0]})}, r"arms = 'DataFrame': .*\{name"),
        ({"arms": 3}, "arms = 3: give a list"),
        ({"arms": [1.5]}, "arms = 1.5: name arms"),
        ({"arms": [np.True_]}, "arms = .*True.*: name arms"),
        ({"policy": BetaThompson(), "rewards": Support.real()}, "support|rewards"),
        ({"policy": BESA(), "forgetting": HalfLife(200)}, "forget by Window"),
    ],
)
def test_what_a_bandit_cannot_be_made_from_is_refused_at_once(given, told):
    with pytest.raises(InvalidInput, match=told):
        Bandit(**{"policy": Bootstrap(), "arms": ["a", "b"], **given})


def test_arms_and_seeds_may_be_numpy_s():
    bandit = Bandit(Bootstrap(), np.arange(3), seed=np.int64(4))
    assert bandit.arms == (0, 1, 2)
    assert {type(name) for name in bandit.arms} == {int}
    assert bandit.decide().arm == Bandit(Bootstrap(), [0, 1, 2], seed=4).decide().arm
    bandit.learn(arm=np.int64(1), reward=0.5)
    bandit.learn(arm=np.array([0, 2]), reward=np.array([0.5, 1.0]))
    assert Bandit(Bootstrap(), np.array(["x", "y"])).arms == ("x", "y")
    ids = np.array([bandit.decide().id for _ in range(3)])
    bandit.learn(ids[:2], [1.0, 0.0])
    bandit.learn(pd.Series(ids[2:]), [1.0])
    assert bandit.rewards_learnt == 6


def test_features_of_arms_come_by_name():
    with pytest.raises(InvalidInput, match=r"arms = 'DataFrame': give features by name"):
        ArmFeatures(pd.DataFrame({"x": [1.0]}))


def test_a_missing_value_has_a_remedy_that_a_bandit_offers():
    with pytest.raises(InvalidInput, match="fill it in; a Bandit takes no missing values"):
        Bandit(LINEAR, ["a", "b"]).decide([1.0, np.nan])


def batches(bandit):
    """Lists of which the last entry is refused."""
    decisions = [bandit.decide([1.0, 2.0]) for _ in range(2)]
    yield lambda: bandit.learn(decisions, [1, 1], weight=[1, 0.5])
    yield lambda: bandit.learn(context=np.eye(2), arm=["a", "b"], reward=[1, 1], weight=[1, 0.5])


@pytest.mark.parametrize(
    "policy",
    [
        ContextualBootstrap(Multinomial(), from_sklearn(KNeighborsRegressor(1)), NoExamples()),
        BESA(),
    ],
    ids=["learner", "history"],
)
def test_all_weights_are_checked_before_the_first_is_learnt(policy):
    bandit = Bandit(policy, ["a", "b"], seed=0)
    for wrong in batches(bandit):
        before = everything(bandit)
        with pytest.raises(InvalidInput, match="whole weights"):
            wrong()
        assert everything(bandit) == before
        assert bandit.rewards_learnt == 0


def test_all_rewards_are_checked_before_the_first_is_learnt():
    policy = ContextualBootstrap(Exponential(), from_sklearn(Classifier()), NoExamples())
    bandit = Bandit(policy, ["a", "b"], seed=0)
    decisions = [bandit.decide([1.0, 2.0]) for _ in range(2)]
    before = everything(bandit)
    with pytest.raises(InvalidInput, match="classifier takes"):
        bandit.learn(decisions, [1, 0.5])
    with pytest.raises(InvalidInput, match="classifier takes"):
        bandit.learn(context=np.eye(2), arm=["a", "b"], reward=[1, 0.5])
    assert everything(bandit) == before


def test_weights_that_can_be_learnt_are_not_refused():
    for policy in (LINEAR, ContextualBootstrap(Exponential(), DecisionTree(), NoExamples())):
        bandit = Bandit(policy, ["a", "b"], seed=0)
        bandit.learn(context=np.eye(2), arm=["a", "b"], reward=[1, 1], weight=[1, 0.5])
        assert bandit.rewards_learnt == 2
    counts = Bandit(Bootstrap(), ["a", "b"], seed=0, rewards=Support.binary())
    counts.learn(arm=["a", "b"], reward=[1, 1], weight=[1, 0.5])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda b: b.learn(context={"age": 1.0}, arm="a", reward=5),
        lambda b: b.learn(context={"age": 1.0}, arm="a", reward=1, weight=-1),
        lambda b: b.learn(context=[{"age": 1.0}] * 2, arm="a", reward=1),
        lambda b: b.learn(context={"age": 1.0}, arm="pink", reward=1),
        lambda b: b.rank({"age": 1.0}, k=9),
        lambda b: b.rank([{"age": 1.0}] * 2),
        lambda b: b.decide({"age": 1.0}, allowed=["pink"]),
    ],
)
def test_a_first_context_that_is_refused_is_not_remembered(wrong):
    bandit = Bandit(LINEAR, ["a", "b"], seed=0)
    before = everything(bandit)
    with pytest.raises((InvalidInput, UnknownName)):
        wrong(bandit)
    assert everything(bandit) == before
    assert bandit.decide({"years": 3.0}).arm in ("a", "b")


def test_contexts_of_a_bandit_that_has_none_are_not_remembered():
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=0)
    bandit.decide()
    before = everything(bandit)
    with pytest.raises(InvalidInput, match="no features"):
        bandit.decide([1.0])
    assert everything(bandit) == before


def test_the_decision_of_another_bandit_is_refused():
    mine, other = (Bandit(LINEAR, ["a", "b"], seed=seed) for seed in (0, 1))
    stranger = other.decide([1.0, 2.0], allowed=["b"])
    own = mine.decide([1.0, 2.0], allowed=["a"])
    for wrong in (stranger, other.decide([3.0, 2.0], allowed=["a"])):
        with pytest.raises(InvalidInput, match=r"another bandit made it|no such decision"):
            mine.learn(wrong, 1.0)
        with pytest.raises(InvalidInput, match=r"another bandit made it|no such decision"):
            mine.learn([wrong], [1.0])
        with pytest.raises(InvalidInput, match=r"another bandit made it|no such decision"):
            mine.drop(wrong)
    assert mine.rewards_learnt == 0
    forged = copy.copy(own)
    forged.row = np.array([[1.0, 7.0]])
    with pytest.raises(InvalidInput, match="another bandit made it"):
        mine.learn(forged, 1.0)  # the same id and arm, another context
    mine.learn(own, 1.0)


def test_bandits_share_no_features():
    features = ArmFeatures(FEATURES)
    one, two = (Bandit(SHARED, features, seed=seed) for seed in (0, 1))
    one.decide([1.0])
    two.decide([1.0])
    one.add_arm("c", features=[1.0, 1.0])
    two.remove_arm("a")
    assert features.names == ["a", "b"]
    assert features.matrix.shape == (2, 2)
    assert {one.decide([1.0]).arm for _ in range(30)} <= {"a", "b", "c"}
    assert two.decide([1.0]).arm == "b"
    with pytest.raises(AttributeError):
        features.matrix = np.eye(2)


def test_text_is_no_feature_where_arms_have_features():
    bandit = Bandit(SHARED, FEATURES, seed=0)
    with pytest.raises(InvalidInput, match=r"\['city'\]: these columns hold text"):
        bandit.decide({"city": "Oslo"})
    assert bandit.decide({"age": 3.0}).arm in FEATURES


@pytest.mark.parametrize("arms", [["a", "b"], FEATURES], ids=["names", "features"])
def test_bytes_are_numbers_like_any(arms):
    """A row of bytes means what the same row means as a list."""
    policy = LinThompson() if isinstance(arms, list) else SHARED
    rows = np.random.default_rng(0).integers(0, 200, (12, 2)).astype(np.uint8)
    scores = []
    for contexts in (rows, rows.tolist()):
        bandit = Bandit(policy, arms, seed=0)
        bandit.learn(context=contexts, arm=["a", "b"] * 6, reward=[1, 0, 0] * 4)
        scores.append(bandit.decide(contexts[0]).scores)
    assert scores[0] == scores[1]


def test_bandits_of_earlier_files_read_bytes_as_they_did():
    contexts = ContextReader(None)
    del contexts.keeps_bytes  # as in files that do not say
    assert contexts.rows(np.array([[255, 0]], dtype=np.uint8))[0][0].dtype == np.uint8


def test_a_decision_s_context_is_its_own():
    bandit = Bandit(LINEAR, ["a", "b"], seed=0)
    batch = np.ones((100, 2))
    decisions = bandit.decide(batch)
    before = everything(bandit)
    decisions[0].context[:] = 1000.0
    assert everything(bandit) == before
    assert decisions[0].row.base is None  # it keeps no batch alive

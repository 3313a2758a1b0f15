"""One model for all arms."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as SklearnLogistic

from bandstrap import (
    ArmFeatures,
    Bandit,
    Bootstrap,
    DecisionTree,
    EigenExamples,
    Exponential,
    GaussianExamples,
    InvalidInput,
    LinearRegression,
    LogisticRegression,
    NetworkHeads,
    OnlineLogistic,
    Problem,
    Replicas,
    SharedBootstrap,
    Support,
    from_sklearn,
)
from bandstrap.models.base import draw_scores
from bandstrap.models.sklearn.schedules import EveryRound, Growth

MODELS = {
    "replicas": Replicas(OnlineLogistic()),
    "logistic": LogisticRegression(),
    "linear": LinearRegression(),
    "tree": DecisionTree(),
    "refit": from_sklearn(SklearnLogistic(), refit=EveryRound()),
    "ensemble": from_sklearn(SklearnLogistic(), refit=Growth(0.3), replicas=4),
}
RNG = np.random.default_rng(0)
ARMS = {f"arm {i}": row for i, row in enumerate(RNG.standard_normal((30, 3)))}


def shared(model, seed=0):
    policy = SharedBootstrap(Exponential(), model, GaussianExamples())
    return Bandit(policy, arms=ARMS, rewards=Support.binary(), seed=seed)


@pytest.mark.parametrize("name", MODELS)
def test_scores_of_rows_are_those_of_one_row_at_a_time(name):
    """One draw for all rows: with the same random numbers each row has the score it has alone."""
    problem = Problem(1, 2, Support.binary(), per_arm=True)
    learner = MODELS[name].learner(problem, Exponential(), GaussianExamples())
    rng = np.random.default_rng(1)
    for x in rng.standard_normal((25, 2)):
        learner.learn(x, 0, float(x[0] > 0), rng)
    rows = rng.standard_normal((5, 2))
    draw_scores(learner, rows[0], rng)  # pseudo-examples are learnt, fits are made
    together = [draw_scores(learner, rows, np.random.default_rng(s)) for s in range(300)]
    alone = [draw_scores(learner, rows[2], np.random.default_rng(s))[0] for s in range(300)]
    spread = np.std(alone) + 1e-6
    assert abs(np.mean(together, axis=0)[2] - np.mean(alone)) < 0.35 * spread + 0.01
    assert np.std(together, axis=0)[2] == pytest.approx(spread, rel=0.3, abs=0.01)


@pytest.mark.parametrize("name", ["replicas", "ensemble"])
def test_shares_are_those_of_draws(name):
    problem = Problem(1, 2, Support.binary(), per_arm=True)
    learner = MODELS[name].learner(problem, Exponential(), GaussianExamples())
    rng = np.random.default_rng(1)
    for x in rng.standard_normal((25, 2)):
        learner.learn(x, 0, float(x[0] > 0), rng)
    rows, allowed = 0.3 * rng.standard_normal((5, 2)), np.array([True, True, False, True, True])
    draw_scores(learner, rows, rng)
    shares = learner.probabilities(rows, allowed)
    drawn = [learner.best(rows, rng, allowed) for _ in range(1000)]
    assert shares.sum() == pytest.approx(1.0)
    assert np.bincount(drawn, minlength=5) / 1000 == pytest.approx(shares, abs=0.07)


@pytest.mark.parametrize("name", ["replicas", "logistic", "ensemble"])
def test_it_learns_which_features_pay(name):
    bandit, rng = shared(MODELS[name]), np.random.default_rng(3)
    paid = []
    for _ in range(150):
        x = rng.choice([-1.0, 1.0])
        decision = bandit.decide([x])
        paid.append(float(x * ARMS[decision.arm][0] > 0.5))
        bandit.learn(decision, paid[-1])
    assert np.mean(paid[75:]) > 0.75  # by chance about 0.35


def test_replicas_learn_features_that_were_tiny_at_first():
    """Of a share one arm has a millionth, another one half: the first says nothing of the scale."""
    problem = Problem(1, 2, Support.binary(), per_arm=True)
    learner = MODELS["replicas"].learner(problem, Exponential(), GaussianExamples())
    rng = np.random.default_rng(1)
    for x in [*1e-6 * rng.standard_normal((10, 2)), *rng.choice([-1.0, 1.0], (60, 2))]:
        learner.learn(x, 0, float(x[0] > 0), rng)
    assert np.abs(learner.theta).max() < 20
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    for _ in range(20):
        assert ((draw_scores(learner, corners, rng) > 0.5) == [True, True, False, False]).all()


def test_new_arms_profit_from_what_others_taught():
    bandit, rng = shared(MODELS["replicas"]), np.random.default_rng(3)
    for _ in range(300):
        decision = bandit.decide([1.0])
        bandit.learn(decision, float(ARMS[decision.arm][0] + 0.2 * rng.standard_normal() > 0.5))
    bandit.add_arm("great", features=[4.0, 0.0, 0.0])
    bandit.add_arm("awful", features=[-4.0, 0.0, 0.0])
    chosen = [bandit.decide([1.0]).arm for _ in range(60)]
    assert chosen.count("great") > 30
    assert chosen.count("awful") <= 3
    bandit.remove_arm("great")
    assert "great" not in {bandit.decide([1.0]).arm for _ in range(60)}


def test_it_is_saved_like_any_other(tmp_path):
    bandit = shared(MODELS["logistic"])
    for _ in range(5):
        bandit.learn(bandit.decide([1.0]), 1.0)
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert again.decide([0.3]).scores == bandit.decide([0.3]).scores


def test_without_a_context_arms_have_their_own_features_alone():
    policy = SharedBootstrap(Exponential(), MODELS["linear"], EigenExamples())
    bandit = Bandit(policy, arms={"a": [1.0, 0.0], "b": [0.0, 1.0]}, seed=0)
    bandit.learn(arm=["a", "b"] * 20, reward=[0.9, 0.1] * 20)
    assert [bandit.decide().arm for _ in range(20)].count("a") >= 18


def test_rows_have_interactions_or_not():
    arms = {"a": {"price": 2.0}, "b": {"price": 3.0}}
    x = np.array([[5.0, 7.0]])
    assert ArmFeatures(arms).rows(x).tolist() == [[2, 5, 7, 10, 14], [3, 5, 7, 15, 21]]
    assert ArmFeatures(arms, interactions=False).rows(x, 1).tolist() == [[3, 5, 7]]


def test_what_cannot_be():
    with pytest.raises(InvalidInput, match="features of arms"):
        Bandit(SharedBootstrap(Exponential(), MODELS["linear"], EigenExamples()), ["a"])
    heads = SharedBootstrap(Exponential(), NetworkHeads(), GaussianExamples())
    with pytest.raises(InvalidInput, match="cannot serve all arms"):
        Bandit(heads, ARMS, rewards=Support.binary()).decide([1.0])
    with pytest.raises(InvalidInput, match="numeric"):
        ArmFeatures({"a": {"kind": "old"}})
    bandit = shared(MODELS["linear"])
    with pytest.raises(InvalidInput, match="give some"):
        bandit.add_arm("new")
    with pytest.raises(InvalidInput, match="the other arms have none"):
        Bandit(Bootstrap(), ["a"]).add_arm("b", features=[1.0])

"""Arms that come and go, rewards with weights, and forgetting, with estimators as models."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier

from bandstrap import (
    Bandit,
    ContextualBootstrap,
    Every,
    EveryRound,
    Exponential,
    HalfLife,
    InvalidInput,
    Multinomial,
    NoExamples,
    NoResampling,
    Online,
    Poisson,
    Problem,
    SeenExamples,
    Support,
    from_sklearn,
)
from bandstrap.models.base import draw_scores
from bandstrap.models.sklearn.learner import Importance
from estimators import copied

PROBE = np.array([0.4, -0.2])
WAYS = {
    "afresh": (LogisticRegression(), EveryRound()),
    "now and then": (LogisticRegression(), Every(5)),
    "online": (SGDClassifier(loss="log_loss"), Online()),
}


def learner_of(estimator, refit, resampling=None, prior=None, arms=3):
    model = from_sklearn(estimator, refit=refit, replicas=4)
    problem = Problem(arms, 2, Support.binary())
    return model.learner(problem, resampling or Poisson(), prior or NoExamples())


def told(learner, rows, seed=0):
    rng = np.random.default_rng(seed)
    for context, arm, reward in rows:
        learner.learn(context, arm, reward, rng)
    return learner, rng


def some_rows(count, arms=3, seed=1):
    rng = np.random.default_rng(seed)
    return [(rng.uniform(-1, 1, 2), i % arms, float(rng.random() < 0.5)) for i in range(count)]


@pytest.mark.parametrize("way", WAYS)
def test_arms_keep_what_they_learnt_when_others_come_and_go(way):
    learner, rng = told(learner_of(*WAYS[way], NoResampling()), some_rows(60))
    before = draw_scores(learner, PROBE, rng)
    learner.remap_arms(learner_of(*WAYS[way], NoResampling()), [2, None, 0])
    after = draw_scores(learner, PROBE, rng)
    assert after.tolist() == [before[2], np.inf, before[0]]
    told(learner, [(PROBE, 1, 1.0)])
    assert draw_scores(learner, PROBE, rng)[1] == 1.0
    again = copied(learner)
    one, two = np.random.default_rng(3), np.random.default_rng(3)
    assert draw_scores(again, PROBE, one).tolist() == draw_scores(learner, PROBE, two).tolist()


@pytest.mark.parametrize("way", WAYS)
def test_a_new_arm_has_the_prior(way):
    learner, rng = told(learner_of(*WAYS[way], prior=SeenExamples(2)), some_rows(30))
    learner.remap_arms(learner_of(*WAYS[way], prior=SeenExamples(2), arms=4), [0, 1, 2, None])
    draws = np.array([draw_scores(learner, PROBE, rng)[3] for _ in range(20)])
    assert ((draws >= 0) & (draws <= 1)).all()


@pytest.mark.parametrize("refit", [EveryRound(), Every(1)])
def test_a_weight_counts_as_so_many_rewards(refit):
    rewards, weights = [0.0, 1.0, 0.25], [1.0, 2.5, 0.75]
    model = from_sklearn(LinearRegression(), refit=refit, least=100)  # the mean stands in
    learner = model.learner(Problem(1, 2), NoResampling(), NoExamples())
    rng = np.random.default_rng(0)
    for reward, weight in zip(rewards, weights, strict=True):
        learner.learn(PROBE, 0, reward, rng, weight)
    assert draw_scores(learner, PROBE, rng)[0] == pytest.approx(
        np.average(rewards, weights=weights)
    )


def test_repeated_rows_take_whole_weights_and_cannot_fade():
    learner = learner_of(KNeighborsClassifier(1), Every(1), Multinomial())
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="whole weights"):
        learner.learn(PROBE, 0, 1.0, rng, 1.5)
    with pytest.raises(InvalidInput, match="Window"):
        learner.discount(0.5)
    assert learner.rows[0].count == learner.pseudo.count == 0
    learner.learn(PROBE, 0, 1.0, rng, 3.0)
    assert learner.rows[0].count == 3
    with pytest.raises(InvalidInput, match="Window"):
        learner_of(*WAYS["online"]).discount(0.5)
    with pytest.raises(InvalidInput, match="generator"):
        learner_of(*WAYS["online"]).learn(PROBE, 0, 1.0, None, 2.0)


@pytest.mark.parametrize("refit", [EveryRound(), Every(1)])
def test_what_is_discounted_counts_less_and_the_prior_does_not(refit):
    model = from_sklearn(LinearRegression(), refit=refit, least=100)
    learner = model.learner(Problem(1, 2), NoResampling(), SeenExamples())
    rng = np.random.default_rng(0)
    learner.learn(PROBE, 0, 1.0, rng)
    assert draw_scores(learner, PROBE, rng)[0] == pytest.approx(2 / 3)  # pseudo-rewards 0 and 1
    learner.discount(0.5)
    assert draw_scores(learner, PROBE, rng)[0] == pytest.approx(1.5 / 2.5)
    learner.learn(PROBE, 0, 0.0, rng)
    assert draw_scores(learner, PROBE, rng)[0] == pytest.approx(1.5 / 3.5)
    learner.discount(0.0)
    assert draw_scores(learner, PROBE, rng)[0] == pytest.approx(0.5)
    learner.learn(PROBE, 0, 1.0, rng)
    assert draw_scores(learner, PROBE, rng)[0] == pytest.approx(2 / 3)


def test_an_arm_that_is_forgotten_is_tried_again():
    learner, rng = told(learner_of(*WAYS["now and then"], Exponential()), some_rows(30))
    assert np.isfinite(draw_scores(learner, PROBE, rng)).all()
    learner.discount(0.0)
    assert np.isinf(draw_scores(learner, PROBE, rng)).all()


def test_fits_made_before_a_discount_are_made_again_as_they_were():
    learner, rng = told(learner_of(*WAYS["now and then"], Exponential()), some_rows(60))
    draw_scores(learner, PROBE, rng)
    learner.discount(0.95)  # too little to fit anew
    again = copied(learner)
    assert learner.probabilities(PROBE, np.ones(3, dtype=bool)) is not None
    one, two = np.random.default_rng(3), np.random.default_rng(3)
    for _ in range(4):
        assert draw_scores(again, PROBE, one).tolist() == draw_scores(learner, PROBE, two).tolist()


def test_importance_of_many_rows_and_long_forgetting():
    importance = Importance()
    for i in range(200):
        importance.add(1.0, -10.0 * i)
    counts = importance.at(-1990.0, 200)
    assert counts[-1] == 1.0
    assert counts[-2] == pytest.approx(np.exp(-10))
    assert (counts[:-3] == 0).all()


@pytest.mark.parametrize("refit", [EveryRound(), Every(10)], ids=repr)
def test_rows_that_count_nothing_are_dropped(refit):
    """After a half-life of 20 rewards a row counts a ten-thousandth 266 rewards later."""
    model = from_sklearn(LinearRegression(), refit=refit, replicas=2)
    policy = ContextualBootstrap(Exponential(), model, SeenExamples())
    bandit = Bandit(policy, ["a", "b"], seed=0, forgetting=HalfLife(20))
    for i, x in enumerate(np.random.default_rng(0).standard_normal((700, 2))):
        bandit.learn(context=x, arm="ab"[i % 2], reward=float(x[0] > 0))
        if i % 20 == 19:
            bandit.decide(x)
    learner = bandit.memory(None).state.learners[0]
    assert 200 < sum(rows.count for rows in learner.rows) < 330
    assert [rows.count for rows in learner.rows] == [each.count for each in learner.importance]
    again, one, two = copied(learner), np.random.default_rng(3), np.random.default_rng(3)
    for _ in range(4):
        assert draw_scores(again, PROBE, one).tolist() == draw_scores(learner, PROBE, two).tolist()


def test_a_small_weight_is_not_a_row_that_has_faded():
    model = from_sklearn(LinearRegression(), refit=EveryRound(), least=100)
    learner = model.learner(Problem(1, 2), NoResampling(), NoExamples())
    learner.learn(PROBE, 0, 1.0, None, 1e-6)
    learner.discount(0.5)
    assert learner.rows[0].count == 1

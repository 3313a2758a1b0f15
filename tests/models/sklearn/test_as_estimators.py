"""Our own models as scikit-learn estimators: its own checks, and its own fits beside them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from bandstrap import Exponential, NoExamples, Problem, Support, from_sklearn
from bandstrap.models.base import draw_scores
from bandstrap.models.sklearn.as_estimators import LinearEstimator, LogisticEstimator


@parametrize_with_checks([LinearEstimator(), LogisticEstimator()])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def data(seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((200, 3))
    y = x @ [1.0, -2.0, 0.5] + 0.7 + rng.standard_normal(200)
    return x, y, rng.standard_exponential(200)


def test_fits_are_those_of_scikit_learn():
    x, y, weights = data()
    # Their penalties are ½ α |θ|² and |θ|² / 2C, ours ½ penalty Σw |θ|².
    ours = LinearEstimator(penalty=0.01).fit(x, y, weights)
    theirs = Ridge(alpha=0.01 * weights.sum()).fit(x, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    labels = y > 0
    ours = LogisticEstimator(penalty=0.01).fit(x, labels, weights)
    theirs = LogisticRegression(C=1 / (0.01 * weights.sum()), tol=1e-10).fit(x, labels, weights)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-5)


@pytest.mark.parametrize("estimator", [LinearEstimator(0.01), LogisticEstimator(0.01)])
def test_they_are_models_for_bandits_again(estimator):
    learner = from_sklearn(estimator, replicas=3).learner(
        Problem(1, 3, Support.binary()), Exponential(), NoExamples()
    )
    x, y, _ = data()
    rng = np.random.default_rng(1)
    for context, reward in zip(x[:60], y[:60] > 0, strict=True):
        learner.learn(context, 0, float(reward), rng)
    assert draw_scores(learner, np.array([1.0, -1.0, 0.0]), rng)[0] > 0.6
    assert draw_scores(learner, np.array([-1.0, 1.0, 0.0]), rng)[0] < 0.4

"""Recursive models against the regressions that they are, or approximate."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from bandstrap import (
    Exponential,
    InvalidInput,
    NoExamples,
    NoResampling,
    Problem,
    RecursiveLinear,
    RecursiveLogistic,
)

RNG = np.random.default_rng(0)


def learnt(model, n=300, seed=2):
    rng = np.random.default_rng(seed)
    learner = model.learner(Problem(1, 3), NoResampling(), NoExamples())
    contexts = rng.standard_normal((n, 3))
    rewards = (rng.random(n) < expit(contexts @ [1.0, -2.0, 0.5] - 0.5)) * 1.0
    weights = rng.choice([0.5, 1.0, 2.0], n)
    for x, reward, weight in zip(contexts, rewards, weights, strict=True):
        learner.learn(x, 0, reward, None, weight)
    return learner, np.c_[contexts, np.ones(n)], rewards, weights


def test_least_squares_are_exact():
    learner, rows, rewards, weights = learnt(RecursiveLinear(penalty=2.0))
    gram = 2.0 * np.eye(4) + rows.T @ (weights[:, None] * rows)
    theta = np.linalg.solve(gram, rows.T @ (weights * rewards))
    x = np.array([0.2, -1.0, 3.0])
    assert learner.margins(x, RNG) == pytest.approx([np.append(x, 1.0) @ theta])
    width = np.sqrt(np.append(x, 1.0) @ np.linalg.solve(gram, np.append(x, 1.0)))
    assert learner.upper(x, 0.09) - learner.margins(x, RNG) == pytest.approx([0.3 * width])


def test_logistic_regression_is_near_the_fit_to_all_rewards():
    learner, rows, rewards, weights = learnt(RecursiveLogistic())

    def loss(theta):
        margins = rows @ theta
        return weights @ (np.logaddexp(0, margins) - rewards * margins) + theta @ theta / 2

    theta = minimize(loss, np.zeros(4), tol=1e-10).x
    for x in np.random.default_rng(1).standard_normal((10, 3)):
        found = expit(learner.margins(x, RNG)[0])
        assert found == pytest.approx(expit(np.append(x, 1.0) @ theta), abs=0.05)


def test_an_arm_without_rewards_is_tried_first():
    learner = RecursiveLinear().learner(Problem(2, 1), NoResampling(), NoExamples())
    learner.learn(np.ones(1), 1, 5.0, None)
    assert np.isinf(learner.margins(np.ones(1), RNG)).tolist() == [True, False]
    assert learner.probabilities(np.ones(1), np.ones(2, dtype=bool)).tolist() == [1.0, 0.0]


def test_there_is_nothing_to_resample():
    with pytest.raises(InvalidInput, match="give NoResampling"):
        RecursiveLinear().learner(Problem(2, 1), Exponential(), NoExamples())


@pytest.mark.parametrize("model", [RecursiveLinear, RecursiveLogistic])
def test_a_penalty_is_positive(model):
    with pytest.raises(InvalidInput, match="penalty"):
        model(penalty=0.0)

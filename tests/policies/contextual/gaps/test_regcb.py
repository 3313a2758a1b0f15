"""RegCB: bounds against optimisation over all models that fit nearly as well."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from bandstrap import InvalidInput, Problem, RecursiveLinear, RecursiveLogistic, RegCB, Support
from earning import earned_by

X = np.array([0.3, -0.4])
EVERY = np.ones((1, 2), dtype=bool)


def examples(n=40, seed=0):
    rng = np.random.default_rng(seed)
    contexts, arms = rng.standard_normal((n, 2)), rng.integers(2, size=n)
    return contexts, arms, (rng.random(n) < expit(1.5 * contexts[:, 0] * (2 * arms - 1))) * 1.0


def taught(policy, low=0.0, high=1.0):
    contexts, arms, rewards = examples()
    state = policy.start(Problem(2, 2, Support.interval(low, high)))
    for i in range(len(arms)):
        paid = low + (high - low) * rewards[i : i + 1]
        policy.update(state, contexts[i : i + 1], arms[i : i + 1], paid)
    return state


def highest_prediction(arm, loss, excess):
    """The most that a θ predicts whose loss on the arm's rewards is at most `excess` too much."""
    contexts, arms, rewards = examples()
    rows, y = np.c_[contexts, np.ones(len(arms))][arms == arm], rewards[arms == arm]
    x = np.append(X, 1.0)
    best = minimize(lambda theta: loss(theta, rows, y), np.zeros(3), tol=1e-12)
    room = {"type": "ineq", "fun": lambda theta: best.fun + excess - loss(theta, rows, y)}
    found = minimize(lambda theta: -(x @ theta), best.x, constraints=[room], method="SLSQP",
                     options={"ftol": 1e-12, "maxiter": 500})  # fmt: skip
    return -found.fun


def squared(theta, rows, y):
    return ((rows @ theta - y) ** 2).sum() + theta @ theta


def log_loss(theta, rows, y):
    margins = rows @ theta
    return (np.logaddexp(0, margins) - y * margins).sum() + theta @ theta / 2


def excess(mellowness, rounds=40):
    return mellowness * np.log(2 * (rounds + 1) + 1)


def test_the_bound_of_least_squares_is_exact():
    policy = RegCB(RecursiveLinear(), mellowness=0.01)
    bounds = policy.scores(taught(policy), X[None], np.random.default_rng(0))[0]
    for arm in range(2):
        found = highest_prediction(arm, squared, excess(0.01))
        assert found < 0.95  # the end of the support plays no part
        assert bounds[arm] == pytest.approx(found, abs=1e-4)


def test_the_bound_of_log_loss_is_near():
    policy = RegCB(RecursiveLogistic(), mellowness=0.03)
    bounds = policy.scores(taught(policy), X[None], np.random.default_rng(0))[0]
    for arm in range(2):
        found = expit(highest_prediction(arm, log_loss, excess(0.03)))
        assert bounds[arm] == pytest.approx(found, abs=0.03)


def test_bounds_end_where_rewards_do_and_tie_there():
    policy = RegCB(RecursiveLinear(), mellowness=1e6)
    state = taught(policy)
    assert policy.scores(state, X[None], np.random.default_rng(0)).tolist() == [[1.0, 1.0]]
    assert policy.probabilities(state, X[None], EVERY).tolist() == [0.5, 0.5]


def test_bounds_are_in_the_units_of_rewards():
    policy = RegCB(RecursiveLinear(1e-9), mellowness=0.01)
    rng = np.random.default_rng(0)
    unit = policy.scores(taught(policy), X[None], rng)
    wide = policy.scores(taught(policy, -30.0, 50.0), X[None], rng)
    assert wide == pytest.approx(-30.0 + 80.0 * unit, abs=1e-5)


def test_an_arm_without_rewards_goes_first():
    policy = RegCB()
    state = taught(policy)
    policy.remap_arms(state, Problem(3, 2), [0, 1, None])
    assert policy.select(state, X[None], np.random.default_rng(0)).tolist() == [2]


@pytest.mark.parametrize("mellowness", [0.0, -1.0, np.nan, 1e7])
def test_what_is_no_mellowness_is_refused(mellowness):
    with pytest.raises(InvalidInput, match="mellowness"):
        RegCB(mellowness=mellowness)


def test_it_earns():
    assert earned_by(RegCB(), runs=20) > 0.8
    assert earned_by(RegCB(RecursiveLogistic()), runs=20) > 0.8

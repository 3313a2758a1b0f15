"""Draws and fits are as precise as they say where rows are few, scales odd and weights zero."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression as Independent

from bandstrap import (
    ContextualBootstrap,
    ContextualEpsilonGreedy,
    Decay,
    EigenExamples,
    Exponential,
    GaussianLimit,
    GaussianNoise,
    LinearRegression,
    LogisticRegression,
    Multinomial,
    NoExamples,
    Support,
)
from bandstrap.models.base import draw_scores
from bandstrap.problem import Problem
from bandstrap.resampling import NoResampling
from bandstrap.seeding import generator


def objective(theta, x, total, weight, strength):
    margins = x @ theta[:-1] + theta[-1]
    loss = weight @ np.logaddexp(0, margins) - total @ margins
    return loss + 0.5 * strength * theta[:-1] @ theta[:-1]


def gap(arm):
    """What scikit-learn's solver finds less than a draw has, with the same weights."""
    examples, draw = arm.examples, arm.draw
    n = examples.n_entries
    weight, total = draw.entries[0, :n], draw.entries[1, :n]
    x = np.concatenate([examples.axes, -examples.axes, examples.rows.contexts])
    rows, labels = np.concatenate([x, x]), np.repeat([1, 0], n)
    weights = np.maximum(np.concatenate([total, weight - total]), 0.0)
    solver = Independent(C=1 / draw.strength, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    solver.fit(rows[weights > 0], labels[weights > 0], sample_weight=weights[weights > 0])
    found = np.append(solver.coef_[0], solver.intercept_)
    least = objective(found, x, total, weight, draw.strength)
    return (objective(draw.theta, x, total, weight, draw.strength) - least) / weight.sum()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")
@pytest.mark.parametrize("scheme", [Multinomial(), Exponential()], ids=["npb", "wb"])
@pytest.mark.parametrize("standardised", [False, True])
def test_draws_of_few_rows_are_solved(scheme, standardised):
    x, y = load_wine(return_X_y=True)  # columns of 0.1 beside columns of 1,000
    if standardised:
        x = (x - x.mean(axis=0)) / x.std(axis=0)
    policy = ContextualBootstrap(scheme, LogisticRegression(), EigenExamples())
    state = policy.start(Problem(3, 13, Support.binary()))
    rng = np.random.default_rng(0)
    gaps = []
    for i in rng.permutation(len(y))[:90]:
        arm = policy.select(state, x[i : i + 1], rng)
        gaps += [gap(each) for each in state.learners[0].arms if each.draw.weight > 0]
        policy.update(state, x[i : i + 1], arm, (arm == y[i]) * 1.0, rng)
    assert len(gaps) > 200
    assert max(gaps) <= 1e-3


def right(policy, scale, rounds=300):
    """How often the right one of two arms is pulled in the last half; rewards are in [0, scale]."""
    state = policy.start(Problem(2, 2, Support.interval(0.0, scale)))
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(rounds):
        x = rng.standard_normal((1, 2))
        arm = policy.select(state, x, rng)
        good = (x[0, 0] > 0) == (arm[0] == 0)
        hits.append(good)
        policy.update(state, x, arm, np.array([scale * (0.6 * good + 0.4 * rng.random())]), rng)
    return np.mean(hits[rounds // 2 :])


def test_rewards_may_have_any_unit():
    for policy in (
        ContextualEpsilonGreedy(LinearRegression(), Decay(50.0), EigenExamples()),
        ContextualBootstrap(Exponential(), LinearRegression(), EigenExamples()),
        ContextualBootstrap(Exponential(), GaussianLimit(LinearRegression()), EigenExamples()),
    ):
        shares = [right(policy, scale) for scale in (1e-6, 1.0, 1e6)]
        assert shares[0] == shares[1] == shares[2] > 0.85, policy


def test_greedy_fits_learn_from_rare_rewards():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2000, 2))
    y = (rng.random(2000) < np.where(x[:, 0] > 0, 0.03, 0.0)) * 1.0
    learner = LogisticRegression().learner(
        Problem(1, 2, Support.binary()), NoResampling(), NoExamples()
    )
    for context, reward in zip(x, y, strict=True):
        learner.learn(context, 0, reward, None)
    draw_scores(learner, x[0], rng)
    solved = LogisticRegression(tolerance=1e-9).fit(x, y, np.ones(2000), None, rng)
    assert learner.arms[0].theta == pytest.approx(solved, rel=0.1)


def test_the_gaussian_limit_counts_every_example_once():
    """Also when the prior has just changed, which makes everything anew from all rows."""
    rng = np.random.default_rng(1)
    model = LogisticRegression(tolerance=1e-10)
    learner = GaussianLimit(model).learner(
        Problem(1, 1, Support.binary()), Exponential(), EigenExamples()
    )
    for count in range(1, 17):
        learner.learn(rng.standard_normal(1), 0, float(rng.random() < 0.6), rng)
        theta = learner.theta[0].copy()
        inverse = learner.inverse[0].copy()
        learner._renew(0)
        assert theta == pytest.approx(learner.theta[0], abs=0.05), count
        assert np.trace(inverse) == pytest.approx(np.trace(learner.inverse[0]), rel=0.08), count


def test_the_gaussian_limit_says_where_rounding_spoils_it():
    learner = GaussianLimit(LogisticRegression()).learner(
        Problem(1, 2, Support.binary()), Exponential(), NoExamples()
    )
    rng = np.random.default_rng(0)
    rows = 1e8 + rng.standard_normal((50, 2))

    def learn():
        for context in rows:
            learner.learn(context, 0, float(rng.random() < 0.5), rng)

    with pytest.warns(RuntimeWarning, match="subtract typical values") as told:
        learn()
    assert len(told) == 1


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox])
def test_any_generator_draws_alike(kind):
    policy = ContextualBootstrap(GaussianNoise(), LinearRegression(), EigenExamples())
    state = policy.start(Problem(2, 1, Support.interval(0.0, 1.0)))
    x = np.ones((1, 1))
    for arm in (0, 1, 0, 1):
        policy.update(state, x, np.array([arm]), np.array([0.5]), np.random.default_rng(0))
    usual, other = (
        np.array([policy.scores(state, x, rng)[0] for _ in range(1000)]).std(axis=0)
        for rng in (generator(0), np.random.Generator(kind(0)))
    )
    assert other == pytest.approx(usual, rel=0.1)  # four standard errors

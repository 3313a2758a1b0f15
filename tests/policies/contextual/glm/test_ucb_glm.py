"""UCB-GLM's estimates against scikit-learn's, its widths in closed form, and what it earns."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression as Sklearn

from bandstrap import UCBGLM, FixedWidth, InvalidInput, LikelihoodEllipsoid, Problem, Support
from bandstrap.policies.base import discount
from earning import earned_by

X = np.array([[0.7, -1.2]])
PROBE = np.append(X[0], 1.0)


def taught(policy, rows, rewards, weights=None, arm=1, problem=None):
    """A state that has learnt rows of one arm."""
    state = policy.start(problem or Problem(2, rows.shape[1]))
    for i, (x, reward) in enumerate(zip(rows, rewards, strict=True)):
        weight = None if weights is None else weights[i : i + 1]
        policy.update(state, x[None], np.array([arm]), np.array([reward]), None, weight)
    return state


def rows_of(n, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    rows = scale * rng.standard_normal((n, 2))
    rewards = (rng.random(n) < expit(rows @ [1.5, -1.0] / scale + 0.4)).astype(float)
    return rows, rewards


def solved(rows, rewards, penalty, weights=None):
    """The penalised maximum of the likelihood, the intercept's parameter last."""
    model = Sklearn(C=1 / penalty, fit_intercept=False, tol=1e-10, max_iter=10_000)
    augmented = np.column_stack([rows, np.ones(len(rows))])
    return model.fit(augmented, rewards, weights).coef_[0]


def estimate(state, arm=1):
    learner = state.learners[0]
    learner.probabilities(X[0], np.ones(2, dtype=bool))  # a decision brings it up to date
    return learner.arms.centres[arm]


@pytest.mark.parametrize("penalty", [1e-4, 0.3, 5.0])
@pytest.mark.parametrize("scale", [0.05, 1.0, 40.0])
def test_the_estimate_is_the_maximum_of_the_penalised_likelihood(penalty, scale):
    rows, rewards = rows_of(150, scale=scale)
    state = taught(UCBGLM(penalty=penalty), rows, rewards)
    expected = solved(rows, rewards, penalty)
    np.testing.assert_allclose(estimate(state), expected, rtol=2e-5, atol=2e-6)


def test_it_stays_there_as_rewards_come_with_weights_and_fade():
    rows, rewards = rows_of(90, seed=4)
    weights = np.random.default_rng(0).uniform(0.2, 3.0, 90)
    policy = UCBGLM(penalty=0.5)
    state = taught(policy, rows[:60], rewards[:60], weights[:60])
    policy.scores(state, X, np.random.default_rng(0))
    discount(policy, state, 0.3)
    for i in range(60, 90):
        policy.update(state, rows[i : i + 1], np.array([1]), rewards[i : i + 1], None,
                      weights[i : i + 1])  # fmt: skip
        estimate(state)
    counted = np.where(np.arange(90) < 60, 0.3, 1.0) * weights
    expected = solved(rows, rewards, 0.5, counted)
    np.testing.assert_allclose(estimate(state), expected, rtol=1e-5)
    augmented = np.column_stack([rows, np.ones(90)])
    design = 0.5 * np.eye(3) + (augmented * counted[:, None]).T @ augmented
    width = np.sqrt(PROBE @ np.linalg.solve(design, PROBE))
    score = UCBGLM(FixedWidth(1.0), 0, 0.5).scores(state, X, np.random.default_rng(0))[0, 1]
    assert score == pytest.approx(PROBE @ expected + width, rel=1e-5)


def test_rewards_between_zero_and_one_are_learnt_as_shares_of_both():
    rows, _ = rows_of(80)
    shares = np.random.default_rng(2).random(80)
    state = taught(UCBGLM(), rows, shares)
    twice = np.concatenate([rows, rows]), np.repeat([1.0, 0.0], 80)
    expected = solved(*twice, 1.0, np.concatenate([shares, 1 - shares]))
    np.testing.assert_allclose(estimate(state), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("spoilt", [1e-3, 1e3])
def test_a_curvature_that_is_far_off_only_costs_steps(spoilt):
    rows, rewards = rows_of(200)
    state = taught(UCBGLM(), rows, rewards)
    state.learners[0].fits.diagonals *= spoilt
    state.learners[0].fits.centres[:] = 3.0
    np.testing.assert_allclose(estimate(state), solved(rows, rewards, 1.0), rtol=1e-5)


def test_rewards_that_a_plane_separates_have_an_estimate_too():
    rows = np.array([[-1.0, 0.0], [1.0, 0.0]] * 20)
    state = taught(UCBGLM(penalty=0.1), rows, [0.0, 1.0] * 20)
    found = estimate(state)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, solved(rows, [0.0, 1.0] * 20, 0.1), rtol=1e-5, atol=1e-6)


def test_an_unseen_arm_is_worth_its_width_alone():
    rows, rewards = rows_of(30)
    policy = UCBGLM(FixedWidth(0.7), exploration=0, penalty=0.25)
    state = taught(policy, rows, rewards)
    score = policy.scores(state, X, np.random.default_rng(0))[0, 0]
    assert score == pytest.approx(0.7 * np.sqrt(PROBE @ PROBE / 0.25))


def test_the_width_of_the_theorem():
    rows, rewards = rows_of(49)
    state = taught(UCBGLM(), rows, rewards)
    width = LikelihoodEllipsoid(delta=0.05, flattest=0.2, noise=0.4)
    expected = 0.4 / 0.2 * np.sqrt(3 / 2 * np.log(1 + 2 * 49 / 3) + np.log(2 / 0.05))
    np.testing.assert_allclose(width.radii(state.learners[0], 1.0), [expected] * 2)
    width = LikelihoodEllipsoid(delta=0.05, flattest=0.2, noise=0.4, horizon=1000)
    expected = 0.4 / 0.2 * np.sqrt(3 / 2 * np.log(1 + 2 * 1000 / 3) + np.log(2 / 0.05))
    np.testing.assert_allclose(width.radii(state.learners[0], 1.0), [expected] * 2)


@pytest.mark.parametrize(("exploration", "rounds"), [(None, 3), (7, 7), (0, 0)])
def test_the_first_rounds_are_random(exploration, rounds):
    policy, rng = UCBGLM(exploration=exploration), np.random.default_rng(0)
    state, every = policy.start(Problem(2, 2)), np.ones((1, 2), dtype=bool)
    found = []
    for turn in range(12):
        found.append(policy.probabilities(state, X, every).tolist() == [0.5, 0.5])
        policy.update(state, X, np.array([turn % 2]), np.array([turn % 2]), rng)
    # Before its first reward nothing tells arms apart either.
    assert found == [turn < rounds or turn == 0 for turn in range(12)]


def test_rewards_beyond_probabilities_are_refused():
    with pytest.raises(InvalidInput, match="rescale"):
        UCBGLM().start(Problem(2, 3, Support.real()))


@pytest.mark.parametrize(
    "make",
    [lambda: UCBGLM(exploration=-1), lambda: UCBGLM(penalty=0), lambda: LikelihoodEllipsoid(1.0)],
)
def test_bad_parameters_are_named(make):
    with pytest.raises(InvalidInput, match=r"exploration = -1|penalty = 0|delta = 1"):
        make()


def test_it_earns_much_more_than_random_choices_do():
    policy = UCBGLM()
    assert earned_by(policy, runs=8) > 0.86  # 1,600 rewards: a standard error is about 0.01

import numpy as np
import pytest
from scipy import optimize, special, stats

from bandstrap.errors import InvalidInput
from bandstrap.models.online.ellipsoids import Ellipsoids
from bandstrap.policies.contextual.glm.laplace_thompson import LaplaceThompson
from bandstrap.problem import Problem, Support


def logistic_data(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rows, 3))
    margins = contexts @ np.array([1.0, -0.5, 0.3]) - 0.4
    return contexts, (rng.random(rows) < special.expit(margins)).astype(float)


def exact_mode(contexts: np.ndarray, rewards: np.ndarray, penalty: float) -> np.ndarray:
    rows = np.column_stack([contexts, np.ones(len(contexts))])

    def objective(theta: np.ndarray) -> float:
        margins = rows @ theta
        loss = np.logaddexp(0, margins) - rewards * margins
        return float(loss.sum() + penalty / 2 * theta @ theta)

    return optimize.minimize(objective, np.zeros(4), tol=1e-10).x


def test_one_reward_moves_the_mode_exactly() -> None:
    context, reward = np.array([0.7, -2.0, 1.0]), 1.0
    arms = Ellipsoids(1, 3, 0.5)
    arms.learn_logistic(context, 0, reward)
    mode = exact_mode(context[None], np.array([reward]), 0.5)
    np.testing.assert_allclose(arms.centres[0], mode, atol=1e-5)
    x = np.append(context, 1.0)
    share = special.expit(x @ mode)
    curvature = 0.5 * np.eye(4) + share * (1 - share) * np.outer(x, x)
    _, squares = arms.look(np.array([1.0, 0.0, 0.0]))
    probe = np.array([1.0, 0, 0, 1])
    np.testing.assert_allclose(squares[0], probe @ np.linalg.solve(curvature, probe), rtol=1e-5)


def test_mode_and_covariance_stay_near_the_exact_ones() -> None:
    contexts, rewards = logistic_data(2000, seed=0)
    arms = Ellipsoids(1, 3, 1.0)
    for context, reward in zip(contexts, rewards, strict=True):
        arms.learn_logistic(context, 0, reward)
    mode = exact_mode(contexts, rewards, 1.0)
    rows = np.column_stack([contexts, np.ones(2000)])
    share = special.expit(rows @ mode)
    covariance = np.linalg.inv(np.eye(4) + (rows.T * (share * (1 - share))) @ rows)
    # Within a quarter of a posterior standard deviation, though each reward was seen once.
    assert (np.abs(arms.centres[0] - mode) < 0.25 * np.sqrt(np.diag(covariance))).all()
    for probe in np.eye(3):
        x = np.append(probe, 1.0)
        np.testing.assert_allclose(arms.look(probe)[1][0], x @ covariance @ x, rtol=0.03)


def test_draws_are_gaussian_around_the_mode() -> None:
    policy = LaplaceThompson(spread=0.5)
    state = policy.start(Problem(2, 3))
    for context, reward in zip(*logistic_data(50, seed=1), strict=True):
        policy.update(state, context[None], np.array([0]), np.array([reward]))
    x = np.array([[1.0, 1.0, 0.0]])
    rng = np.random.default_rng(3)
    draws = np.array([policy.scores(state, x, rng)[0] for _ in range(20_000)])
    means, squares = state.learners[0].arms.look(x[0])
    for arm in range(2):
        normal = stats.norm(means[arm], 0.5 * np.sqrt(squares[arm]))
        assert stats.kstest(draws[:, arm], normal.cdf).pvalue > 1e-4


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_separable_rewards_of_any_scale_stay_finite(scale: float) -> None:
    arms = Ellipsoids(1, 2, 1.0)
    rng = np.random.default_rng(0)
    for _ in range(2000):
        x = scale * rng.normal(size=2)
        arms.learn_logistic(x, 0, float(x[0] > 0))
    means, squares = arms.look(scale * np.array([1.0, 0.0]))
    assert np.isfinite(means).all()
    assert (squares >= 0).all()
    if scale >= 1:
        assert means[0] > 0
        assert arms.look(-scale * np.array([1.0, 0.0]))[0][0] < 0


def test_rewards_beyond_probabilities_are_refused() -> None:
    with pytest.raises(InvalidInput, match="rescale"):
        LaplaceThompson().start(Problem(2, 3, Support.interval(0, 2)))

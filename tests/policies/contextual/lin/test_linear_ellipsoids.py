"""The maintained ellipsoids against plain linear algebra, and where plain formulas break."""

import numpy as np
import pytest

from bandstrap.models.online.ellipsoids import Ellipsoids


def taught(contexts: np.ndarray, rewards: np.ndarray, penalty: float = 1.0) -> Ellipsoids:
    arms = Ellipsoids(1, contexts.shape[1], penalty)
    for context, reward in zip(contexts, rewards, strict=True):
        arms.learn_linear(context, 0, reward)
    return arms


def with_constant(contexts: np.ndarray) -> np.ndarray:
    return np.column_stack([contexts, np.ones(len(contexts))])


@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 7, 20])
def test_mean_width_and_determinant_are_those_of_ridge_regression(n_features: int) -> None:
    rng = np.random.default_rng(n_features)
    contexts = rng.normal(size=(40, n_features)) * (rng.random((40, n_features)) < 0.7)
    rewards = rng.normal(size=40)
    arms = taught(contexts, rewards, penalty=0.3)
    rows = with_constant(contexts)
    matrix = 0.3 * np.eye(n_features + 1) + rows.T @ rows
    probe = rng.normal(size=n_features)
    means, squares = arms.look(probe)
    x = np.append(probe, 1.0)
    np.testing.assert_allclose(means[0], x @ np.linalg.solve(matrix, rows.T @ rewards), rtol=1e-10)
    np.testing.assert_allclose(squares[0], x @ np.linalg.solve(matrix, x), rtol=1e-11)
    expected = np.linalg.slogdet(matrix / 0.3)[1]
    np.testing.assert_allclose(arms.log_dets[0], expected, rtol=1e-11)


@pytest.mark.parametrize("n_features", [1, 4, 9])
def test_rows_may_be_added_without_a_reward(n_features: int) -> None:
    rng = np.random.default_rng(n_features)
    arms, matrix = Ellipsoids(2, n_features, 0.3), 0.3 * np.eye(n_features + 1)
    for context, weight in zip(
        rng.normal(size=(30, n_features)), rng.uniform(0, 2, 30), strict=True
    ):
        x, solved = arms.add(context, 1, weight)
        matrix += weight * np.outer(x, x)
        np.testing.assert_array_equal(x, np.append(context, 1.0))
        np.testing.assert_allclose(solved, np.linalg.solve(matrix, x), rtol=1e-9)
    np.testing.assert_array_equal(arms.centres, 0.0)
    vector = rng.normal(size=n_features + 1)
    np.testing.assert_allclose(arms.solve(1, vector), np.linalg.solve(matrix, vector), rtol=1e-9)
    np.testing.assert_allclose(arms.inverse(1), np.linalg.inv(matrix), rtol=1e-9)
    np.testing.assert_allclose(arms.inverse(0), np.eye(n_features + 1) / 0.3)
    np.testing.assert_allclose(arms.log_dets[1], np.linalg.slogdet(matrix / 0.3)[1])


def test_a_matrix_may_be_set() -> None:
    rng = np.random.default_rng(0)
    root = rng.normal(size=(4, 4))
    matrix = root @ root.T + np.eye(4)
    arms = Ellipsoids(2, 3, 0.5)
    arms.set_matrix(1, matrix)
    np.testing.assert_allclose(arms.inverse(1), np.linalg.inv(matrix), rtol=1e-9)
    np.testing.assert_allclose(arms.log_dets[1], np.linalg.slogdet(matrix / 0.5)[1])
    arms.add(np.ones(3), 1, 2.0)
    matrix += 2.0
    np.testing.assert_allclose(arms.inverse(1), np.linalg.inv(matrix), rtol=1e-9)
    arms.verify_saved()


def test_other_estimates_from_the_same_contexts_fade_alike() -> None:
    rng = np.random.default_rng(0)
    contexts, rewards = rng.normal(size=(40, 2)), rng.normal(size=40)
    arms, followers = taught(contexts, rewards), np.empty((1, 2, 3))
    followers[0] = arms.centres[0], 2 * arms.centres[0]
    arms.discount(0.2, followers)
    np.testing.assert_allclose(followers[0], [arms.centres[0], 2 * arms.centres[0]])
    rows = with_constant(contexts)
    faded = np.linalg.solve(np.eye(3) + 0.2 * rows.T @ rows, 0.2 * rows.T @ rewards)
    np.testing.assert_allclose(arms.centres[0], faded)


def test_only_the_pulled_arm_learns() -> None:
    arms = Ellipsoids(3, 2, 1.0)
    arms.learn_linear(np.array([1.0, 2.0]), 1, 1.0)
    means, squares = arms.look(np.array([1.0, 2.0]))
    np.testing.assert_allclose(means, [0, 6 / 7, 0], atol=1e-15)
    np.testing.assert_allclose(squares, [6, 6 / 7, 6])


def test_a_million_updates_leave_no_drift() -> None:
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(1000, 3)) @ np.diag([1.0, 1e-3, 1e2])
    rewards = contexts @ np.array([0.5, -1.0, 0.01]) + rng.normal(size=1000)
    arms = Ellipsoids(1, 3, 1.0)
    for _ in range(1000):
        for context, reward in zip(contexts, rewards, strict=True):
            arms.learn_linear(context, 0, reward)
    rows = with_constant(contexts)
    matrix = np.eye(4) + 1000 * rows.T @ rows
    for x in np.eye(4)[:3]:
        x[3] = 1.0
        means, squares = arms.look(x[:3])
        np.testing.assert_allclose(squares[0], x @ np.linalg.solve(matrix, x), rtol=1e-9)
        truth = x @ np.linalg.solve(matrix, 1000 * rows.T @ rewards)
        np.testing.assert_allclose(means[0], truth, rtol=1e-8)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_widths_stay_right_whatever_the_scale_of_a_feature(scale: float) -> None:
    # One huge or tiny feature beside an ordinary one: the width along each has a closed form,
    # and Sherman-Morrison gives zero or a negative number for the huge one.
    arms = Ellipsoids(1, 2, 1.0)
    for _ in range(50):
        arms.learn_linear(np.array([scale, 0.0]), 0, 1.0)
        arms.learn_linear(np.array([-scale, 0.0]), 0, 0.0)
    _, squares = arms.look(np.array([scale, 0.0]))
    expected = scale**2 / (1 + 100 * scale**2) + 1 / 101
    np.testing.assert_allclose(squares[0], expected, rtol=1e-9)
    _, squares = arms.look(np.array([0.0, 3.0]))
    np.testing.assert_allclose(squares[0], 9 + 1 / 101, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e6, 1e12])
def test_duplicated_columns_act_as_one(scale: float) -> None:
    rng = np.random.default_rng(1)
    single = scale * rng.normal(size=(300, 1))
    rewards = rng.random(300)
    twice = taught(np.column_stack([single, single]), rewards, penalty=1.0)
    means, squares = twice.look(np.array([scale, scale]))
    # Two copies with penalty 1 are one column √2 as large.
    once = taught(np.sqrt(2) * single, rewards, penalty=1.0)
    mean, square = once.look(np.array([np.sqrt(2) * scale]))
    np.testing.assert_allclose(squares, square, rtol=1e-8)
    np.testing.assert_allclose(means, mean, rtol=1e-6)


def test_bytes_are_shares() -> None:
    bytes_, floats = Ellipsoids(1, 2, 1.0), Ellipsoids(1, 2, 1.0)
    bytes_.learn_linear(np.array([255, 51], dtype=np.uint8), 0, 1.0)
    floats.learn_linear(np.array([1.0, 0.2]), 0, 1.0)
    np.testing.assert_allclose(bytes_.centres, floats.centres, rtol=1e-6)


@pytest.mark.parametrize("size", [1.0, 1e2, 1e4, 1e8])
def test_rewards_that_contradict_each_other_leave_no_margin(size: float) -> None:
    """On large features the first reward moves a logistic margin far, and the next one back."""
    arms = Ellipsoids(1, 1, 1.0)
    for reward in [1.0, 0.0] * 20:
        arms.learn_logistic(np.array([size]), 0, reward)
        means, squares = arms.look(np.array([size]))
        # A single reward's mode: m = size² (1 - sigmoid(m)), about 2 log(size).
        assert abs(means[0]) < 2 + 2 * np.log(1 + size)
        assert np.isfinite(squares[0])
    assert abs(means[0]) < 1.0

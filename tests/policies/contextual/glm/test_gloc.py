"""GLOC against a dense twin, its confidence sets against the truth, and what it earns."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from bandstrap import GLOC, FixedRadius, InvalidInput, OnlineToConfidence, Problem, Support
from bandstrap.policies.base import discount
from bandstrap.policies.contextual.glm.gloc import nearest_within
from bandstrap.storage.packing import pack
from earning import earned_by


class Twin:
    """One arm by dense matrices and whole histories."""

    def __init__(self, size, norm, flattest, penalty):
        self.norm, self.flattest, self.penalty = norm, flattest, penalty
        self.matrix, self.step = penalty * np.eye(size), np.zeros(size)
        self.regret = 2 * flattest * norm**2 * penalty
        self.rows, self.targets = [], []

    def learn(self, x, reward):
        predicted = x @ self.step
        self.rows.append(x)
        self.targets.append(predicted)
        self.matrix = self.matrix + np.outer(x, x)
        slope = expit(predicted) - reward
        self.regret += slope**2 * (x @ np.linalg.solve(self.matrix, x)) / (2 * self.flattest)
        free = self.step - slope / self.flattest * np.linalg.solve(self.matrix, x)
        self.step = free if np.linalg.norm(free) <= self.norm else self.projected(free)

    def projected(self, free):
        """By a search over the sphere's own equation: (A + m I) θ = A θ', ‖θ‖ = norm."""
        low, high = 0.0, 1e9
        for _ in range(300):
            middle = (low + high) / 2
            shifted = self.matrix + middle * np.eye(len(free))
            theta = np.linalg.solve(shifted, self.matrix @ free)
            low, high = (middle, high) if np.linalg.norm(theta) > self.norm else (low, middle)
        return theta

    @property
    def centre(self):
        rows, targets = np.array(self.rows), np.array(self.targets)
        return np.linalg.solve(self.matrix, rows.T @ targets)

    @property
    def surplus(self):
        rows, targets = np.array(self.rows), np.array(self.targets)
        return targets @ targets - self.centre @ rows.T @ targets

    def radius(self, delta, noise):
        k = self.flattest
        inside = 1 + 2 / k * self.regret + 4 * noise**4 / (k**4 * delta**2)
        square = 1 + 4 / k * self.regret + 8 * noise**2 / k**2 * np.log(2 / delta * inside**0.5)
        return np.sqrt(square + self.penalty * self.norm**2 - self.surplus)


@pytest.mark.parametrize("norm", [0.4, 1.0, 6.0])
def test_it_is_the_recursion_of_the_paper(norm):
    policy = GLOC(OnlineToConfidence(delta=0.1, noise=0.5), norm=norm, flattest=0.15, penalty=0.7)
    state, rng = policy.start(Problem(2, 3)), np.random.default_rng(0)
    twin, projections = Twin(4, norm, 0.15, 0.7), 0
    for _ in range(80):
        x = rng.standard_normal(3)
        reward = float(rng.random() < expit(2 * x[0] - x[1]))
        policy.update(state, x[None], np.array([1]), np.array([reward]))
        twin.learn(np.append(x, 1.0), reward)
        projections += np.linalg.norm(twin.step) > 0.999 * norm
    assert (projections > 20) == (norm < 2)  # both kinds of steps are met
    learner = state.learners[0]
    np.testing.assert_allclose(learner.steps[1], twin.step, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(learner.arms.centres[1], twin.centre, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(learner.regrets[1], twin.regret, rtol=1e-9)
    np.testing.assert_allclose(learner.surpluses[1], twin.surplus, rtol=1e-6)
    x = np.array([[0.3, -1.0, 0.8]])
    probe = np.append(x[0], 1.0)
    width = np.sqrt(probe @ np.linalg.solve(twin.matrix, probe))
    score = policy.scores(state, x, rng)[0, 1]
    assert score == pytest.approx(probe @ twin.centre + twin.radius(0.05, 0.5) * width, rel=1e-7)
    fixed = GLOC(FixedRadius(0.3), norm, 0.15, 0.7)
    learner.radius = fixed.radius
    score = fixed.scores(state, x, rng)[0, 1]
    assert score == pytest.approx(probe @ twin.centre + 0.3 * width, rel=1e-7)


def test_the_nearest_parameters_within_a_ball():
    rng = np.random.default_rng(1)
    for _ in range(5):
        root = rng.standard_normal((4, 4))
        matrix, theta = root @ root.T + 0.01 * np.eye(4), 3.0 * rng.standard_normal(4)
        found = nearest_within(1.3, theta, np.linalg.inv(matrix))
        assert np.linalg.norm(found) == pytest.approx(1.3)
        best = minimize(
            lambda it, a=matrix, b=theta: (it - b) @ a @ (it - b),
            np.zeros(4),
            constraints={"type": "ineq", "fun": lambda it: 1.3**2 - it @ it},
            options={"ftol": 1e-14},
        )
        away = (found - theta) @ matrix @ (found - theta)
        assert away == pytest.approx(best.fun, rel=1e-6)


def test_the_slope_defaults_to_that_at_the_largest_margin():
    state = GLOC(norm=2.0).start(Problem(2, 3))
    assert state.learners[0].flattest == pytest.approx(expit(2.0) * expit(-2.0))


def test_the_sets_of_the_theorem_hold_the_truth_and_exclude_others():
    """With delta = 0.1 they may fail in one run of ten; they are so wide that none of 10 does."""
    policy, runs, rng = GLOC(OnlineToConfidence()), 10, np.random.default_rng(2)
    state = policy.start(Problem(2, 2, Support.binary()), runs)
    truth, worst = np.array([0.7, -0.4, 0.3]), 0.0
    for _ in range(3000):
        x = rng.uniform(-0.7, 0.7, (runs, 2))
        augmented = np.column_stack([x, np.ones(runs)])
        rewards = (rng.random(runs) < expit(augmented @ truth)) * 1.0
        policy.update(state, x, np.zeros(runs, int), rewards)
    for learner in state.learners:
        matrix = np.linalg.inv(learner.arms.inverse(0))
        away = learner.arms.centres[0] - truth
        worst = max(worst, np.sqrt(away @ matrix @ away) / learner.radius.radii(learner)[0])
        opposite = learner.arms.centres[0] + truth
        assert np.sqrt(opposite @ matrix @ opposite) > 1.1 * np.sqrt(away @ matrix @ away)
    assert worst < 1.0


def test_what_is_kept_does_not_grow():
    policy, rng = GLOC(), np.random.default_rng(0)
    state, sizes = policy.start(Problem(2, 3)), []
    for turn in range(200):
        policy.update(state, rng.standard_normal((1, 3)), np.array([turn % 2]), rng.random(1))
        if turn in (10, 199):
            sizes.append(sum(array.nbytes for array in pack(state).arrays.values()))
    assert sizes[0] == sizes[1]


def test_half_forgotten_parameters_stay_in_their_ball():
    policy, rng = GLOC(norm=0.5), np.random.default_rng(0)
    state = policy.start(Problem(2, 2))
    for _ in range(60):
        x = rng.standard_normal((1, 2))
        policy.update(state, x, np.array([0]), (x[:, 0] > 0) * 1.0)
    learner = state.learners[0]
    before, regret = learner.steps[0].copy(), learner.regrets[0]
    matrix = np.linalg.inv(learner.arms.inverse(0))
    discount(policy, state, 0.25)
    faded = 0.25 * matrix + 0.75 * np.eye(3)
    expected = np.linalg.solve(faded, 0.25 * matrix @ before)
    np.testing.assert_allclose(learner.steps[0], expected, rtol=1e-8)
    assert np.linalg.norm(learner.steps[0]) < np.linalg.norm(before)
    assert learner.regrets[1] < learner.regrets[0] < regret
    discount(policy, state, 0.0)
    assert learner.regrets[0] == pytest.approx(learner.regrets[1])


def test_rewards_beyond_probabilities_are_refused():
    with pytest.raises(InvalidInput, match="rescale"):
        GLOC().start(Problem(2, 3, Support.real()))


@pytest.mark.parametrize(
    "make",
    [
        lambda: GLOC(norm=0),
        lambda: GLOC(flattest=-1.0),
        lambda: FixedRadius(0),
        lambda: OnlineToConfidence(delta=1),
    ],
)
def test_bad_parameters_are_named(make):
    with pytest.raises(InvalidInput, match=r"norm = 0|flattest = -1|alpha = 0|delta = 1"):
        make()


def test_it_earns_much_more_than_random_choices_do():
    policy = GLOC()
    assert earned_by(policy, runs=8) > 0.86  # 1,600 rewards: a standard error is about 0.01

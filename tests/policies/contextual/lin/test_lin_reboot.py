"""LinReBoot against a ridge regression and residuals that are written out."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

from bandstrap import Bandit, InvalidInput, LinReBoot, Problem, Support

PENALTY, SCALE, INFLATION, NOISE = 2.0, 1.5, 0.5, 0.2


def taught(policy, rows=9, seed=1):
    rng = np.random.default_rng(seed)
    contexts, rewards = rng.normal(size=(rows, 2)), rng.random(rows)
    learner = policy.start(Problem(1, 2)).learners[0]
    for context, reward in zip(contexts, rewards, strict=True):
        learner.learn(context, 0, reward, None)
    return learner, np.column_stack([contexts, np.ones(rows)]), rewards


def test_a_draw_is_the_residual_bootstrap_around_a_ridge_regression():
    policy = LinReBoot(SCALE, INFLATION, NOISE, PENALTY)
    learner, design, rewards = taught(policy)
    x, rng, n = np.array([2.0, -2.5]), np.random.default_rng(0), rewards.size
    theta = np.linalg.solve(design.T @ design + PENALTY * np.eye(3), design.T @ rewards)
    mean = np.append(x, 1.0) @ theta
    pseudo = np.sqrt(n + 2) * INFLATION * NOISE
    residuals = np.append(rewards - mean, [pseudo, -pseudo])
    naive = mean + SCALE * rng.standard_normal((3000, n + 2)) @ residuals / (n + 2)
    ours = np.array([learner.margins(x, rng)[0] for _ in range(3000)])
    law = norm(mean, SCALE * np.sqrt((residuals**2).sum()) / (n + 2))
    assert kstest(ours, law.cdf).pvalue > 1e-3
    assert kstest(naive, law.cdf).pvalue > 1e-3
    # Residuals around fitted values, not around the mean here, are others.
    fitted = np.append(rewards - design @ theta, [pseudo, -pseudo])
    other = norm(mean, SCALE * np.sqrt((fitted**2).sum()) / (n + 2))
    assert kstest(ours, other.cdf).pvalue < 1e-6


def test_arms_come_go_and_fade():
    learner, _, rewards = taught(LinReBoot())
    squares = ((rewards - rewards.mean()) ** 2).sum()
    assert learner.squares[0] == pytest.approx(squares)
    learner.discount(0.5)
    assert learner.squares[0] == pytest.approx(squares / 2)
    fresh = LinReBoot().start(Problem(2, 2)).learners[0]
    learner.remap_arms(fresh, [None, 0])
    assert learner.squares[1] == pytest.approx(squares / 2)
    assert learner.margins(np.zeros(2), np.random.default_rng(0))[0] == np.inf  # tried first


def test_pseudo_residuals_bring_back_an_arm_that_has_paid_nothing():
    shares = []
    for inflation in (0.0, 1.0):
        bandit = Bandit(LinReBoot(inflation=inflation), ["a", "b"], rewards=Support.binary())
        bandit.learn(context=[[1.0]] * 4, arm=["a", "a", "b", "b"], reward=[0, 0, 1, 1])
        shares.append(bandit.decide([1.0]).propensities["a"])
    assert shares[0] < 0.02
    assert 0.05 < shares[1] < 0.5


@pytest.mark.parametrize("given", [{"scale": 0.0}, {"inflation": -0.1}, {"penalty": -1.0}])
def test_parameters_that_make_no_sense_are_refused(given):
    with pytest.raises(InvalidInput, match=next(iter(given))):
        LinReBoot(**given)

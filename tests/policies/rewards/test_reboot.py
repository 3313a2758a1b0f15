"""ReBoot against residuals that are written out and weighted one by one."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

from bandstrap import Bandit, HalfLife, InvalidInput, Problem, ReBoot, Support
from bandstrap.policies.base import discount
from bandstrap.policies.rewards.reboot import residual_spread

REWARDS = np.array([0.2, 0.9, 0.4, 0.4, 0.7])
RUNS = 4000


def taught(policy, rewards=REWARDS, support=None, runs=RUNS):
    state = policy.start(Problem(1, support=support or Support.interval()), runs)
    for reward in rewards:
        policy.update(state, None, np.zeros(runs, dtype=int), np.full(runs, reward))
    return state


@pytest.mark.parametrize("inflation", [1.0, 2.0])
def test_a_draw_is_the_bootstrap_of_residuals_and_two_pseudo_residuals(inflation):
    policy, rng = ReBoot(inflation, noise=0.3), np.random.default_rng(0)
    n, mean = REWARDS.size, REWARDS.mean()
    pseudo = np.sqrt(n + 2) * inflation * 0.3
    residuals = np.append(REWARDS - mean, [pseudo, -pseudo])
    naive = mean + rng.standard_normal((RUNS, n + 2)) @ residuals / (n + 2)
    ours = policy.scores(taught(policy), None, rng)[:, 0]
    law = norm(mean, np.sqrt((residuals**2).sum()) / (n + 2))
    assert kstest(ours, law.cdf).pvalue > 1e-3
    assert kstest(naive, law.cdf).pvalue > 1e-3
    without = norm(mean, np.sqrt((residuals[:-2] ** 2).sum()) / n)  # the plain residual bootstrap
    assert kstest(ours, without.cdf).pvalue < 1e-6


def test_equal_rewards_leave_room_for_doubt():
    bandit = Bandit(ReBoot(), ["none", "some"], rewards=Support.binary(), seed=1)
    bandit.learn(arm=["none"] * 3 + ["some"] * 3, reward=[0, 0, 0, 1, 0, 0])
    shares = bandit.decide().propensities
    assert 0.1 < shares["none"] < 0.5
    plain = Bandit(ReBoot(inflation=0.0), ["none", "some"], rewards=Support.binary(), seed=1)
    plain.learn(arm=["none"] * 3 + ["some"] * 3, reward=[0, 0, 0, 1, 0, 0])
    assert plain.decide().propensities["none"] < shares["none"]


def test_noise_is_half_the_interval_unless_given():
    for support, noise in ((Support.interval(-3, 5), 4.0), (Support.real(), 1.0)):
        spreads = [
            policy.scores(taught(policy, [1.0, 2.0], support), None, np.random.default_rng(1))
            for policy in (ReBoot(), ReBoot(noise=noise))
        ]
        assert np.array_equal(*spreads)


def test_squares_follow_weights_and_fade():
    policy = ReBoot()
    state = policy.start(Problem(1), 1)
    rng = np.random.default_rng(2)
    rewards, weights = rng.random(30), rng.uniform(0.2, 3.0, 30)
    for reward, weight in zip(rewards, weights, strict=True):
        given = np.array([weight])
        policy.update(state, None, np.array([0]), np.array([reward]), None, given)
    mean = weights @ rewards / weights.sum()
    assert state.squares[0, 0] == pytest.approx(weights @ (rewards - mean) ** 2)
    discount(policy, state, 0.25)
    assert state.squares[0, 0] == pytest.approx(0.25 * weights @ (rewards - mean) ** 2)
    bandit = Bandit(policy, ["a"], forgetting=HalfLife(3))
    bandit.learn(arm=["a"] * 50, reward=[0.1] * 50)  # rounding must not take squares below 0
    assert bandit.decide().arm == "a"


def test_probabilities_are_those_of_draws():
    policy = ReBoot()
    state = policy.start(Problem(2), 1)
    for arm, reward in ((0, 0.2), (0, 0.8), (1, 0.6)):
        policy.update(state, None, np.array([arm]), np.array([reward]))
    known = policy.probabilities(state, None, np.ones((1, 2), dtype=bool))
    means = np.array([0.5, 0.6])
    spreads = residual_spread(np.array([2.0, 1.0]), np.array([0.18, 0.0]), 0.5)
    expected = norm.cdf((means[0] - means[1]) / np.hypot(*spreads))
    assert known[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("given", [{"inflation": -1.0}, {"noise": 0.0}, {"noise": np.nan}])
def test_parameters_that_make_no_sense_are_refused(given):
    with pytest.raises(InvalidInput, match=next(iter(given))):
        ReBoot(**given)

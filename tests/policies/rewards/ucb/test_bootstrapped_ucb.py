"""Bootstrapped UCB against its formula, with all signs written out."""

from itertools import product

import numpy as np
import pytest

from bandstrap import BootstrappedUCB, InvalidInput, PracticalCorrection, Problem, Support

REWARDS = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0])


def taught(policy, support, rewards=REWARDS, runs=1):
    state = policy.start(Problem(2, support=support), runs)
    for reward in rewards:
        policy.update(state, None, np.zeros(runs, dtype=int), np.full(runs, reward))
    return state


def quantile(rewards, level):
    """Of the mean residual under random signs, exactly."""
    residuals = rewards - rewards.mean()
    signs = np.array(list(product((-1, 1), repeat=rewards.size)))
    return np.quantile(signs @ residuals / rewards.size, 1 - level, method="higher")


def correction(n, alpha, delta, half):
    width = half * np.sqrt(2 * np.log(1 / alpha) / n)
    return np.sqrt(np.log(2 / (alpha * delta)) / n) * width


@pytest.mark.parametrize("support", [Support.binary(), Support.interval(0, 2)])
def test_scores_are_mean_quantile_and_correction(support):
    policy, rng = BootstrappedUCB(delta=0.2, draws=20_000), np.random.default_rng(0)
    rewards = REWARDS if support.values else REWARDS * np.linspace(0.5, 2.0, REWARDS.size)
    scores = policy.scores(taught(policy, support, rewards), None, rng)[0]
    alpha, half = 1 / (REWARDS.size + 1), (support.high - support.low) / 2
    bound = correction(REWARDS.size, alpha, 0.2, half)
    q = quantile(rewards, alpha * 0.8)
    assert scores[0] == pytest.approx(rewards.mean() + q + bound, abs=0.03 * half)
    assert q > 0.05
    assert scores[1] == np.inf


@pytest.mark.parametrize("draws", [1, 200])
def test_a_quantile_beyond_all_draws_is_the_largest(draws):
    policy, many = BootstrappedUCB(draws=draws), 3000
    rewards = np.tile([0.0, 1.0], many // 2)
    state = taught(policy, Support.binary(), rewards, runs=50)
    scores = policy.scores(state, None, np.random.default_rng(1))[:, 0]
    alpha = 1 / (many + 1)
    found = (scores - 0.5 - correction(many, alpha, 0.1, 0.5)) / (0.5 / np.sqrt(many))
    largest = np.random.default_rng(2).standard_normal((20_000, draws)).max(axis=1)
    assert abs(found.mean() - largest.mean()) < 5 * largest.std() / np.sqrt(50)


def test_equal_rewards_are_bounded_by_the_correction_alone():
    policy = BootstrappedUCB()
    scores = policy.scores(
        taught(policy, Support.binary(), np.ones(4)), None, np.random.default_rng(0)
    )
    assert scores[0, 0] == pytest.approx(1.0 + correction(4, 1 / 5, 0.1, 0.5))


def test_the_correction_of_practice_is_less():
    policy, rng = BootstrappedUCB(correction=PracticalCorrection()), np.random.default_rng(0)
    scores = policy.scores(taught(policy, Support.binary(), np.ones(4)), None, rng)
    width = 0.5 * np.sqrt(2 * np.log(5) / 4)
    assert scores[0, 0] == pytest.approx(1.0 + width / 2)
    assert width / 2 < correction(4, 1 / 5, 0.1, 0.5)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InvalidInput, match="support"):
        BootstrappedUCB().start(Problem(2, support=Support.real()))
    for given in ({"delta": 0.0}, {"delta": 1.0}, {"draws": 0}, {"draws": 10**9}):
        with pytest.raises(InvalidInput, match=next(iter(given))):
            BootstrappedUCB(**given)

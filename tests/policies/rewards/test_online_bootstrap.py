import numpy as np
import pytest
from scipy import stats

from bandstrap import (
    DoubleOrNothing,
    Exponential,
    GaussianNoise,
    InvalidInput,
    Multinomial,
    NoResampling,
    OnlineBootstrap,
    Poisson,
    Problem,
    PseudoRewards,
    Support,
)
from twins import fits, played, regret, tally

PROBLEM = Problem(1, support=Support.binary())
REWARDS = [1.0, 0.0, 1.0, 1.0, 0.0]  # with pseudo-rewards 1 and 0


def test_double_or_nothing_replicas_have_their_exact_law():
    policy = OnlineBootstrap(replicas=50)
    state = played(policy, PROBLEM, [REWARDS], 4000, seed=1)
    ones, zeros = np.meshgrid(np.arange(4), np.arange(3), indexing="ij")
    means = (1 + 2 * ones) / (2 + 2 * ones + 2 * zeros)
    law = stats.binom(3, 0.5).pmf(ones) * stats.binom(2, 0.5).pmf(zeros)
    values, where = np.unique(means.round(9), return_inverse=True)
    found, counts = np.unique(state.mean[:, 0].round(9), return_counts=True)
    assert set(found) <= set(values)
    table = dict(zip(found, counts, strict=True))
    expected = np.bincount(where.ravel(), law.ravel())
    assert fits([table.get(value, 0) for value in values], expected) > 1e-4


def test_exponential_replicas_have_their_exact_law():
    """Weights Gamma(3) on ones and Gamma(2) on zeros make a Beta(3, 2)."""
    policy = OnlineBootstrap(20, Exponential(), PseudoRewards(0, 0))
    state = played(policy, PROBLEM, [REWARDS], 5000, seed=2)
    assert stats.kstest(state.mean.ravel(), stats.beta(3, 2).cdf).pvalue > 1e-4
    assert stats.kstest(state.weight.ravel(), stats.gamma(5).cdf).pvalue > 1e-4


def test_replicas_of_an_arm_and_of_a_run_are_independent():
    policy = OnlineBootstrap(2, Exponential())
    state = played(policy, PROBLEM, [REWARDS], 20_000, seed=3)
    one, other = state.mean[:, 0, 0], state.mean[:, 0, 1]
    assert abs(np.corrcoef(one, other)[0, 1]) < 4 / np.sqrt(20_000)
    assert abs(np.corrcoef(one[1:], one[:-1])[0, 1]) < 4 / np.sqrt(20_000)


def test_arms_pick_their_replicas_independently_and_uniformly():
    policy = OnlineBootstrap(3, prior=PseudoRewards(1, 1))
    state = policy.start(Problem(2), 90_000)
    state.mean[:] = [[0.0, 1.0, 2.0], [0.0, 10.0, 20.0]]
    scores = policy.scores(state, None, np.random.default_rng(4))
    pairs = scores[:, 0] + 3 * scores[:, 1] / 10
    assert fits(tally(pairs.astype(int), 9), np.full(9, 1 / 9)) > 1e-4


def test_weights_of_one_keep_the_mean_itself():
    policy = OnlineBootstrap(4, NoResampling(), PseudoRewards(2, 1))
    problem = Problem(2, support=Support.interval(-1, 3))
    state = played(policy, problem, [[0.5, 1.5], []], 3)
    np.testing.assert_allclose(state.mean[:, 0], 7 / 5)  # of 3, 3, -1, 0.5, 1.5
    np.testing.assert_allclose(state.mean[:, 1], 5 / 3)


def test_a_replicate_without_weight_is_tried_first():
    policy = OnlineBootstrap(1, DoubleOrNothing(), PseudoRewards(0, 0))
    state = played(policy, Problem(2), [[0.1], [0.9] * 40], 20_000)
    arms = policy.select(state, None, np.random.default_rng(5))
    assert fits(tally(arms, 2), [0.5, 0.5]) > 1e-4


@pytest.mark.parametrize("resampling", [DoubleOrNothing(), Poisson(), Exponential()])
def test_learns(resampling):
    policy = OnlineBootstrap(30, resampling)
    assert regret(policy) < 0.25 * 300 * 1.1 / 3
    assert regret(policy, allowed=np.array([True, True, False])) < 0.25 * 300 * 0.3


def test_update_needs_a_generator():
    policy = OnlineBootstrap()
    with pytest.raises(InvalidInput, match="pass a generator"):
        policy.update(policy.start(Problem(2)), None, np.array([0]), np.array([1.0]))


@pytest.mark.parametrize("resampling", [Multinomial(), GaussianNoise()])
def test_schemes_that_cannot_weigh_rewards_as_they_come_are_rejected(resampling):
    with pytest.raises(InvalidInput, match="weighed when it comes"):
        OnlineBootstrap(resampling=resampling)


@pytest.mark.parametrize("replicas", [0, -1, 2.5])
def test_bad_numbers_of_replicas_are_rejected(replicas):
    with pytest.raises(InvalidInput, match="replicas"):
        OnlineBootstrap(replicas)

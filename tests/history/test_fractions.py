"""Rewards that count more or less than once, against a slow twin that weighs row by row."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from bandstrap import (
    Bandit,
    BetaThompson,
    Bootstrap,
    DoubleOrNothing,
    Exponential,
    GaussianNoise,
    HalfLife,
    Multinomial,
    NoResampling,
    Poisson,
    Problem,
    PseudoRewards,
    Support,
)
from bandstrap.policies import POLICIES
from bandstrap.policies.base import discount
from bandstrap.resampling import Resampling
from bandstrap.seeding import kernel_stream

DRAWS = 3000
PSEUDO = np.array([0.0, 1.0])  # of PseudoRewards(1, 1)
SCHEMES = [Exponential(), Multinomial(), Poisson(), DoubleOrNothing()]


class OwnScheme(Resampling):
    """Uniform weights, which no kernel knows."""

    def weights(self, shape, rng):
        return 2.0 * rng.random(shape)


def kind(scheme):
    return type(scheme).__name__


def rows_of_an_arm(seed=0):
    """Rewards and weights such that leaving the weights out moves the mean by several spreads."""
    rng = np.random.default_rng(seed)
    rewards = np.concatenate([rng.beta(8, 2, 30), rng.beta(2, 8, 30)])
    return rewards, np.repeat([1.5, 0.25], 30)


def told(policy, rewards, weights):
    state = policy.start(Problem(1))
    for reward, weight in zip(rewards, weights, strict=True):
        policy.update(
            state, None, np.array([0]), np.array([reward]), None, weights=np.array([weight])
        )
    return state


def drawn(policy, state, seed=1):
    rng = np.random.default_rng(seed)
    return np.array([policy.scores(state, None, rng)[0, 0] for _ in range(DRAWS)])


def twin(scheme, rewards, factors, seed=2):
    """A weight for every row, times its factor; pseudo-rewards count once."""
    rng = np.random.default_rng(seed)
    rows, factors = np.append(PSEUDO, rewards), np.append(np.ones(2), factors)
    weights = factors * scheme.weights((DRAWS, rows.size), rng)
    return weights @ rows / weights.sum(axis=1)


@pytest.mark.parametrize("scheme", [*SCHEMES, OwnScheme()], ids=kind)
def test_a_weight_multiplies_the_bootstrap_weight(scheme):
    rewards, weights = rows_of_an_arm()
    policy = Bootstrap(scheme)
    found = drawn(policy, told(policy, rewards, weights))
    assert ks_2samp(found, twin(scheme, rewards, weights)).pvalue > 1e-4
    assert ks_2samp(found, twin(scheme, rewards, np.ones(60))).pvalue < 1e-9  # it can fail


@pytest.mark.parametrize("scheme", [*SCHEMES, OwnScheme()], ids=kind)
def test_what_is_forgotten_counts_less_than_what_came_since(scheme):
    rewards, _ = rows_of_an_arm()
    policy = Bootstrap(scheme)
    state = told(policy, rewards[:30], np.ones(30))
    discount(policy, state, 0.5)
    discount(policy, state, 0.5)
    for reward in rewards[30:]:
        policy.update(state, None, np.array([0]), np.array([reward]))
    factors = np.repeat([0.25, 1.0], 30)
    found = drawn(policy, state)
    assert ks_2samp(found, twin(scheme, rewards, factors)).pvalue > 1e-4
    assert ks_2samp(found, twin(scheme, rewards, np.ones(60))).pvalue < 1e-9


@pytest.mark.parametrize("scheme", [Multinomial(), DoubleOrNothing(), OwnScheme()], ids=kind)
def test_known_values_fade_row_by_row_where_counts_must_be_whole(scheme):
    rewards, _ = rows_of_an_arm()
    rewards = np.rint(rewards)
    policy, problem = Bootstrap(scheme), Problem(1, support=Support.binary())
    state = policy.start(problem)
    for place, reward in enumerate(rewards):
        if place == 30:
            discount(policy, state, 0.25)
        policy.update(state, None, np.array([0]), np.array([reward]))
    found = drawn(policy, state)
    expected = twin(scheme, rewards, np.repeat([0.25, 1.0], 30))
    assert found.mean() == pytest.approx(expected.mean(), abs=5 * expected.std() / DRAWS**0.5)
    assert found.std() == pytest.approx(expected.std(), rel=0.1)


@pytest.mark.parametrize("scheme", [GaussianNoise(0.3), NoResampling()], ids=repr)
@pytest.mark.parametrize("support", [Support.interval(), Support.binary()], ids=["real", "binary"])
def test_means_need_only_counts_and_counts_may_be_fractions(scheme, support):
    policy, problem = Bootstrap(scheme), Problem(1, support=support)
    state = policy.start(problem)
    weights = np.array([0.5])
    for reward in (1.0, 1.0, 0.0):
        policy.update(state, None, np.array([0]), np.array([reward]), weights=weights)
    discount(policy, state, 0.5)
    assert state.history.count[0, 0] == pytest.approx(2 + 0.75)
    assert state.history.mean[0, 0] == pytest.approx((1 + 0.5) / 2.75)


def test_the_choice_is_that_of_the_draws():
    """Two arms, one of which has faded: the lazy choice would not know of its rows."""
    policy = Bootstrap()
    state, rng = policy.start(Problem(2)), np.random.default_rng(0)
    for _ in range(200):
        policy.update(state, None, np.array([0]), np.array([0.9]))
        policy.update(state, None, np.array([1]), np.array([0.6]))
    discount(policy, state, 0.5)
    arms = [policy.select(state, None, rng)[0] for _ in range(200)]
    assert arms.count(0) == 200
    draw = policy.decide(state, None, rng, None)
    assert draw.arm == 0
    assert draw.probabilities is None
    assert state.sampler(policy, None, np.ones((1, 2), dtype=bool)).choices(
        kernel_stream(rng), 50
    ).tolist() == [50, 0]
    assert draw.scores == pytest.approx([0.9, 0.6], abs=0.05)


def test_rounded_rewards_take_fractions_of_a_count():
    policy, rng = BetaThompson(), np.random.default_rng(0)
    state = policy.start(Problem(1), runs=4000)
    arms, rewards = np.zeros(4000, dtype=np.int64), np.full(4000, 0.3)
    policy.update(state, None, arms, rewards, rng, np.full(4000, 2.5))
    counts = state.history.arrays.counts[:, 0]
    assert np.unique(counts).tolist() == [1.0, 3.5]
    assert counts[:, 1].mean() == pytest.approx(1 + 2.5 * 0.3, abs=0.1)


def test_a_pull_is_one_pull_whatever_its_weight():
    policy = POLICIES["npb-forced"]()
    state = policy.start(Problem(2))
    owed = state.owed.copy()
    policy.update(state, None, np.array([1]), np.array([0.5]), weights=np.array([0.5]))
    assert (owed - state.owed).tolist() == [[0, 1]]


def test_memory_stays_bounded_and_a_saved_bandit_goes_on(tmp_path):
    bandit = Bandit(Bootstrap(Multinomial()), ["a", "b"], forgetting=HalfLife(16), seed=3)
    rng = np.random.default_rng(0)
    for _ in range(600):
        bandit.learn(bandit.decide(), reward=rng.random())
    fractions = bandit._memory.state.history.fractions
    assert fractions.arrays.used.sum() < 16 * np.log2(1e4) + 20
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    bandit.add_arm("c")
    again.add_arm("c")
    for _ in range(30):
        first, second = bandit.decide(), again.decide()
        assert (first.arm, first.propensity) == (second.arm, second.propensity)
        assert first.scores == second.scores
        bandit.learn(first, reward=0.25, weight=0.5)
        again.learn(second, reward=0.25, weight=0.5)


def test_an_arm_of_none_but_fractions_is_not_unseen():
    policy = Bootstrap(Exponential(), PseudoRewards(0, 0))
    state = told(policy, [0.4, 0.6], [0.5, 0.5])
    scores = drawn(policy, state)
    assert ((scores >= 0.4) & (scores <= 0.6)).all()

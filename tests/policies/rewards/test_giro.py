import numpy as np
import pytest
from scipy import stats

from bandstrap import Giro, InvalidInput, Problem, Support
from twins import choices, draws, fits, giro_draws, played, regret, same_frequencies, tally

DRAWS = 100_000
REAL = [[0.3, 0.9, 0.1], [0.5, 0.45, 0.62, 0.7, 0.1], [0.8]]
BINARY = [[1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0, 1.0], [0.0, 1.0]]
SUPPORTS = [
    (Support.interval(-1, 2), REAL),
    (Support.binary(), BINARY),
    (Support.categories((0.0, 0.5, 2.0)), [[0.5, 0.5, 2.0], [0.0, 2.0], [0.5]]),
]


@pytest.mark.parametrize(("support", "rewards"), SUPPORTS)
@pytest.mark.parametrize("a", [1, 3, 0.4])
def test_draws_have_the_law_of_resampling_the_literal_list(support, rewards, a):
    policy, rng = Giro(a), np.random.default_rng(1)
    state = played(policy, Problem(len(rewards), support=support), rewards, DRAWS // 100)
    scores = draws(policy, state, rng, 100).round(9)
    for arm, seen in enumerate(rewards):
        twin = giro_draws(seen, a, support.low, support.high, DRAWS, rng).round(9)
        assert stats.ks_2samp(scores[:, arm], twin).pvalue > 1e-4
        assert abs(scores[:, arm].var() / twin.var() - 1) < 0.03  # a standard error is 0.006


@pytest.mark.parametrize(("support", "rewards"), SUPPORTS)
@pytest.mark.parametrize("a", [1, 0.4])
def test_choices_have_the_frequencies_of_the_literal_list(support, rewards, a):
    policy, rng = Giro(a), np.random.default_rng(2)
    state = played(policy, Problem(len(rewards), support=support), rewards, DRAWS // 100)
    chosen = tally(choices(policy, state, rng, 100), len(rewards))
    twins = [giro_draws(r, a, support.low, support.high, DRAWS, rng) for r in rewards]
    noisy = np.array(twins).round(9) + 1e-11 * rng.random((len(rewards), DRAWS))  # breaks ties
    assert same_frequencies(chosen, tally(noisy.argmax(axis=0), len(rewards))) > 1e-4


@pytest.mark.parametrize("support", [Support.binary(), Support.interval(-1, 2)])
@pytest.mark.parametrize("a", [1, 2, 0.1, 1.1])
def test_moments_include_the_pseudo_rewards(support, a):
    rng = np.random.default_rng(3)
    rewards = rng.integers(0, 2, 50).astype(float) if support.values else rng.uniform(-1, 2, 50)
    state = played(Giro(a), Problem(2, support=support), [rewards, []], 2)
    n = {1: 50, 2: 100, 0.1: 5, 1.1: 55}[a]  # 1.1 * 50 is 55.00000000000001
    history = np.concatenate([rewards, np.full(n, support.low), np.full(n, support.high)])
    count, mean, squares, low, high = state.history.arrays.moments[1, 0, :5]
    assert (count, low, high) == (history.size, support.low, support.high)
    np.testing.assert_allclose([mean, squares / count], [history.mean(), history.var()], rtol=1e-12)
    ends = state.history.arrays.counts[1, 0, [0, -1]]
    assert (
        ends == [n + (rewards == 0).sum(), n + (rewards == 1).sum()]
    ).all() or not support.values
    assert state.history.count[1, 1] == 0


def test_unseen_arms_come_first():
    policy = Giro()
    state = played(policy, Problem(3), [[1.0], [], []], 200)
    arms = choices(policy, state, np.random.default_rng(4), 100)
    assert fits(tally(arms, 3), [0, 0.5, 0.5]) > 1e-4


@pytest.mark.parametrize("support", [Support.binary(), Support.interval()])
def test_learns(support):
    assert regret(Giro(), support=support) < 0.35 * 300 * 1.1 / 3
    assert regret(Giro(), allowed=np.array([True, True, False])) < 0.35 * 300 * 0.3


def test_needs_bounded_rewards():
    with pytest.raises(InvalidInput, match="bounded"):
        Giro().start(Problem(2, support=Support.real()))


@pytest.mark.parametrize("a", [0, -1, np.inf])
def test_bad_numbers_of_pseudo_rewards_are_rejected(a):
    with pytest.raises(InvalidInput, match="a ="):
        Giro(a)

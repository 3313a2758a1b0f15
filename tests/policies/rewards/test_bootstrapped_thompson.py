from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from bandstrap import (
    ArtificialHistory,
    BootstrappedThompson,
    DoubleOrNothing,
    Exponential,
    GaussianNoise,
    InvalidInput,
    Multinomial,
    NoResampling,
    Poisson,
    Problem,
    Support,
    UniformRewards,
)
from bandstrap.resampling import Resampling
from twins import choices, draws, played, regret, same_frequencies, tally, union_draws

DRAWS = 40_000
REAL = [[0.3, 1.9, -0.1, 0.4], [0.9], []]
BINARY = [[1.0, 0.0, 1.0, 1.0], [0.0], []]


@dataclass(frozen=True)
class OwnScheme(Resampling):
    """A scheme that kernels do not know."""

    def weights(self, shape, rng):
        return rng.uniform(0, 2, shape)


WEIGHTS = [
    (Exponential(), lambda lists, n, rng: rng.standard_exponential((lists, n))),
    (Multinomial(), lambda lists, n, rng: rng.multinomial(n, np.full(n, 1 / n), lists)),
    (Poisson(), lambda lists, n, rng: rng.poisson(1, (lists, n))),
    (DoubleOrNothing(), lambda lists, n, rng: 2.0 * rng.integers(0, 2, (lists, n))),
    (NoResampling(), lambda lists, n, rng: np.ones((lists, n))),
    (OwnScheme(), lambda lists, n, rng: rng.uniform(0, 2, (lists, n))),
]


@pytest.mark.parametrize(("resampling", "weigh"), WEIGHTS)
@pytest.mark.parametrize("support", [Support.interval(-1, 2), Support.binary()])
def test_draws_have_the_law_of_the_literal_union(resampling, weigh, support):
    def make_up(lists, rng):
        if support.values:
            return rng.integers(0, 2, (lists, 3)).astype(float)
        return rng.uniform(-1, 2, (lists, 3))

    rewards = BINARY if support.values else REAL
    times = 50 if resampling == OwnScheme() else DRAWS // 100
    policy, rng = BootstrappedThompson(resampling, UniformRewards(3)), np.random.default_rng(1)
    state = played(policy, Problem(3, support=support), rewards, runs=100)
    scores = draws(policy, state, rng, times)
    for arm, seen in enumerate(rewards):
        twin = union_draws(np.array(seen), make_up, weigh, DRAWS, rng)
        found, expected = scores[:, arm].round(9), twin.round(9)
        assert stats.ks_2samp(found, expected).pvalue > 1e-4
        assert abs(found.var() / expected.var() - 1) < (0.12 if times == 50 else 0.06)


def test_gaussian_noise_adds_its_variance_to_that_of_the_made_up_rewards():
    policy = BootstrappedThompson(GaussianNoise(0.5), UniformRewards(2))
    state = played(policy, Problem(1), [[0.3, 0.9]], DRAWS)
    scores = policy.scores(state, None, np.random.default_rng(2))[:, 0]
    variance = 2 / 12 / 16 + 0.25 / 4
    assert abs(scores.mean() - (1.2 + 1) / 4) < 4 * np.sqrt(variance / DRAWS)
    assert abs(scores.var() / variance - 1) < 4 * np.sqrt(2 / DRAWS)


def test_artificial_rewards_are_fresh_for_each_decision_arm_and_run():
    policy = BootstrappedThompson(NoResampling(), UniformRewards(1))
    state, rng = policy.start(Problem(2), 10_000), np.random.default_rng(3)
    once, again = policy.scores(state, None, rng), policy.scores(state, None, rng)
    for x, y in [(once[:, 0], once[:, 1]), (once[:, 0], again[:, 0]), (once[1:, 0], once[:-1, 0])]:
        assert abs(np.corrcoef(x, y)[0, 1]) < 4 / np.sqrt(10_000)
    assert state.history.count.sum() == 0


@pytest.mark.parametrize("resampling", [Exponential(), Multinomial()])
def test_long_histories_agree_between_counts_and_rewards(resampling):
    """The kernel for real rewards and the closed form for counts; 0/1 rewards made up in both."""

    @dataclass(frozen=True)
    class Coins(ArtificialHistory):
        def rewards(self, support, shape, rng):
            return rng.integers(0, 2, (*shape, 2)).astype(float)

    rng = np.random.default_rng(4)
    rewards = [[0.0] * 150 + [1.0] * 150, [0.0] * 48 + [1.0] * 52]
    policy, tallies = BootstrappedThompson(resampling, Coins()), []
    for support in (Support.interval(), Support.binary()):
        state = played(policy, Problem(2, support=support), rewards, DRAWS // 20)
        tallies.append(tally(choices(policy, state, rng, 20), 2))
    assert min(tallies[0]) > 0.2 * DRAWS
    assert same_frequencies(*tallies) > 1e-4


@pytest.mark.parametrize("resampling", [Exponential(), Multinomial()])
@pytest.mark.parametrize("support", [Support.binary(), Support.interval()])
def test_learns(resampling, support):
    policy = BootstrappedThompson(resampling)
    assert regret(policy, support=support) < 0.25 * 300 * 1.1 / 3
    masked = regret(policy, support=support, allowed=np.array([True, True, False]))
    assert masked < 0.25 * 300 * 0.3


def test_uniform_rewards_need_ends():
    with pytest.raises(InvalidInput, match="bounded"):
        BootstrappedThompson().start(Problem(2, support=Support.real()))


@pytest.mark.parametrize("count", [0, -1, 1.5])
def test_bad_counts_are_rejected(count):
    with pytest.raises(InvalidInput, match="count"):
        UniformRewards(count)

"""Choices and scores where theory knows their law: Beta, Dirichlet and normal draws."""

from functools import cache

import numpy as np
import pytest
from scipy import integrate, stats

from bandstrap import (
    BetaThompson,
    Bootstrap,
    DirichletThompson,
    GaussianNoise,
    GaussianThompson,
    Problem,
    PseudoRewards,
    PseudoRewardsAt,
    Support,
)
from histories import CATEGORIES, PEAKED, history
from naive import (
    RUNS,
    TIMES,
    P,
    choices,
    goodness,
    homogeneity,
    played,
    scores,
)


@cache
def beta_win_shares(parameters):
    """The probability of each Beta(a, b) to be the largest of them."""
    laws = [stats.beta(a, b) for a, b in parameters]

    def share(i):
        others = [law for j, law in enumerate(laws) if j != i]

        def integrand(x):
            return laws[i].pdf(x) * np.prod([law.cdf(x) for law in others])

        return integrate.quad(integrand, 0, 1, limit=400, points=[0.05, 0.3, 0.5, 0.7, 0.95])[0]

    return np.array([share(i) for i in range(len(laws))])


ONES_AND_ZEROS = [(3, 2), (30, 25), (0, 1), (400, 380)]
BETA_ARMS = [[1.0] * ones + [0.0] * zeros for ones, zeros in ONES_AND_ZEROS]


@pytest.mark.parametrize("prior", [PseudoRewards(1, 1), PseudoRewards(2, 3), PseudoRewards(0.5, 2)])
@pytest.mark.parametrize("policy", [Bootstrap, BetaThompson])
@pytest.mark.parametrize("support", [Support.binary(), Support.interval()])
def test_wb_and_ts_on_zeros_and_ones_choose_by_beta_draws(policy, prior, support):
    policy = policy(prior=prior)
    state = played(policy, Problem(4, support=support), BETA_ARMS, RUNS)
    found = choices(policy, state, np.random.default_rng(3), TIMES)
    shares = beta_win_shares(tuple((a + prior.ones, b + prior.zeros) for a, b in ONES_AND_ZEROS))
    assert abs(shares.sum() - 1) < 1e-6
    assert goodness(found, shares / shares.sum()) > P


@pytest.mark.parametrize("policy", [Bootstrap(), BetaThompson()])
def test_scores_on_zeros_and_ones_are_beta_draws(policy):
    state = played(policy, Problem(4, support=Support.binary()), BETA_ARMS, RUNS)
    drawn = scores(policy, state, np.random.default_rng(4), 50)
    for arm, (ones, zeros) in enumerate(ONES_AND_ZEROS):
        assert stats.kstest(drawn[:, arm], stats.beta(ones + 1, zeros + 1).cdf).pvalue > P


def test_ts_chooses_by_numpy_beta_draws():
    policy, rng = BetaThompson(), np.random.default_rng(8)
    arms = history("bernoulli", "mixed")
    state = played(policy, Problem(6, support=Support.binary()), arms, RUNS)
    ones = np.array([1 + some.sum() for some in arms])
    zeros = np.array([1 + (1 - some).sum() for some in arms])
    twin = rng.beta(ones, zeros, (200_000, 6)).argmax(axis=1)
    found = choices(policy, state, rng, TIMES)
    assert homogeneity(found, np.bincount(twin, minlength=6)) > P


@pytest.mark.parametrize("pseudo", [1.0, 0.5])
@pytest.mark.parametrize("name", ["wb", "ts"])
def test_wb_and_ts_on_categories_are_dirichlet(name, pseudo):
    prior = PseudoRewardsAt(CATEGORIES, (pseudo,) * 4)
    policy = Bootstrap(prior=prior) if name == "wb" else DirichletThompson(pseudo)
    arms = [np.repeat(CATEGORIES, counts) for counts in PEAKED]
    state = played(policy, Problem(5, support=Support.categories(CATEGORIES)), arms, RUNS)
    rng = np.random.default_rng(9)
    shares = [rng.dirichlet(np.array(counts) + pseudo, 200_000) for counts in PEAKED]
    twin = np.stack([some @ np.array(CATEGORIES) for some in shares], axis=1)
    drawn = scores(policy, state, rng, 50)
    for arm in range(5):
        assert stats.ks_2samp(drawn[:, arm], twin[:, arm]).pvalue > P
    found = choices(policy, state, rng, TIMES)
    assert homogeneity(found, np.bincount(twin.argmax(axis=1), minlength=5)) > P


@pytest.mark.parametrize("name", ["wb", "ts"])
@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_additive_noise_is_normal(name, scale):
    rng = np.random.default_rng(10)
    arms = [rng.normal(mean, scale, n) for mean, n in ((0.3, 4), (0.1, 30), (0.0, 1))]
    noise = Bootstrap(GaussianNoise(scale), PseudoRewards(0, 0))
    policy = noise if name == "wb" else GaussianThompson(scale)
    state = played(policy, Problem(3, support=Support.real()), arms, RUNS)
    laws = [stats.norm(some.mean(), scale / np.sqrt(len(some))) for some in arms]
    drawn = scores(policy, state, rng, 100)
    for arm, law in enumerate(laws):
        assert stats.kstest(drawn[:, arm], law.cdf).pvalue > P
    twin = np.stack([law.rvs(200_000, random_state=rng) for law in laws], axis=1).argmax(axis=1)
    found = choices(policy, state, rng, TIMES)
    assert homogeneity(found, np.bincount(twin, minlength=3)) > P

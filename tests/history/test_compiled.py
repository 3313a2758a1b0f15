"""Runs played in compiled code against the same policies asked round by round."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from bandstrap.environments import Bernoulli, Beta, Gaussian, Triangular, TruncatedNormal
from bandstrap.kernels.random.exp import exp
from bandstrap.policies import POLICIES, Bootstrap, ForcedPulls
from bandstrap.resampling import DoubleOrNothing
from bandstrap.simulation.batch import Batch, run_batch

ROUNDS, RUNS = 150, 600


@dataclass(frozen=True)
class Uncompiled:
    """An environment that keeps its law to itself."""

    inner: object
    law = None

    def __getattr__(self, name):
        return getattr(self.inner, name)


def final(policy, environment, label):
    result = run_batch(Batch(policy, environment, ROUNDS, RUNS, 1, "world", label, 0))
    return result.regret[:, -1], result.reward[:, -1]


@pytest.mark.parametrize("name", ["wb", "npb", "npb-binomial", "wb-poisson", "ts", "npb-forced"])
@pytest.mark.parametrize("environment", [Bernoulli(3), Beta(3)])
def test_same_regret_as_round_by_round(name, environment):
    policy = POLICIES[name]()
    assert policy.in_kernels
    assert policy.start(environment.problem, 1).compiled is not None
    fast, _ = final(policy, environment, "fast")
    slow, _ = final(policy, Uncompiled(environment), "slow")
    # The arms are the same, everything else is drawn anew: 600 pairs, 4.5 standard errors.
    paired = fast - slow
    assert abs(paired.mean()) < 4.5 * paired.std() / np.sqrt(RUNS)
    assert stats.ks_2samp(fast, slow).pvalue > 1e-5


def test_accounts_are_those_of_the_arms():
    environment = Beta(means=(0.2, 0.7))
    regret, reward = final(ForcedPulls(ROUNDS // 2), environment, "forced")
    assert regret == pytest.approx(np.full(RUNS, 0.5 * ROUNDS / 2))
    expected, spread = 0.9 * ROUNDS / 2, np.sqrt(ROUNDS / 2 * (0.16 + 0.21) / 2 / RUNS)
    assert abs(reward.mean() - expected) < 5 * spread


def test_a_policy_that_changes_a_step_is_asked_every_round():
    @dataclass(frozen=True)
    class Stubborn(Bootstrap):
        def _select(self, state, contexts, rng, allowed):
            return np.zeros(state.runs, dtype=np.int64)

    regret, _ = final(Stubborn(), Bernoulli(means=(0.2, 0.7)), "stubborn")
    assert regret == pytest.approx(np.full(RUNS, 0.5 * ROUNDS))
    policy = Bootstrap(DoubleOrNothing())
    assert policy.start(Bernoulli(2).problem).compiled is None


LAWS = [
    (Bernoulli(1), lambda m: stats.bernoulli(m)),
    (Gaussian(1, scale=3.0), lambda m: stats.norm(m, 3.0)),
    (TruncatedNormal(1, scale=0.3), lambda m: stats.truncnorm(-m / 0.3, (1 - m) / 0.3, m, 0.3)),
    (Beta(1), lambda m: stats.beta(m, 1 - m)),
    (Triangular(1), lambda m: stats.triang(0.5, m - min(m, 1 - m), 2 * min(m, 1 - m))),
    (Triangular(1, full_span=True), lambda m: stats.triang(m)),
]


@pytest.mark.parametrize(("environment", "law"), LAWS)
@pytest.mark.parametrize("parameter", [0.15, 0.5, 0.8])
def test_rewards_follow_their_law(environment, law, parameter):
    rewards = environment._rewards(np.full(40_000, parameter), np.random.default_rng(3))
    known = law(parameter)
    if environment.support.values:
        assert stats.binomtest(int(rewards.sum()), rewards.size, parameter).pvalue > 1e-4
    else:
        bins = np.searchsorted(known.ppf(np.linspace(0.05, 0.95, 19)), rewards)
        assert stats.chisquare(np.bincount(bins, minlength=20)).pvalue > 1e-4


def test_exp_to_the_last_digits():
    x = np.concatenate([np.linspace(-700, 700, 5001), np.linspace(-1, 1, 2001)])
    assert np.abs(np.array([exp(value) for value in x]) / np.exp(x) - 1).max() < 4e-16
    assert exp(-np.inf) == exp(-1e300) < 1e-300

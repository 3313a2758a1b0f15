"""Distribution tests of bootstrap draws against posteriors, through the policies' own code."""

from dataclasses import dataclass

import numpy as np
from scipy import integrate, stats

from bandstrap.arrays import Array, Rng
from bandstrap.policies import Bootstrap
from bandstrap.priors import PseudoRewards, PseudoRewardsAt
from bandstrap.problem import Problem, Support
from bandstrap.resampling import GaussianNoise

LEVEL = 1e-3  # family-wise: a right implementation fails once in a thousand seeds


@dataclass(frozen=True)
class PValues:
    """The p-values of several tests, each of `draws` draws."""

    values: tuple[float, ...]
    draws: int

    @property
    def passed(self) -> bool:
        return min(self.values) * len(self.values) > LEVEL

    def __str__(self) -> str:
        tests = len(self.values)
        return (
            f"{tests} distribution tests of {self.draws} draws each, smallest p = "
            f"{min(self.values):.3g} (fails below {LEVEL / tests:.1g})"
        )


def binary_draws(ones: int, zeros: int, draws: int, rng: Rng) -> Array:
    """WB's scores of an arm that has paid `ones` and `zeros`, with pseudo-counts (1, 1)."""
    policy = Bootstrap()
    state = policy.start(Problem(1, 0, Support.binary()), draws)
    arm = np.zeros(draws, dtype=np.int64)
    for reward in [1.0] * ones + [0.0] * zeros:
        policy.update(state, None, arm, np.full(draws, reward))
    return policy.scores(state, None, rng)[:, 0]


def beta_tests(draws: int, rng: Rng) -> PValues:
    """Scores against Beta, and choices between two arms against P(Beta > Beta)."""
    values = []
    for ones, zeros in ((0, 0), (1, 0), (2, 7), (30, 12), (400, 90)):
        posterior = stats.beta(ones + 1, zeros + 1)
        values.append(stats.kstest(binary_draws(ones, zeros, draws, rng), posterior.cdf).pvalue)
    for prior in (PseudoRewards(1, 1), PseudoRewards(2, 3), PseudoRewards(0.5, 0.5)):
        for first, second in (((3, 2), (30, 25)), ((0, 4), (1, 1)), ((60, 20), (8, 5))):
            values.append(_choice_test(prior, first, second, draws, rng))
    return PValues(tuple(values), draws)


def _choice_test(
    prior: PseudoRewards, first: tuple[int, int], second: tuple[int, int], draws: int, rng: Rng
) -> float:
    policy = Bootstrap(prior=prior)
    state = policy.start(Problem(2, 0, Support.binary()), draws)
    for arm, (ones, zeros) in enumerate((first, second)):
        for reward in [1.0] * ones + [0.0] * zeros:
            policy.update(state, None, np.full(draws, arm), np.full(draws, reward))
    chosen = int((policy.select(state, None, rng) == 0).sum())
    a, b = (stats.beta(ones + prior.ones, zeros + prior.zeros) for ones, zeros in (first, second))
    share, _ = integrate.quad(lambda x: a.pdf(x) * b.cdf(x), 0, 1, limit=200, points=[0.01, 0.99])
    return float(stats.binomtest(chosen, draws, share).pvalue)


def dirichlet_tests(draws: int, rng: Rng) -> PValues:
    """Means of category values under WB against those under Dirichlet draws, and choices too."""
    values = np.array([0.0, 0.2, 0.7, 1.0])
    problem = Problem(2, 0, Support.categories(tuple(values)))
    pvalues = []
    for pseudo in ((1.0, 1.0, 1.0, 1.0), (0.5, 2.0, 0.5, 1.0)):
        policy = Bootstrap(prior=PseudoRewardsAt(tuple(values), pseudo))
        for counts in (((3, 1, 0, 2), (5, 5, 5, 8)), ((40, 3, 9, 60), (0, 1, 2, 1))):
            state = policy.start(problem, draws)
            for arm, some in enumerate(counts):
                for reward in np.repeat(values, some):
                    policy.update(state, None, np.full(draws, arm), np.full(draws, reward))
            shares = [rng.dirichlet(np.array(some) + pseudo, draws) @ values for some in counts]
            scores = policy.scores(state, None, rng)
            pvalues += [stats.ks_2samp(scores[:, i], shares[i]).pvalue for i in range(2)]
            wins = [int((policy.select(state, None, rng) == 0).sum())]
            wins.append(int((shares[0] > shares[1]).sum()))
            table = [[won, draws - won] for won in wins]
            pvalues.append(stats.fisher_exact(table).pvalue)
    return PValues(tuple(pvalues), draws)


def additive_tests(draws: int, rng: Rng) -> PValues:
    """Additive noise against N(θ̂, (XᵀX)⁻¹), for an arm's mean and for a linear model."""
    pvalues = []
    policy = Bootstrap(GaussianNoise(), PseudoRewards(0, 0))
    for n in (1, 7, 200):
        rewards = rng.standard_normal(n) + 0.3
        state = policy.start(Problem(1, 0, Support.real()), draws)
        for reward in rewards:
            policy.update(state, None, np.zeros(draws, dtype=np.int64), np.full(draws, reward))
        posterior = stats.norm(rewards.mean(), 1 / np.sqrt(n))
        pvalues.append(stats.kstest(policy.scores(state, None, rng)[:, 0], posterior.cdf).pvalue)
    features = rng.standard_normal((60, 4)) * [1.0, 0.1, 3.0, 1.0]
    targets = features @ [1.0, -2.0, 0.5, 0.0] + rng.standard_normal(60)
    noise = GaussianNoise().weights((draws, 60), rng)
    fits = np.linalg.lstsq(features, (targets + noise).T)[0].T
    precision = features.T @ features
    away = fits - np.linalg.solve(precision, features.T @ targets)
    distance = np.einsum("ij,jk,ik->i", away, precision, away)
    pvalues.append(stats.kstest(distance, stats.chi2(4).cdf).pvalue)
    spread = np.sqrt(np.diag(np.linalg.inv(precision)))
    pvalues += [stats.kstest(away[:, j] / spread[j], "norm").pvalue for j in range(4)]
    return PValues(tuple(pvalues), draws)

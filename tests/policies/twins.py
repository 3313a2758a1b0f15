"""Slow and literal twins of the policies, and what the tests of policies share."""

from math import ceil

import numpy as np
from scipy import stats

from bandstrap import Problem


def played(policy, problem, rewards_of_arms, runs, seed=0):
    """A state in which every run has seen the same rewards, a list of them for each arm."""
    state = policy.start(problem, runs)
    rng = np.random.default_rng(seed)
    for arm, rewards in enumerate(rewards_of_arms):
        for reward in rewards:
            policy.update(state, None, np.full(runs, arm), np.full(runs, reward), rng)
    return state


def tally(arms, n_arms):
    return np.bincount(arms, minlength=n_arms)


def same_frequencies(counts, twin_counts):
    """The p-value of the chi-square test that two samples of categories have one law."""
    table = np.array([counts, twin_counts])
    return stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue


def fits(counts, probabilities):
    """The p-value of the chi-square test of counts against probabilities, rare ones together."""
    counts, expected = np.asarray(counts, float), np.asarray(probabilities) * np.sum(counts)
    rare = expected < 5
    assert counts[expected == 0].sum() == 0
    counts = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    keep = expected > 0
    if keep.sum() < 2:
        return 1.0
    return stats.chisquare(counts[keep], expected[keep], sum_check=False).pvalue


def regret(policy, means=(0.2, 0.8, 0.3), rounds=300, runs=200, seed=0, support=None, allowed=None):
    """Mean regret of a Bernoulli problem, and the arms pulled in the last round."""
    problem = Problem(len(means), support=support) if support else Problem(len(means))
    rng = np.random.default_rng(seed)
    means = np.array(means)
    state, total = policy.start(problem, runs), 0.0
    for _ in range(rounds):
        arms = policy.select(state, None, rng, allowed)
        assert allowed is None or allowed[arms].all()
        rewards = (rng.random(runs) < means[arms]).astype(float)
        policy.update(state, None, arms, rewards, rng)
        total += (means.max() - means[arms]).mean()
    return total


def besa(rewards_of_arms, rng):
    """One decision of BESA, by recursion on halves of the shuffled arms."""

    def duel(a, b):
        x, y = rewards_of_arms[a], rewards_of_arms[b]
        n = min(len(x), len(y))
        if n > 0:
            mean_x = np.mean(rng.choice(x, n, replace=False))
            mean_y = np.mean(rng.choice(y, n, replace=False))
            if abs(mean_x - mean_y) > 1e-12:
                return a if mean_x > mean_y else b
        if len(x) != len(y):
            return a if len(x) < len(y) else b
        return a if rng.random() < 0.5 else b

    def knockout(arms):
        if len(arms) == 1:
            return arms[0]
        half = len(arms) // 2
        return duel(knockout(arms[:half]), knockout(arms[half:]))

    return knockout(list(rng.permutation(len(rewards_of_arms))))


def giro_draws(rewards, a, low, high, draws, rng):
    """Means of bootstrap samples of the literal list."""
    garbage = ceil(round(a * len(rewards), 6))
    history = np.array([*rewards, *[low] * garbage, *[high] * garbage])
    return rng.choice(history, (draws, history.size)).mean(axis=1)


def union_draws(rewards, make_up, weigh, draws, rng):
    """Weighted means of rewards and made-up rewards, one list at a time."""
    means = np.empty(draws)
    for i in range(draws):
        union = np.concatenate([rewards, make_up(rng)])
        weights = weigh(union.size, rng)
        while weights.sum() == 0:
            weights = weigh(union.size, rng)
        means[i] = weights @ union / weights.sum()
    return means

"""Slow and literal twins of the policies, and what the tests of policies share."""

from functools import cache
from itertools import combinations, permutations, product
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


def choices(policy, state, rng, times, allowed=None):
    """The arms of many decisions from one state."""
    return np.concatenate([policy.select(state, None, rng, allowed) for _ in range(times)])


def draws(policy, state, rng, times):
    """The scores of many decisions from one state."""
    return np.concatenate([policy.scores(state, None, rng) for _ in range(times)])


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


def besa(rewards_of_arms):
    """The exact probability of each arm to win: all sub-samples, all orders of the tournament."""
    n_arms = len(rewards_of_arms)

    @cache
    def duel(a, b):
        """The probability that a beats b."""
        x, y = rewards_of_arms[a], rewards_of_arms[b]
        if len(x) < len(y):
            return 1 - duel(b, a)
        if len(x) == len(y):
            return 0.5 + 0.5 * np.sign(round(sum(x) - sum(y), 9))
        samples = [round(sum(sample) - sum(y), 9) for sample in combinations(x, len(y))]
        return np.mean([excess > 0 for excess in samples])

    def knockout(arms):
        if len(arms) == 1:
            return {arms[0]: 1.0}
        half = len(arms) // 2
        left, right = knockout(arms[:half]), knockout(arms[half:])
        wins = dict.fromkeys(arms, 0.0)
        for (a, p), (b, q) in product(left.items(), right.items()):
            wins[a] += p * q * duel(a, b)
            wins[b] += p * q * (1 - duel(a, b))
        return wins

    orders = [knockout(order) for order in permutations(range(n_arms))]
    return np.array([np.mean([wins[arm] for wins in orders]) for arm in range(n_arms)])


def giro_draws(rewards, a, low, high, size, rng):
    """Means of bootstrap samples of the literal list."""
    garbage = ceil(round(a * len(rewards), 6))
    history = np.array([*rewards, *[low] * garbage, *[high] * garbage])
    return rng.choice(history, (size, history.size)).mean(axis=1)


def union_draws(rewards, make_up, weigh, size, rng):
    """Weighted means of rewards and made-up rewards, a list in each row."""
    union = np.hstack([np.tile(rewards, (size, 1)), make_up(size, rng)])
    weights = np.asarray(weigh(*union.shape, rng), float)
    while (empty := np.flatnonzero(weights.sum(axis=1) == 0)).size:
        weights[empty] = weigh(empty.size, union.shape[1], rng)
    return (weights * union).sum(axis=1) / weights.sum(axis=1)

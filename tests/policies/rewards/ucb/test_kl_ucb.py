from math import log

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import rel_entr

from bandstrap import KLUCB, UCB1, InvalidInput, Problem, Support
from bandstrap.kernels.kl_ucb import kl_scores
from twins import played, regret


def divergence(p, q):
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def root(p, level):
    """The largest q by bracketing alone."""
    if p == 1 or divergence(p, 1 - 1e-16) <= level:
        return 1.0
    return brentq(lambda q: divergence(p, q) - level, p, 1 - 1e-16, xtol=1e-15, rtol=1e-14)


def indices(counts, means, budget):
    scores = np.empty((1, len(means)))
    kl_scores(np.array([counts], float), np.array([means], float), 0.0, 1.0, budget, scores)
    return scores[0]


MEANS = (0.0, 1e-18, 1e-12, 1e-6, 0.01, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9, 1.0)


@pytest.mark.parametrize("level", [1e-4, 1e-3, 0.1, 1.0, 5.0, 30.0, 500.0])
def test_index_agrees_with_brent(level):
    found = indices(np.ones(len(MEANS)), MEANS, level)
    assert np.abs(found - [root(p, level) for p in MEANS]).max() < 1e-9


def test_index_is_accurate_where_the_divergence_is_tiny():
    """There brentq loses digits; kl(p, p + d) = d² / 2pq - (q - p) d³ / 6(pq)² + O(d⁴) does not."""
    p, level = 0.3, 1e-12
    d = np.sqrt(2 * level * p * (1 - p))
    d += (1 - 2 * p) * d**2 / (6 * p * (1 - p))
    assert abs(indices([1.0], [p], level)[0] - p - d) < 1e-15 + 1e-5 * d


def test_random_means_and_levels_agree_with_brent():
    rng = np.random.default_rng(0)
    means, counts = rng.random(2000), rng.integers(1, 1000, 2000)
    found = indices(counts, means, log(5000))
    expected = [root(p, log(5000) / n) for p, n in zip(means, counts, strict=True)]
    assert np.abs(found - expected).max() < 1e-9


def test_budget_and_rescaling_are_the_published_ones():
    policy, problem = KLUCB(c=3.0), Problem(2, support=Support.interval(-1, 3))
    state = played(policy, problem, [[1.0, 2.0, 3.0], [0.0]], runs=1)
    budget = log(4) + 3 * log(log(4))
    expected = [-1 + 4 * root(0.75, budget / 3), -1 + 4 * root(0.25, budget)]
    scores = policy.scores(state, None, np.random.default_rng(0))
    np.testing.assert_allclose(scores[0], expected, atol=1e-9)


def test_log_log_of_few_rounds_is_no_trouble():
    policy = KLUCB(c=3.0)
    for rewards in ([[], []], [[0.0], []], [[0.0], [1.0]]):
        state = played(policy, Problem(2), rewards, runs=1)
        scores = policy.scores(state, None, np.random.default_rng(0))
        assert not np.isnan(scores).any()
        assert ((scores == np.inf) == [[not r for r in rewards]]).all()


def test_learns_better_than_ucb1():
    assert regret(KLUCB()) < 0.5 * regret(UCB1())
    assert regret(KLUCB(), allowed=np.array([True, True, False])) < 0.3 * 300 * 0.3


def test_needs_bounded_rewards():
    with pytest.raises(InvalidInput, match="bounded"):
        KLUCB().start(Problem(2, support=Support.real()))


@pytest.mark.parametrize("c", [-1.0, np.nan])
def test_bad_factors_are_rejected(c):
    with pytest.raises(InvalidInput, match="c ="):
        KLUCB(c)

import numpy as np
import pytest
from scipy import stats

from bandstrap import InvalidInput, PerturbedHistory, Problem, Support
from twins import fits, played, regret, tally

RUNS = 100_000


@pytest.mark.parametrize(
    ("a", "n", "flips"), [(1.1, 50, 55), (1.1, 9, 10), (2.0, 6, 12), (0.5, 3, 2)]
)
def test_draws_have_the_published_law(a, n, flips):
    """1.1 * 50 is 55.00000000000001 in floating point and must not become 56 flips."""
    policy, problem = PerturbedHistory(a), Problem(2, support=Support.interval(-1, 3))
    rewards = np.linspace(0, 2, n)
    state = played(policy, problem, [rewards, [0.0]], RUNS)
    scores = policy.scores(state, None, np.random.default_rng(1))[:, 0]
    shares = (scores + 1) / 4 * (a + 1) * n - ((rewards + 1) / 4).sum()
    np.testing.assert_allclose(shares, shares.round(), atol=1e-9)
    counts = tally(shares.round().astype(int), flips + 1)
    assert fits(counts, stats.binom(flips, 0.5).pmf(np.arange(counts.size))) > 1e-4


def test_arms_and_runs_are_perturbed_independently():
    policy = PerturbedHistory()
    state = played(policy, Problem(2), [[0.5] * 20, [0.5] * 20], 40_000)
    scores = policy.scores(state, None, np.random.default_rng(2))
    assert abs(np.corrcoef(scores.T)[0, 1]) < 4 / np.sqrt(40_000)
    assert abs(np.corrcoef(scores[1:, 0], scores[:-1, 0])[0, 1]) < 4 / np.sqrt(40_000)


def test_unseen_arms_come_first():
    policy = PerturbedHistory()
    state = played(policy, Problem(3), [[1.0], [], []], 20_000)
    arms = policy.select(state, None, np.random.default_rng(3))
    assert fits(tally(arms, 3), [0, 0.5, 0.5]) > 1e-4


def test_learns():
    assert regret(PerturbedHistory()) < 0.3 * 300 * 1.1 / 3
    assert regret(PerturbedHistory(), allowed=np.array([True, True, False])) < 0.3 * 300 * 0.3


def test_needs_bounded_rewards():
    with pytest.raises(InvalidInput, match="bounded"):
        PerturbedHistory().start(Problem(2, support=Support.real()))


@pytest.mark.parametrize("a", [0.0, -1.0, np.nan])
def test_bad_scales_are_rejected(a):
    with pytest.raises(InvalidInput, match="a ="):
        PerturbedHistory(a)

import numpy as np
import pytest
from scipy import stats

from bandstrap import BESA, Problem, Support
from bandstrap.kernels.lazy.subsample import hypergeometric
from bandstrap.seeding import kernel_stream
from twins import besa, choices, draws, fits, played, regret, same_frequencies, tally

DRAWS = 200_000
BINARY = [[1, 0, 1, 1, 0, 1], [1, 0, 1], [1, 1, 0, 0, 1, 0, 0, 1, 1], [0, 1], [1, 0, 1, 1, 0, 0, 1]]
CATEGORIES = [[0.0, 2.0, 5.0, 2.0], [5.0, 0.0], [2.0, 2.0, 0.0, 5.0, 5.0, 0.0, 2.0]]
REAL = [[0.3, 0.9, 0.1, 0.55, 0.7], [0.5, 0.45], [0.2, 0.8, 0.65, 0.4, 0.33, 0.71, 0.5], [0.6, 0.4]]


@pytest.mark.parametrize(
    ("support", "rewards"),
    [
        (Support.binary(), BINARY[:2]),
        (Support.binary(), BINARY),
        (Support.categories((0.0, 2.0, 5.0)), CATEGORIES),
        (Support.interval(), REAL[:2]),
        (Support.interval(), REAL),
        (Support.real(), REAL),
        (Support.interval(), BINARY),  # many equal rewards, many ties
    ],
)
def test_choices_have_the_frequencies_of_a_literal_tournament(support, rewards):
    n_arms = len(rewards)
    policy = BESA()
    state = played(policy, Problem(n_arms, support=support), rewards, DRAWS // 100)
    rng = np.random.default_rng(1)
    chosen = choices(policy, state, rng, 100)
    assert fits(tally(chosen, n_arms), besa(rewards)) > 1e-4


def test_long_histories_are_sub_sampled_alike_by_counts_and_by_rewards():
    rng = np.random.default_rng(2)
    rewards = [(rng.random(400) < 0.5).astype(float), (rng.random(90) < 0.55).astype(float)]
    tallies = []
    for support in (Support.binary(), Support.interval()):
        state = played(BESA(), Problem(2, support=support), rewards, DRAWS // 100)
        tallies.append(tally(choices(BESA(), state, rng, 100), 2))
    hits, n = int(rewards[0].sum()), 400
    target = int(rewards[1].sum())
    # The arm pulled less often wins ties: arm 0 needs more hits among 90 than arm 1 has.
    win = stats.hypergeom(n, hits, 90).sf(target)
    assert 0.05 < win < 0.95
    for counts in tallies:
        assert fits(counts, [win, 1 - win]) > 1e-4


@pytest.mark.parametrize(("good", "bad", "draws"), [(3, 4, 5), (700, 300, 400), (2, 900, 60)])
def test_hypergeometric_draws(good, bad, draws):
    stream = kernel_stream(np.random.default_rng(3))
    counts = np.bincount([hypergeometric(stream, good, bad, draws) for _ in range(DRAWS)])
    law = stats.hypergeom(good + bad, good, draws).pmf(np.arange(counts.size))
    assert abs(law.sum() - 1) < 1e-3
    assert fits(counts, law) > 1e-4


def test_ties_go_to_the_arm_pulled_less_often_then_to_either():
    policy, rng = BESA(), np.random.default_rng(4)
    state = played(policy, Problem(2), [[0.5, 0.5, 0.5], [0.5]], 1000)
    assert (policy.select(state, None, rng) == 1).all()
    state = played(policy, Problem(2), [[0.5], [0.5]], 200)
    assert fits(tally(choices(policy, state, rng, 100), 2), [0.5, 0.5]) > 1e-4


def test_unseen_arms_come_first_at_random():
    policy = BESA()
    state = played(policy, Problem(4), [[1.0], [], [1.0], []], 200)
    arms = choices(policy, state, np.random.default_rng(5), 100)
    assert fits(tally(arms, 4), [0, 0.5, 0, 0.5]) > 1e-4


@pytest.mark.parametrize("n_arms", [1, 2, 3, 5, 6, 8, 11])
def test_scores_decide_as_select_does_and_every_size_has_a_winner(n_arms):
    rng = np.random.default_rng(6)
    rewards = [rng.integers(0, 2, rng.integers(1, 8)).tolist() for _ in range(n_arms)]
    policy = BESA()
    state = played(policy, Problem(n_arms), rewards, 400)
    scores = draws(policy, state, rng, 100)
    assert (np.floor(scores).sum(axis=1) == n_arms - 1).all()  # a duel eliminates one arm
    best = tally(scores.argmax(axis=1), n_arms)
    assert same_frequencies(best, tally(choices(policy, state, rng, 100), n_arms)) > 1e-4


def test_only_allowed_arms_play():
    policy = BESA()
    state = played(policy, Problem(5, support=Support.binary()), BINARY, DRAWS // 100)
    rng = np.random.default_rng(7)
    allowed = np.array([True, False, True, False, True])
    chosen = tally(choices(policy, state, rng, 100, allowed), 5)
    assert chosen[[1, 3]].sum() == 0
    assert fits(chosen[[0, 2, 4]], besa([BINARY[i] for i in (0, 2, 4)])) > 1e-4


@pytest.mark.parametrize("support", [Support.binary(), Support.interval()])
def test_learns(support):
    assert regret(BESA(), support=support) < 0.25 * 300 * 1.1 / 3

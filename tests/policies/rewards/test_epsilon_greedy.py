import numpy as np
import pytest

from bandstrap import Constant, Decay, EpsilonGreedy, InvalidInput, Problem
from twins import fits, played, regret, tally

RUNS = 60_000


def test_decay_is_the_papers_schedule_from_round_one():
    assert Decay(50)(1) == 50 / 51
    assert Decay()(950) == 0.05


def test_first_decision_is_round_one_and_each_update_counts():
    seen = []

    def schedule(t):
        seen.append(t)
        return 0.5

    policy = EpsilonGreedy(schedule)
    state, rng = policy.start(Problem(2), 3), np.random.default_rng(0)
    for _ in range(3):
        policy.select(state, None, rng)
        policy.update(state, None, np.array([0, 1, 1]), np.zeros(3))
    assert seen == [1, 2, 3]


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_explores_uniformly_among_allowed_arms_with_probability_epsilon(epsilon):
    policy = EpsilonGreedy(Constant(epsilon))
    state = played(policy, Problem(4), [[0.1], [0.9], [0.5], [0.2]], RUNS)
    allowed = np.array([True, False, True, True])
    arms = policy.select(state, None, np.random.default_rng(1), allowed)
    third = epsilon / 3
    assert fits(tally(arms, 4), [third, 0, 1 - epsilon + third, third]) > 1e-4


def test_exploration_frequency_follows_the_schedule():
    policy = EpsilonGreedy(Decay(4))
    state = played(policy, Problem(2), [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]], RUNS)  # t = 8
    arms = policy.select(state, None, np.random.default_rng(2))
    assert fits(tally(arms, 2), [1 / 6, 5 / 6]) > 1e-4


def test_scores_decide_as_select_does():
    policy = EpsilonGreedy(Constant(0.4))
    state = played(policy, Problem(3), [[0.1], [0.9], [0.5]], RUNS)
    best = policy.scores(state, None, np.random.default_rng(3)).argmax(axis=1)
    assert fits(tally(best, 3), [0.4 / 3, 0.6 + 0.4 / 3, 0.4 / 3]) > 1e-4


def test_unseen_arms_come_first_and_ties_are_broken_uniformly():
    policy = EpsilonGreedy(Constant(0))
    state = played(policy, Problem(3), [[1.0], [], []], RUNS)
    arms = policy.select(state, None, np.random.default_rng(4))
    assert fits(tally(arms, 3), [0, 0.5, 0.5]) > 1e-4


def test_learns():
    assert regret(EpsilonGreedy(Decay(5))) < 0.25 * regret(EpsilonGreedy(Constant(1)))


@pytest.mark.parametrize(
    "wrong", [lambda: Constant(1.1), lambda: Constant(-0.1), lambda: Decay(-1)]
)
def test_impossible_schedules_are_rejected(wrong):
    with pytest.raises(InvalidInput):
        wrong()


def test_a_number_is_no_schedule():
    with pytest.raises(InvalidInput, match=r"Constant\(epsilon\)"):
        EpsilonGreedy(0.1)


def test_a_schedule_that_leaves_the_unit_interval_is_reported():
    policy = EpsilonGreedy(lambda t: 2.0)
    with pytest.raises(InvalidInput, match="probability"):
        policy.select(policy.start(Problem(2)), None, np.random.default_rng(0))

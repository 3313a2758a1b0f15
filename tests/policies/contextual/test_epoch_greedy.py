"""Epoch-greedy: which rounds are random, that only those are learnt, and what it earns."""

from dataclasses import dataclass
from math import floor, sqrt

import numpy as np
import pytest
from scipy.special import expit

from bandstrap import (
    ConstantEpochs,
    EpochGreedy,
    GrowingEpochs,
    InvalidInput,
    LinearRegression,
    LogisticRegression,
    Problem,
    Support,
)
from bandstrap.policies.contextual.epoch_greedy import Epochs
from bandstrap.storage.packing import pack
from earning import earned_by

EVERY = np.ones((1, 3), dtype=bool)
CONTEXTS = np.random.default_rng(3).standard_normal((120, 1, 2))


def random_rounds(policy, rounds, n_arms=3):
    """Which rounds are random, as the probabilities say before each of them."""
    state, rng = policy.start(Problem(n_arms, 2, Support.binary())), np.random.default_rng(0)
    every, found = np.ones((1, n_arms), dtype=bool), []
    for x in CONTEXTS[:rounds]:
        shares = policy.probabilities(state, x, every)
        found.append(bool(np.allclose(shares, 1 / n_arms)))
        arms = policy.select(state, x, rng)
        policy.update(state, x, arms, (rng.random(1) < 0.2 + 0.3 * arms) * 1.0, rng)
    return found, state


@pytest.mark.parametrize("n_arms", [2, 3])
@pytest.mark.parametrize("scale", [0.6, 2.5])
def test_epochs_grow_with_the_root_of_the_samples(scale, n_arms):
    expected = []
    for samples in range(1, 121):
        expected += [True] + [False] * floor(scale * sqrt(samples / n_arms))
    found, state = random_rounds(EpochGreedy(LinearRegression(), GrowingEpochs(scale)), 120, n_arms)
    assert found == expected[:120]
    assert state.samples == sum(found)
    assert state.rounds == 120


def test_of_t_rounds_about_t_to_two_thirds_are_random():
    epochs, samples, rounds = GrowingEpochs(2.0), 0, 0
    while rounds < 10**6:
        samples += 1
        rounds += 1 + epochs.length(samples, n_arms=4)
    # Σ (1 + 2 √(n / 4)) = n + ⅔ n^1.5, give or take the half that rounding down takes off.
    assert samples == pytest.approx((1.5 * 10**6) ** (2 / 3), rel=0.01)


def test_a_constant_schedule_and_none_at_all():
    found, _ = random_rounds(EpochGreedy(LinearRegression(), ConstantEpochs(3)), 40)
    assert found == [turn % 4 == 0 for turn in range(40)]
    found, _ = random_rounds(EpochGreedy(LinearRegression(), ConstantEpochs(0)), 10)
    assert all(found)


def test_only_random_rounds_are_learnt():
    policy, rng = EpochGreedy(LogisticRegression(), ConstantEpochs(2)), np.random.default_rng(1)
    state = policy.start(Problem(3, 2, Support.binary()))
    expected = [([], []), ([], []), ([], [])]
    for turn, x in enumerate(CONTEXTS):
        arms = policy.select(state, x, rng)
        rewards = (rng.random(1) < expit(x[0, 0] * (arms - 1.0))) * 1.0
        policy.update(state, x, arms, rewards, rng)
        if turn % 3 == 0:
            contexts, paid = expected[arms[0]]
            contexts.append(x[0])
            paid.append(rewards[0])
    for arm, (contexts, paid) in zip(state.learners[0].arms, expected, strict=True):
        assert len(paid) > 5
        np.testing.assert_array_equal(arm.examples.rows.contexts, contexts)
        np.testing.assert_array_equal(arm.examples.rows.rewards, paid)


def test_a_greedy_round_is_the_models_choice_and_a_random_one_any_allowed_arm():
    policy, rng = EpochGreedy(LinearRegression(), ConstantEpochs(1)), np.random.default_rng(0)
    state, x = policy.start(Problem(3, 2)), np.ones((1, 2))
    some = np.array([[True, False, True]])
    assert policy.probabilities(state, x, some).tolist() == [0.5, 0.0, 0.5]
    draws = [policy.decide(state, x, rng, some) for _ in range(400)]
    assert {draw.arm for draw in draws} == {0, 2}
    assert abs(np.mean([draw.arm == 0 for draw in draws]) - 0.5) < 5 * 0.025
    for arm, reward in ((0, 0.2), (0, 0.5), (1, 0.9), (1, 0.5), (2, 0.3)):
        policy.update(state, x, np.array([arm]), np.array([reward]))
    assert policy.probabilities(state, x, EVERY).tolist() == [0.0, 1.0, 0.0]
    assert {policy.decide(state, x, rng, None).arm for _ in range(20)} == {1}


def test_rewards_of_greedy_rounds_are_checked_all_the_same():
    policy = EpochGreedy(LinearRegression(), ConstantEpochs(5))
    state, x = policy.start(Problem(2, 2, Support.real())), np.ones((1, 2))
    policy.update(state, x, np.array([0]), np.ones(1))
    before = pack(state).text
    with pytest.raises(InvalidInput, match=r"rewards = 1e\+160: numbers may be at most"):
        policy.update(state, x, np.array([0]), np.array([1e160]))
    assert pack(state).text == before
    policy.update(state, x, np.array([0]), np.ones(1))
    assert (state.rounds, state.samples, state.left) == (2, 1, 4)


@dataclass(frozen=True)
class Odd(Epochs):
    """Returns what no epoch has."""

    value: object

    def length(self, samples, n_arms):
        return self.value


@pytest.mark.parametrize("value", [-1, 2.5, None, 2**63])
def test_an_epoch_without_a_length_is_refused_before_anything_is_learnt(value):
    policy = EpochGreedy(LinearRegression(), Odd(value))
    state = policy.start(Problem(2, 2))
    before = pack(state).text
    with pytest.raises(InvalidInput, match=r"epochs = .*a whole number"):
        policy.update(state, np.ones((1, 2)), np.array([0]), np.ones(1))
    assert pack(state).text == before


@pytest.mark.parametrize("make", [lambda: ConstantEpochs(-1), lambda: GrowingEpochs(0.0)])
def test_bad_parameters_are_named(make):
    with pytest.raises(InvalidInput, match=r"rounds = -1|scale = 0\.0"):
        make()


def test_it_earns_much_more_than_random_choices_do():
    policy = EpochGreedy(LogisticRegression(), GrowingEpochs(2.0))
    assert earned_by(policy, runs=20) > 0.77  # 4,000 rewards: a standard error is below 0.008

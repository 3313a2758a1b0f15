"""FALCON: epochs that double, a model that stays between their ends, and what it earns."""

import numpy as np
import pytest

from bandstrap import (
    FALCON,
    Gamma,
    LinearRegression,
    LogisticRegression,
    Problem,
    RecursiveLinear,
    SharedNetwork,
    SquareCB,
    Support,
)
from bandstrap.policies.base import discount
from earning import earned_by

EVERY = np.ones((1, 3), dtype=bool)
X = np.array([[0.3, -0.4]])


def rounds(count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        x, arm = rng.standard_normal((1, 2)), rng.integers(3, size=1)
        yield x, arm, (x[:, 0] * (arm - 1) > 0) * 1.0


def test_probabilities_change_when_rewards_have_doubled_and_only_then():
    policy, problem = FALCON(LinearRegression()), Problem(3, 2)
    state, before, changed = policy.start(problem), None, []
    for t, (x, arm, reward) in enumerate(rounds(70), start=1):
        policy.update(state, x, arm, reward)
        now = policy.probabilities(state, X, EVERY).tolist()
        if now != before:
            changed.append(t)
        before = now
    assert {8, 16, 32, 64} <= {*changed} <= {1, 2, 4, 8, 16, 32, 64}


def test_at_the_end_of_an_epoch_it_is_squarecb_on_all_rewards():
    one, other = (kind(RecursiveLinear(), Gamma(2.0)) for kind in (FALCON, SquareCB))
    states = [policy.start(Problem(3, 2)) for policy in (one, other)]
    for x, arm, reward in rounds(64):
        for policy, state in zip((one, other), states, strict=True):
            policy.update(state, x, arm, reward)
    found = [p.probabilities(s, X, EVERY) for p, s in zip((one, other), states, strict=True)]
    assert found[0] == pytest.approx(found[1], abs=1e-9)
    assert states[0].learners[0].waiting == 0.0


def test_what_waits_is_forgotten_and_changes_arms_with_the_rest():
    policy, problem = FALCON(RecursiveLinear()), Problem(3, 2)
    state = policy.start(problem)
    for x, arm, reward in rounds(50):
        policy.update(state, x, arm, reward)
    learner = state.learners[0]
    assert (learner.rounds, learner.waiting) == (32.0, 18.0)
    discount(policy, state, 0.5)
    assert (learner.rounds, learner.waiting) == (16.0, 9.0)
    waiting = [rows.count for rows in learner.rows]
    policy.remap_arms(state, Problem(2, 2), [2, None])
    assert [rows.count for rows in learner.rows] == [waiting[2], 0]
    assert learner.waiting == pytest.approx(0.5 * waiting[2])
    discount(policy, state, 0.0)
    assert learner.waiting == learner.rounds == sum(rows.count for rows in learner.rows) == 0


def test_weights_end_epochs_too():
    policy = FALCON(RecursiveLinear())
    state, weight = policy.start(Problem(3, 2)), np.array([0.1])
    for t, (x, arm, reward) in enumerate(rounds(64), start=1):
        policy.update(state, x, arm, reward, weights=weight)
        learner = state.learners[0]
        assert (learner.waiting == 0) == (t in (1, 2, 4, 8, 16, 32, 64))
    assert learner.rounds == pytest.approx(6.4)


def test_a_network_takes_its_steps_at_the_decisions_that_follow():
    policy, rng = FALCON(SharedNetwork(hidden=8)), np.random.default_rng(0)
    state = policy.start(Problem(3, 2, Support.binary()))
    for x, arm, reward in rounds(32):
        policy.update(state, x, arm, reward)
    network = state.learners[0].learner
    assert network.owed == 33
    policy.select(state, X, rng)
    assert network.owed == 32


def test_it_earns():
    assert earned_by(FALCON(LogisticRegression()), runs=5) > 0.75

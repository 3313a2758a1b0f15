"""Heads on a shared network keep the prior that they started from, and no arm is given up."""

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    ContextualBootstrap,
    ContextualEpsilonGreedy,
    Exponential,
    NetworkHeads,
    NoExamples,
    NoResampling,
    Problem,
    SharedNetwork,
    Support,
)
from bandstrap.kernels.network import pull_back
from bandstrap.models.network.heads import ManyHeads

SMALL = SharedNetwork(hidden=8, examples=16)
HEADS = NetworkHeads(SMALL, heads=6)
ENSEMBLE = ContextualBootstrap(NoResampling(), HEADS, NoExamples())
X = np.array([0.5, -1.0])


def learner_of(policy, n_arms=2):
    return policy.start(Problem(n_arms, 2, Support.binary())).learners[0]


def taught(learner, steps, zeros=3, seed=0):
    """Arm 1 has a few rewards, all 0; the network takes many steps on them."""
    rng = np.random.default_rng(seed)
    for i in range(30):
        learner.learn(rng.standard_normal(2), 0, float(i % 2), rng)
    for _ in range(zeros):
        learner.learn(rng.standard_normal(2), 1, 0.0, rng)
    learner.owed = steps
    for _ in range(steps):
        learner.margins(X, rng)
    return learner


def hopes(learner):
    """What the heads expect of arm 1."""
    return learner._outputs(learner.network, learner.optimiser, X)[:, 1]


def test_an_arm_is_not_given_up_by_going_through_three_rewards_again_and_again(monkeypatch):
    kept = hopes(taught(learner_of(ENSEMBLE), 4000))
    assert 0.1 < np.median(kept) < 0.4
    assert kept.max() > 0.35
    assert hopes(taught(learner_of(ENSEMBLE), 4000, zeros=200)).max() < 0.01  # that says enough
    monkeypatch.setattr(ManyHeads, "anchored", property(lambda self: False))
    free = taught(learner_of(ENSEMBLE), 4000)
    assert free.starts is None
    assert np.median(hopes(free)) < 0.02


def test_without_rewards_of_an_arm_its_outputs_stay():
    learner, rng = learner_of(ENSEMBLE, 3), np.random.default_rng(0)
    for i in range(40):
        learner.learn(rng.standard_normal(2), i % 2, float(i % 3 == 0), rng)
        learner.margins(X, rng)
    weights, _ = learner.network.matrices(learner.network.flat)[-1]
    start = learner.starts[: weights.size].reshape(weights.shape)
    third = np.arange(weights.shape[1]) % 3 == 2
    assert np.array_equal(weights[:, third], start[:, third])
    assert not np.array_equal(weights[:, ~third], start[:, ~third])


def test_the_slope_is_that_of_a_normal_prior():
    rng = np.random.default_rng(0)
    gradient, here, start = rng.standard_normal((3, 50)).astype(np.float32)
    found = gradient.copy()
    pull_back(found, here, start, np.float32(0.3))
    assert found == pytest.approx(gradient + np.float32(0.3) * (here - start), rel=1e-5, abs=1e-6)


def test_one_head_has_no_prior():
    learner = learner_of(ContextualEpsilonGreedy(SMALL))
    learner.learn(X, 0, 1.0, None)
    learner.margins(X, np.random.default_rng(0))
    assert learner.network is not None
    assert learner.starts is None


def test_starts_come_and_go_with_arms():
    policy = ContextualBootstrap(Exponential(), HEADS, NoExamples())
    learner, rng = learner_of(policy, 3), np.random.default_rng(0)
    for i in range(30):
        learner.learn(rng.standard_normal(2), i % 3, float(i % 2), rng)
        learner.margins(X, rng)
    before = learner.starts.reshape(9, 6, 3)
    learner.remap_arms(learner_of(policy, 2), [2, None])
    learner.margins(X, rng)
    after = learner.starts.reshape(9, 6, 2)
    assert np.array_equal(after[..., 0], before[..., 2])
    assert (after[:8, :, 1] != 0).all()  # started at random
    assert (after[8, :, 1] == 0).all()
    learner.discount(0.0)
    assert learner.starts is None


def test_files_of_earlier_versions_go_on_without(tmp_path):
    bandit = Bandit(ENSEMBLE, ["a", "b"], seed=0, rewards=Support.binary())
    for i in range(20):
        bandit.learn(bandit.decide(X), i % 2)
    learner = bandit._memory.state.learners[0]
    del learner.starts  # as they did not have it
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    for i in range(5):
        again.learn(again.decide(X), i % 2)
    assert again._memory.state.learners[0].starts is None

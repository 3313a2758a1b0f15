"""NeuralLinear: its posterior by hand, the law of its draws, and when it looks anew."""

import numpy as np
import pytest
from scipy.stats import kstest, t

from bandstrap import (
    InvalidInput,
    NeuralLinear,
    NoisePrior,
    Problem,
    SharedNetwork,
    Support,
)
from earning import earned_by

SMALL = SharedNetwork(hidden=6, examples=16)
PROBLEM = Problem(3, 2, Support.interval())
X = np.array([0.3, -0.4])


def played(policy, rounds, seed=0, weights=(1.0,)):
    """A learner after some rounds on all arms in turn."""
    rng = np.random.default_rng(seed)
    learner = policy.start(PROBLEM).learners[0]
    for i in range(rounds):
        x = rng.standard_normal(2)
        learner.margins(x, rng)
        reward = float(np.clip(0.5 + 0.4 * x[i % 2] * (i % 3 - 1), 0, 1))
        learner.learn(x, i % 3, reward, rng, weights[i % len(weights)])
    return learner, rng


def by_hand(learner, arm):
    """Mean, width, shape and rate of an arm's score at X, from all rows."""
    rows, noise = learner.network.replay.rows, learner.noise
    own = learner.network.replay.arms[: rows.count] == arm
    z = np.c_[learner.representation(rows.contexts[own]), np.ones(own.sum())]
    y, w = rows.rewards[own], rows.weights[own]
    gram = noise.precision * np.eye(z.shape[1]) + z.T @ (w[:, None] * z)
    mean = np.linalg.solve(gram, z.T @ (w * y))
    at = np.append(learner.representation(X[None])[0], 1.0)
    rate = noise.rate + (w @ y**2 - mean @ gram @ mean) / 2
    return at @ mean, np.sqrt(at @ np.linalg.solve(gram, at)), noise.shape + w.sum() / 2, rate


@pytest.mark.parametrize("weights", [(1.0,), (0.5, 2.0)], ids=["plain", "weighted"])
@pytest.mark.parametrize("growth", [1e-9, 0.5], ids=["renewed", "kept"])
def test_the_posterior_is_that_of_all_rows(growth, weights):
    learner, rng = played(NeuralLinear(SMALL, growth=growth), 70, weights=weights)
    law = learner.law(X, rng)
    for arm in range(3):
        found = [float(part[arm]) for part in law]
        assert found == pytest.approx(by_hand(learner, arm), rel=1e-6)


def test_draws_follow_students_law():
    learner, rng = played(NeuralLinear(SMALL), 40)
    law = learner.law(X, rng)
    draws = np.array([law.draw(rng) for _ in range(4000)])
    scale = law.widths * np.sqrt(law.rates / law.shapes)
    for arm in range(3):
        score = (draws[:, arm] - law.means[arm]) / scale[arm]
        assert kstest(score, t(2 * law.shapes[arm]).cdf).pvalue > 1e-3


def test_rows_are_looked_at_anew_when_history_has_grown():
    learner, rng = played(NeuralLinear(SMALL, growth=0.5), 1)
    renewed = []
    for i in range(1, 80):
        learner.margins(X, rng)
        if learner.known == learner.network.replay.rows.count:
            renewed.append(learner.known)
        learner.learn(X, i % 3, 0.5, rng)
    assert renewed == [1, 2, 3, 5, 8, 12, 18, 27, 41, 62]


def test_between_two_looks_the_representation_stays_while_the_network_learns():
    learner, rng = played(NeuralLinear(SMALL, growth=9.0), 30)
    before, steps = learner.representation(X[None]), learner.network.optimiser.steps
    learner.learn(X, 0, 1.0, rng)
    learner.margins(X, rng)
    assert learner.network.optimiser.steps > steps
    assert learner.representation(X[None]).tolist() == before.tolist()


def test_an_arm_without_rewards_goes_first_and_new_arms_start_from_the_prior():
    policy = NeuralLinear(SMALL)
    learner, rng = played(policy, 30)
    learner.remap_arms(policy.start(PROBLEM).learners[0], [2, None, 0])
    assert np.isinf(learner.margins(X, rng)).tolist() == [False, True, False]
    assert [float(part[2]) for part in learner.law(X, rng)] == pytest.approx(by_hand(learner, 2))


def test_what_is_forgotten_counts_less_in_the_posterior():
    learner, rng = played(NeuralLinear(SMALL, growth=9.0), 40)
    learner.margins(X, rng)
    learner.discount(0.25)
    for arm in range(3):
        found = [float(part[arm]) for part in learner.law(X, rng)]
        assert found == pytest.approx(by_hand(learner, arm), rel=1e-6)
    learner.discount(0.0)
    assert np.isinf(learner.margins(X, rng)).all()
    assert learner.known == 0
    assert learner.representation is None


@pytest.mark.parametrize("given", [{"precision": 0.0}, {"shape": -1.0}, {"rate": np.nan}])
def test_what_is_no_prior_is_refused(given):
    with pytest.raises(InvalidInput, match=next(iter(given))):
        NoisePrior(**given)


def test_growth_and_rewards_are_checked():
    with pytest.raises(InvalidInput, match="growth"):
        NeuralLinear(growth=0.0)
    with pytest.raises(InvalidInput, match="support"):
        NeuralLinear().start(Problem(2, 2, Support.interval(-1, 1)))


def test_it_earns():
    assert earned_by(NeuralLinear(SharedNetwork(hidden=20, examples=16)), runs=4) > 0.75

"""SquareCB against a twin that keeps all of history, on other rewards, and what it earns."""

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    DecisionTree,
    EigenExamples,
    Gamma,
    InvalidInput,
    LinearRegression,
    LogisticRegression,
    OnlineLogistic,
    Problem,
    RecursiveLinear,
    RecursiveLogistic,
    Replicas,
    SharedNetwork,
    SquareCB,
    Support,
)
from bandstrap.policies.base import discount
from earning import earned_by

EVERY = np.ones((1, 3), dtype=bool)


def told(rounds=60, seed=0):
    """Contexts, arms and rewards of some rounds, all arms among them."""
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((rounds, 2))
    arms = rng.integers(3, size=rounds)
    rewards = (contexts[:, 0] * (arms - 1) + 0.3 * rng.standard_normal(rounds) > 0) * 1.0
    return contexts, arms, rewards


def taught(policy, support=None, rewards=None, weights=None):
    contexts, arms, own = told()
    state, rng = policy.start(Problem(3, 2, support or Support.interval())), rng_of(5)
    for i, reward in enumerate(own if rewards is None else rewards):
        weight = None if weights is None else weights[i : i + 1]
        policy.update(state, contexts[i : i + 1], arms[i : i + 1], np.array([reward]), rng, weight)
    return state


def rng_of(seed):
    return np.random.default_rng(seed)


def twin(x, gamma, penalty=1.0):
    """Ridge regressions by the normal equations, and inverse gaps."""
    contexts, arms, rewards = told()
    rows = np.c_[contexts, np.ones(len(contexts))]
    expected = []
    for arm in range(3):
        own = rows[arms == arm]
        solved = np.linalg.solve(penalty * np.eye(3) + own.T @ own, own.T @ rewards[arms == arm])
        expected.append(np.append(x, 1.0) @ solved)
    shares = 1 / (3 + gamma * (max(expected) - np.array(expected)))
    best = int(np.argmax(expected))
    shares[best] += 1 - shares.sum()
    return shares


def test_probabilities_are_those_of_a_naive_twin():
    policy = SquareCB(RecursiveLinear(), Gamma(2.0))
    state = taught(policy)
    for x in np.random.default_rng(3).standard_normal((20, 2)):
        found = policy.probabilities(state, x[None], EVERY)
        assert found == pytest.approx(twin(x, 2.0 * np.sqrt(3 * 60)), abs=1e-9)


def test_gaps_are_in_units_of_the_support():
    policy, x = SquareCB(RecursiveLinear(1e-9)), np.array([[0.3, -0.4]])
    _, _, rewards = told()
    wide = taught(policy, Support.interval(-30.0, 50.0), -30.0 + 80.0 * rewards)
    found = policy.probabilities(wide, x, EVERY)
    assert found == pytest.approx(policy.probabilities(taught(policy), x, EVERY), abs=1e-6)
    free = taught(policy, Support.real())
    assert policy.probabilities(free, x, EVERY) == pytest.approx(found, abs=1e-6)


def test_decisions_come_with_the_probability_of_their_arm():
    policy, x = SquareCB(RecursiveLinear(), Gamma(0.5)), np.array([[0.3, -0.4]])
    state, rng = taught(policy), rng_of(0)
    shares = policy.probabilities(state, x, EVERY)
    draws = [policy.decide(state, x, rng, None) for _ in range(3000)]
    assert all(draw.probabilities == pytest.approx(shares) for draw in draws)
    counts = np.bincount([draw.arm for draw in draws], minlength=3) / 3000
    assert counts == pytest.approx(shares, abs=0.04)
    assert all(draw.scores[draw.arm] == draw.scores.max() for draw in draws)


def test_a_network_learns_before_it_tells_and_then_tells_exactly():
    policy, x = SquareCB(SharedNetwork(hidden=8)), np.array([[0.3, -0.4]])
    state, rng = taught(policy), rng_of(0)
    assert policy.probabilities(state, x, EVERY) is None
    draw = policy.decide(state, x, rng, None)
    assert draw.probabilities is not None
    while state.learners[0].learner.owed > 0:
        policy.select(state, x, rng)
    known = policy.probabilities(state, x, EVERY)
    assert policy.decide(state, x, rng, None).probabilities == pytest.approx(known)


def test_forgetting_explores_again():
    policy, x = SquareCB(RecursiveLinear()), np.array([[0.3, -0.4]])
    state = taught(policy)
    before = policy.probabilities(state, x, EVERY).max()
    discount(policy, state, 0.01)
    assert state.learners[0].rounds == pytest.approx(0.6)
    assert policy.probabilities(state, x, EVERY).max() < before - 0.1


def test_weights_count_as_so_many_rewards():
    x = np.array([[0.3, -0.4]])
    for model in (RecursiveLinear(), RecursiveLogistic()):
        policy = SquareCB(model)
        state = taught(policy, weights=np.full(60, 3.0))
        assert state.learners[0].rounds == 180.0
        contexts, arms, rewards = told()
        thrice = policy.start(Problem(3, 2))
        for i in np.repeat(np.arange(60), 3):
            policy.update(thrice, contexts[i : i + 1], arms[i : i + 1], rewards[i : i + 1])
        found = policy.probabilities(state, x, EVERY)
        assert found == pytest.approx(policy.probabilities(thrice, x, EVERY), abs=1e-9)


@pytest.mark.parametrize(
    "model", [LinearRegression(), LogisticRegression(), Replicas(OnlineLogistic(), 1),
              DecisionTree(), SharedNetwork(hidden=8)],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_it_takes_any_model(model):
    bandit = Bandit(SquareCB(model), ["a", "b"], seed=1, rewards=Support.binary())
    for x in np.random.default_rng(0).standard_normal((40, 2)):
        decision = bandit.decide(x)
        assert 0 < decision.propensity <= 1
        bandit.learn(decision, float((x[0] > 0) == (decision.arm == "a")))


def test_recursive_models_take_no_bootstrap_and_no_pseudo_examples():
    with pytest.raises(InvalidInput, match="give NoExamples"):
        SquareCB(RecursiveLinear(), prior=EigenExamples()).start(Problem(2, 2))
    with pytest.raises(InvalidInput, match="support"):
        SquareCB(RecursiveLogistic()).start(Problem(2, 2, Support.interval(-1, 1)))


def test_it_earns():
    assert earned_by(SquareCB(RecursiveLogistic()), runs=20) > 0.8
    assert earned_by(SquareCB(RecursiveLogistic(), Gamma(1e-6)), runs=20) < 0.6  # any arm

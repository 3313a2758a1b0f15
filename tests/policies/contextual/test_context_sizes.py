"""Contexts and rewards that cannot be learnt are refused before anything changes."""

import numpy as np
import pytest

from bandstrap.bandit import Bandit
from bandstrap.errors import InvalidInput
from bandstrap.models import (
    GaussianLimit,
    LinearRegression,
    LogisticRegression,
    NeuralNetwork,
    StochasticLogisticRegression,
)
from bandstrap.policies import ContextualBootstrap
from bandstrap.policies.forced_pulls import ForcedPulls
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.policies.validation import check_update
from bandstrap.priors import EigenExamples, NoExamples
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Exponential
from bandstrap.storage.packing import pack

QUICK = ["ucb-lin", "wb-lin", "wb-lin-additive", "wb-log-gaussian", "wb-log-paper", "ts-laplace",
         "wb-log-replicas", "wb-nn-shared", "glm-ucb", "ucb-glm", "gloc",
         "online-cover"]  # fmt: skip
ONE = np.ones((1, 2))


def _started(name):
    policy = CONTEXTUAL[name](EigenExamples())
    return policy, policy.start(Problem(2, 2, Support.binary()))


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("size", [1e31, 1e44, 1e160])
def test_huge_contexts_are_refused(name, size):
    policy, state = _started(name)
    rng = np.random.default_rng(0)
    policy.update(state, ONE, np.array([0]), np.array([1.0]), rng)
    policy.select(state, ONE, rng)
    before = pack(state).text
    for call in (
        lambda: policy.select(state, size * ONE, rng),
        lambda: policy.scores(state, size * ONE, rng),
        lambda: policy.decide(state, size * ONE, rng, None),
        lambda: check_update(state, size * ONE, 1.0, 1.0),
        lambda: policy.update(state, size * ONE, np.array([0]), np.array([1.0]), rng),
    ):
        with pytest.raises(InvalidInput, match=r"contexts = .* beyond 1e\+30"):
            call()
    assert pack(state).text == before
    assert np.isfinite(policy.scores(state, ONE, rng)).all()


@pytest.mark.filterwarnings("ignore:columns of contexts are far from 0:RuntimeWarning")
@pytest.mark.parametrize("name", QUICK)
def test_the_largest_contexts_are_learnt_and_decided_by(name):
    policy, state = _started(name)
    rng = np.random.default_rng(0)
    for step in range(12):
        x = 1e30 * (rng.random((1, 2)) - 0.5)
        policy.update(state, x, np.array([step % 2]), np.array([float(step % 3 == 0)]), rng)
        assert np.isfinite(policy.scores(state, x, rng)).all()


def test_huge_rewards_are_refused():
    policy = ContextualBootstrap(Exponential(), LinearRegression(), NoExamples())
    state = policy.start(Problem(2, 2, Support.real()))
    for call in (
        lambda: policy.update(state, ONE, np.array([0]), np.array([1e160])),
        lambda: check_update(state, ONE, 1e160, 1.0),
    ):
        with pytest.raises(InvalidInput, match=r"rewards = 1e\+160: numbers may be at most"):
            call()
    assert state.learners[0].arms[0].examples.count == 0


@pytest.mark.parametrize("forced", [False, True])
def test_networks_say_beforehand_which_contexts_they_refuse(forced):
    policy = ContextualBootstrap(Exponential(), NeuralNetwork(4), NoExamples())
    bandit = Bandit(ForcedPulls(1, policy) if forced else policy, ["a", "b"],
                    rewards=Support.binary())  # fmt: skip
    bandit.learn(context=[1.0, 1.0], arm="a", reward=1.0)
    for call in (
        lambda: bandit.decide([2e6, 1.0]),
        lambda: bandit.learn(context=[2e6, 1.0], arm="a", reward=1.0),
        lambda: bandit.learn(context=[[1.0, 1.0], [2e6, 1.0]], arm=["a", "b"], reward=[1.0, 0.0]),
    ):
        with pytest.raises(InvalidInput, match="standardise them, or use Budgeted"):
            call()
    assert bandit.rewards_learnt == 1
    bandit.learn(bandit.decide([1e6, 1.0]), 1.0)


def test_stochastic_steps_take_whatever_is_learnt():
    policy = ContextualBootstrap(Exponential(), StochasticLogisticRegression(), NoExamples())
    bandit = Bandit(policy, ["a", "b"], rewards=Support.binary())
    with pytest.raises(InvalidInput, match="contexts"):
        bandit.learn(context=[1e160, 1.0], arm="a", reward=1.0)
    for size in (1.0, 1e12, 1e30):
        bandit.learn(context=[size, 1.0], arm="a", reward=1.0)
        bandit.learn(bandit.decide([size, 1.0]), 0.0)


def test_the_limit_does_not_decide_by_what_is_no_number():
    learner = GaussianLimit(LogisticRegression()).learner(
        Problem(2, 2, Support.binary()), Exponential(), EigenExamples(np.eye(2))
    )
    x, rng, allowed = np.array([1e200, -1e200]), np.random.default_rng(0), np.ones(2, dtype=bool)
    with np.errstate(all="ignore"), pytest.raises(InvalidInput, match="not numbers"):
        learner.decide(x, rng, allowed)

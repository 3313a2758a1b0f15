"""States of the policies on linear models and trees: runs apart, saved and taken up again."""

from copy import deepcopy

import numpy as np
import pytest

from bandstrap.models import DecisionTree, Replicas, StochasticLogisticRegression
from bandstrap.models.online.replicas import OnlineLinear
from bandstrap.policies import (
    GLMUCB,
    ContextualBootstrap,
    FixedSpread,
    LaplaceThompson,
    LinThompson,
    LinUCB,
    OnlineEnsemble,
    Policy,
    TreeHeuristic,
)
from bandstrap.priors import EigenExamples, GaussianExamples, NoExamples
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Exponential, Multinomial, Poisson
from bandstrap.storage.packing import pack
from bandstrap.storage.unpacking import Loaded, unpack

PROBLEM = Problem(3, 4, Support.binary())
POLICIES = [
    LinUCB(),
    LinThompson(FixedSpread(0.3)),
    GLMUCB(),
    LaplaceThompson(),
    OnlineEnsemble(count=3),
    TreeHeuristic(),
    ContextualBootstrap(Exponential(), Replicas(), EigenExamples()),
    ContextualBootstrap(Poisson(), Replicas(OnlineLinear(), count=5), GaussianExamples()),
    ContextualBootstrap(Exponential(), StochasticLogisticRegression(), GaussianExamples()),
    ContextualBootstrap(Multinomial(), DecisionTree(leaf=2), NoExamples()),
]


def world(rounds: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(rounds, 4))
    return contexts, contexts[:, :3].argmax(axis=1)


def play(
    policy: Policy, state: object, rng: np.random.Generator, rounds: range, runs: int = 1
) -> list[np.ndarray]:
    contexts, best = world(60)
    chosen = []
    for t in rounds:
        x = np.tile(contexts[t], (runs, 1))
        arms = policy.select(state, x, rng)
        policy.update(state, x, arms, (arms == best[t]).astype(float), rng)
        chosen.append(arms)
    return chosen


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_a_run_goes_on_from_where_it_was_saved(policy: Policy) -> None:
    rng = np.random.default_rng(1)
    state = policy.start(PROBLEM)
    play(policy, state, rng, range(30))
    restored, copy = deepcopy(pack(state)), deepcopy(rng)  # packed arrays are still the state's
    expected = play(policy, state, rng, range(30, 60))
    np.testing.assert_array_equal(
        play(policy, unpack(restored, Loaded()), copy, range(30, 60)), expected
    )


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_runs_do_not_learn_from_one_another(policy: Policy) -> None:
    x = np.ones((2, 4))
    together, rng = policy.start(PROBLEM, runs=2), np.random.default_rng(0)
    for _ in range(12):
        for arm in range(3):
            policy.update(together, x, np.array([arm, arm]), np.array([arm == 1, arm == 2]), rng)
    # Each run was shown another best arm, and must prefer its own.
    preferred = np.array([policy.select(together, x, rng) for _ in range(60)])
    assert (preferred[:, 0] == 1).mean() > 0.5
    assert (preferred[:, 1] == 2).mean() > 0.5

import numpy as np
import pytest
from scipy import stats

from bandstrap.errors import InvalidInput
from bandstrap.models.tree import DecisionTree
from bandstrap.policies.tree_bootstrap import TreeBootstrap
from bandstrap.problem import Problem, Support
from bandstrap.resampling import NoResampling

PROBLEM = Problem(2, 2, Support.binary())


def teach(policy: TreeBootstrap, arm: int, rewards: list[float], state: object = None) -> object:
    state = state or policy.start(PROBLEM)
    rng = np.random.default_rng(0)
    for reward in rewards:
        policy.update(state, rng.normal(size=(1, 2)), np.array([arm]), np.array([reward]))
    return state


def test_only_the_arm_with_news_is_refit() -> None:
    policy = TreeBootstrap()
    state = teach(policy, 0, [0.0, 1.0] * 20)
    teach(policy, 1, [1.0, 0.0] * 20, state)
    x, rng = np.zeros((1, 2)), np.random.default_rng(1)
    policy.select(state, x, rng)
    learner = state.learners[0]
    before = list(learner.trees)
    scores = policy.scores(state, x, rng)
    np.testing.assert_array_equal(scores, policy.scores(state, x, rng))
    policy.update(state, x, np.array([1]), np.array([1.0]))
    policy.select(state, x, rng)
    assert learner.trees[0] is before[0]
    assert learner.trees[1] is not before[1]


def test_growth_spares_refits() -> None:
    policy = TreeBootstrap(growth=0.5)
    state = teach(policy, 0, [0.0, 1.0] * 20)
    teach(policy, 1, [1.0], state)
    x, rng = np.zeros((1, 2)), np.random.default_rng(1)
    sizes = []
    for _ in range(60):
        policy.scores(state, x, rng)
        sizes.append(state.learners[0].fitted[0])
        policy.update(state, x, np.array([0]), np.array([1.0]))
    assert sorted(set(sizes)) == [40, 61, 92]


def test_an_arm_without_contrast_is_drawn_from_its_beta() -> None:
    policy = TreeBootstrap()
    state = teach(policy, 0, [0.0] * 4)
    teach(policy, 1, [1.0] * 3, state)
    rng = np.random.default_rng(2)
    draws = np.array([policy.scores(state, np.zeros((1, 2)), rng)[0] for _ in range(5000)])
    assert stats.kstest(draws[:, 0], stats.beta(1, 5).cdf).pvalue > 1e-4
    assert stats.kstest(draws[:, 1], stats.beta(4, 1).cdf).pvalue > 1e-4


def test_arms_are_first_pulled_and_only_where_allowed() -> None:
    policy = TreeBootstrap(pulls=3)
    state = policy.start(Problem(3, 2), runs=2)
    rng = np.random.default_rng(0)
    allowed = np.array([[True, True, False], [False, True, True]])
    pulled = np.zeros((2, 3), dtype=int)
    for _ in range(6):
        x = rng.normal(size=(2, 2))
        arms = policy.select(state, x, rng, allowed)
        pulled[[0, 1], arms] += 1
        policy.update(state, x, arms, rng.random(2))
    np.testing.assert_array_equal(pulled, [[3, 3, 0], [0, 3, 3]])


def test_a_score_is_the_trees_prediction() -> None:
    policy = TreeBootstrap(DecisionTree(leaf=2), NoResampling())
    state = policy.start(Problem(1, 1, Support.real()))
    for x in np.arange(-10.0, 10.0):
        policy.update(state, np.array([[x]]), np.array([0]), np.array([3.0 if x < 2 else -7.0]))
    rng = np.random.default_rng(0)
    assert policy.scores(state, np.array([[1.0]]), rng)[0, 0] == 3.0
    assert policy.scores(state, np.array([[2.0]]), rng)[0, 0] == -7.0


def test_bad_parameters_are_refused() -> None:
    for make in (
        lambda: TreeBootstrap(pulls=0),
        lambda: TreeBootstrap(growth=-0.1),
        lambda: TreeBootstrap().start(Problem(2)),
    ):
        with pytest.raises(InvalidInput, match=r"pulled|give|contexts"):
            make()

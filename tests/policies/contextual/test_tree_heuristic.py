import numpy as np
import pytest
from scipy import stats

from bandstrap.errors import InvalidInput
from bandstrap.models.tree import DecisionTree
from bandstrap.policies.contextual.tree_heuristic import TreeHeuristic
from bandstrap.problem import Problem, Support

PROBLEM = Problem(2, 2, Support.binary())


def teach(policy: TreeHeuristic, arm: int, rewards: list[float], state: object = None) -> object:
    state = state or policy.start(PROBLEM)
    rng = np.random.default_rng(0)
    for reward in rewards:
        policy.update(state, rng.normal(size=(1, 2)), np.array([arm]), np.array([reward]))
    return state


def test_only_the_arm_with_news_is_refit() -> None:
    policy = TreeHeuristic()
    state = teach(policy, 0, [0.0, 1.0] * 20)
    teach(policy, 1, [1.0, 0.0] * 20, state)
    x, rng = np.zeros((1, 2)), np.random.default_rng(1)
    policy.select(state, x, rng)
    learner = state.learners[0]
    before = list(learner.trees)
    policy.update(state, x, np.array([1]), np.array([1.0]))
    policy.select(state, x, rng)
    assert learner.trees[0] is before[0]
    assert learner.trees[1] is not before[1]


def test_growth_spares_refits() -> None:
    policy = TreeHeuristic(growth=0.5)
    state = teach(policy, 0, [0.0, 1.0] * 20)
    teach(policy, 1, [1.0], state)
    x, rng = np.zeros((1, 2)), np.random.default_rng(1)
    sizes = []
    for _ in range(60):
        policy.scores(state, x, rng)
        sizes.append(state.learners[0].leaves[0].size)
        policy.update(state, x, np.array([0]), np.array([1.0]))
    assert sorted(set(sizes)) == [40, 61, 92]


def test_an_arm_is_drawn_from_the_beta_of_its_leaf() -> None:
    policy = TreeHeuristic(DecisionTree(leaf=6))
    state = policy.start(Problem(1, 1, Support.binary()))
    # Below zero 6 zeros and no one, above 2 zeros and 5 ones: one split, as leaves hold 6.
    rewards = [0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1]
    for i, reward in enumerate(rewards):
        policy.update(state, np.array([[i - 5.5]]), np.array([0]), np.array([reward]))
    rng = np.random.default_rng(2)
    for x, beta in ((-3.0, stats.beta(1, 7)), (3.0, stats.beta(6, 3))):
        draws = [policy.scores(state, np.array([[x]]), rng)[0, 0] for _ in range(4000)]
        assert stats.kstest(draws, beta.cdf).pvalue > 1e-4


def test_an_arm_that_disappointed_is_tried_again() -> None:
    policy, rng = TreeHeuristic(), np.random.default_rng(3)
    state = teach(policy, 0, [0.0] * 8)
    teach(policy, 1, [1.0, 0.0] * 20, state)
    x = np.zeros((1, 2))
    chosen = np.array([policy.select(state, x, rng)[0] for _ in range(2000)])
    # P(Beta(1, 9) > Beta(1 + n₁, 1 + n₀)) at a leaf with about as many ones as zeros: above 10⁻³.
    assert 0.0 < (chosen == 0).mean() < 0.2


def test_arms_are_first_pulled_and_only_where_allowed() -> None:
    policy = TreeHeuristic(pulls=3)
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


def test_rewards_without_bounds_are_drawn_within_their_leaf() -> None:
    policy = TreeHeuristic(DecisionTree(leaf=2))
    state = policy.start(Problem(1, 1, Support.real()))
    for x in np.arange(-10.0, 10.0):
        policy.update(state, np.array([[x]]), np.array([0]), np.array([3.0 if x < 2 else -7.0]))
    rng = np.random.default_rng(0)
    assert policy.scores(state, np.array([[1.0]]), rng)[0, 0] == pytest.approx(3.0)
    assert policy.scores(state, np.array([[2.0]]), rng)[0, 0] == pytest.approx(-7.0)


def test_bad_parameters_are_refused() -> None:
    for make in (
        lambda: TreeHeuristic(pulls=0),
        lambda: TreeHeuristic(growth=-0.1),
        lambda: TreeHeuristic().start(Problem(2)),
    ):
        with pytest.raises(InvalidInput, match=r"pulled|give|contexts"):
            make()

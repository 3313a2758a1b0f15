import numpy as np
import pytest
from scipy import special

from bandstrap.errors import InvalidInput
from bandstrap.policies.contextual.glm.glm_ucb import GLMUCB, GuaranteedBonus, LogBonus
from bandstrap.problem import Problem, Support


def test_scores_add_the_designs_width_to_the_predicted_reward() -> None:
    rng = np.random.default_rng(0)
    policy = GLMUCB(LogBonus(0.4), penalty=0.5)
    state = policy.start(Problem(2, 2))
    contexts = rng.normal(size=(400, 2))
    rewards = (rng.random(400) < special.expit(contexts @ [1.5, -1.0])).astype(float)
    for x, reward in zip(contexts, rewards, strict=True):
        policy.update(state, x[None], np.array([1]), np.array([reward]))
    x = np.array([[2.0, 1.0]])
    scores = policy.scores(state, x, rng)[0]
    probe = np.append(x[0], 1.0)
    rows = np.column_stack([contexts, np.ones(400)])
    design = 0.5 * np.eye(3) + rows.T @ rows
    bonus = 0.4 * np.sqrt(np.log(401) * (probe @ np.linalg.solve(design, probe)))
    estimate = special.expit(probe @ state.learners[0].fits.centres[1])
    np.testing.assert_allclose(scores[1], estimate + bonus, rtol=1e-9)
    unseen = 0.4 * np.sqrt(np.log(401) * (probe @ probe) / 0.5)
    np.testing.assert_allclose(scores[0], 0.5 + unseen, rtol=1e-9)
    # The estimate itself is near the truth.
    assert abs(estimate - special.expit(2.0)) < 0.08


def test_the_guaranteed_bonus_is_the_papers_formula() -> None:
    bonus = GuaranteedBonus(horizon=1000, delta=0.1, flattest=0.2, length=2.0)
    kappa = np.sqrt(3 + 2 * np.log(1 + 2 * 4.0))
    expected = 2 * 0.25 * kappa / 0.2 * np.sqrt(2 * 5 * np.log(50) * np.log(2 * 5 * 1000 / 0.1))
    assert bonus.size(49, 5) == pytest.approx(expected)


def test_select_respects_allowed_arms() -> None:
    policy = GLMUCB()
    state = policy.start(Problem(3, 2), runs=4)
    allowed = np.array([False, True, False])
    arms = policy.select(state, np.ones((4, 2)), np.random.default_rng(0), allowed)
    np.testing.assert_array_equal(arms, 1)


def test_rewards_beyond_probabilities_are_refused() -> None:
    with pytest.raises(InvalidInput, match="rescale"):
        GLMUCB().start(Problem(2, 3, Support.real()))

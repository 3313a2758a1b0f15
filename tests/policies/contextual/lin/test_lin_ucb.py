import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.policies.contextual.lin.ucb import ConfidenceEllipsoid, FixedWidth, LinUCB
from bandstrap.problem import Problem, Support

PROBLEM = Problem(3, 4)


def played(policy: LinUCB, rounds: int) -> tuple[object, list[np.ndarray], list[np.ndarray]]:
    """A state after some rounds, and each arm's contexts and rewards."""
    rng = np.random.default_rng(0)
    state = policy.start(PROBLEM)
    contexts: list[list[np.ndarray]] = [[], [], []]
    rewards: list[list[float]] = [[], [], []]
    for _ in range(rounds):
        x = rng.normal(size=(1, 4))
        arm = policy.select(state, x, rng)
        reward = rng.random(1)
        policy.update(state, x, arm, reward)
        contexts[arm[0]].append(np.append(x[0], 1.0))
        rewards[arm[0]].append(reward[0])
    return state, [np.array(c) for c in contexts], [np.array(r) for r in rewards]


def test_scores_are_the_most_optimistic_models_promises() -> None:
    policy = LinUCB(ConfidenceEllipsoid(delta=0.05, noise=0.4, norm=2.0), penalty=0.5)
    state, contexts, rewards = played(policy, 60)
    x = np.array([[0.3, -1.0, 2.0, 0.1]])
    scores = policy.scores(state, x, np.random.default_rng(1))[0]
    probe = np.append(x[0], 1.0)
    for arm in range(3):
        matrix = 0.5 * np.eye(5) + contexts[arm].T @ contexts[arm]
        centre = np.linalg.solve(matrix, contexts[arm].T @ rewards[arm])
        volume = np.linalg.det(matrix) ** 0.5 / np.linalg.det(0.5 * np.eye(5)) ** 0.5
        radius = 0.4 * np.sqrt(2 * np.log(volume * 3 / 0.05)) + np.sqrt(0.5) * 2.0
        # The ellipsoid's highest point, found along its own boundary.
        direction = np.linalg.solve(matrix, probe)
        highest = centre + radius * direction / np.sqrt(direction @ matrix @ direction)
        np.testing.assert_allclose(scores[arm], probe @ highest, rtol=1e-9)


def test_a_fixed_width_is_a_multiple_of_the_standard_error() -> None:
    state, contexts, rewards = played(LinUCB(FixedWidth(0.7)), 50)
    x = np.array([[1.0, 0.0, -1.0, 0.5]])
    scores = LinUCB(FixedWidth(0.7)).scores(state, x, np.random.default_rng(0))[0]
    probe = np.append(x[0], 1.0)
    for arm in range(3):
        inverse = np.linalg.inv(np.eye(5) + contexts[arm].T @ contexts[arm])
        mean = probe @ inverse @ contexts[arm].T @ rewards[arm]
        np.testing.assert_allclose(scores[arm], mean + 0.7 * np.sqrt(probe @ inverse @ probe))


def test_noise_defaults_to_half_the_rewards_range() -> None:
    wide = Problem(2, 1, Support.interval(-3, 5))
    x = np.ones((1, 1))
    rng = np.random.default_rng(0)
    given = LinUCB(ConfidenceEllipsoid(noise=4.0))
    default = LinUCB()
    np.testing.assert_array_equal(
        default.scores(default.start(wide), x, rng), given.scores(given.start(wide), x, rng)
    )


def test_forbidden_arms_are_left_alone_and_runs_do_not_mix() -> None:
    policy = LinUCB()
    rng = np.random.default_rng(2)
    state = policy.start(PROBLEM, runs=2)
    allowed = np.array([[False, True, True], [True, False, False]])
    for _ in range(30):
        contexts = rng.normal(size=(2, 4))
        arms = policy.select(state, contexts, rng, allowed)
        assert allowed[[0, 1], arms].all()
        policy.update(state, contexts, arms, rng.random(2))
    first, second = (learner.arms.counts for learner in state.learners)
    assert first[0] == 0
    assert first.sum() == 30
    np.testing.assert_array_equal(second, [30, 0, 0])


@pytest.mark.parametrize(
    "make",
    [
        lambda: LinUCB(penalty=0.0),
        lambda: FixedWidth(-1.0),
        lambda: ConfidenceEllipsoid(delta=1.5),
        lambda: ConfidenceEllipsoid(noise=float("nan")),
        lambda: LinUCB().start(Problem(2)),
    ],
)
def test_bad_parameters_are_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidInput, match=r"give|declare"):
        make()

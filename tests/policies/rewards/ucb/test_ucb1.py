import numpy as np
import pytest

from bandstrap import UCB1, InvalidInput, Problem, Support
from twins import played, regret


def test_index_is_the_published_one():
    problem = Problem(2, support=Support.interval(-1, 3))
    policy = UCB1()
    state = played(policy, problem, [[1.0, 2.0, 3.0], [0.5]], runs=2)
    index = [2 + 4 * np.sqrt(2 * np.log(4) / 3), 0.5 + 4 * np.sqrt(2 * np.log(4))]
    scores = policy.scores(state, None, np.random.default_rng(0))
    np.testing.assert_allclose(scores, [index, index], rtol=1e-14)


def test_unseen_arms_come_first():
    policy = UCB1()
    state, rng = policy.start(Problem(5), 50), np.random.default_rng(0)
    pulled = np.zeros((50, 5))
    for _ in range(5):
        arms = policy.select(state, None, rng)
        pulled[np.arange(50), arms] += 1
        policy.update(state, None, arms, np.ones(50))
    assert (pulled == 1).all()


def test_learns():
    assert regret(UCB1(0.5)) < 0.3 * 300 * 0.8 * (1.1 / 3)
    assert regret(UCB1(0.5), allowed=np.array([True, True, False])) < 0.3 * 300 * 0.3


def test_needs_bounded_rewards():
    with pytest.raises(InvalidInput, match="bounded"):
        UCB1().start(Problem(2, support=Support.real()))


@pytest.mark.parametrize("scale", [-1.0, np.nan, np.inf])
def test_bad_scales_are_rejected(scale):
    with pytest.raises(InvalidInput, match="scale"):
        UCB1(scale)

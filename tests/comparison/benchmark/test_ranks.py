"""Mean ranks, the groups that do not differ, duels, and the frontier of reward and cost."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from bandstrap.comparison.benchmark.ranks import duel, ranks
from bandstrap.comparison.plot import frontier


def test_mean_ranks_by_hand():
    rewards = np.array([[0.9, 0.5, 0.7], [0.8, 0.8, 0.1], [0.3, 0.2, 0.4]])
    found = ranks(["a", "b", "c"], rewards)
    assert found.policies == ("a", "c", "b")
    assert found.mean == pytest.approx((4.5 / 3, 6 / 3, 7.5 / 3))  # ties share their ranks
    assert found.friedman == pytest.approx(friedmanchisquare(*rewards.T).pvalue)
    assert found.groups == (("a", "c", "b"),)  # three data sets tell nobody apart


def test_groups_end_where_a_pair_differs():
    rng = np.random.default_rng(0)
    level = rng.random(20)
    worse = level - 0.2 - 0.01 * rng.random(20)
    rewards = np.stack([level, level + 0.01 * rng.standard_normal(20), worse], axis=1)
    assert ranks(["a", "b", "c"], rewards).groups in ((("a", "b"),), (("b", "a"),))
    # a and c differ, b lies between and differs from neither.
    steps = np.where(np.arange(20) % 2, 0.05, -0.04)
    rewards = np.stack([level, level + steps - 0.02, level - 0.02], axis=1)
    assert set(ranks(["a", "b", "c"], rewards).groups) == {("a", "b"), ("b", "c")}


def test_a_duel_counts_data_sets():
    rewards = {"a": np.array([3.0, 2.0, 5.0, 1.0]), "b": np.array([1.0, 2.0, 4.0, 2.0])}
    found = duel("a", "b", rewards)
    assert (found.wins, found.losses, found.difference) == (2, 1, 0.5)
    assert duel("a", "a", rewards).p == 1


def test_the_frontier_holds_those_that_nobody_beats():
    shares, costs = np.array([0.5, 0.9, 0.7, 0.8, 0.9]), np.array([1.0, 50.0, 9.0, 20.0, 60.0])
    assert frontier(shares, costs).tolist() == [0, 2, 3, 1]

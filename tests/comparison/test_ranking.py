"""Rewards with their intervals, paired differences, and the order that follows."""

import numpy as np
import pytest
from scipy.stats import t as student

from bandstrap.comparison.ranking import ConfidenceInterval, gap, ranked
from bandstrap.simulation import Trace


def trace(policy, finals, seconds=1.0, rounds=10):
    """Runs that earned so much in all."""
    reward = np.array(finals, dtype=float)[:, None] * [0.5, 1.0]
    rounds = np.array([rounds // 2, rounds])
    return Trace("e", "t", policy, rounds, rounds - reward, reward, np.array([0.0, seconds]))


def test_intervals_and_pairing_by_hand():
    one, other = trace("a", [4, 6, 8]), trace("b", [3.0, 5.5, 6.5])
    reward = ranked([other, one])[0].reward
    half = student.ppf(0.975, 2) * 0.2 / np.sqrt(3)
    assert (reward.mean, reward.low, reward.high) == pytest.approx((0.6, 0.6 - half, 0.6 + half))
    paired = gap(one, other)
    assert paired.difference.mean == pytest.approx(0.1)
    spread = np.std([0.1, 0.05, 0.15], ddof=1) / np.sqrt(3) * student.ppf(0.975, 2)
    assert paired.difference.low == pytest.approx(0.1 - spread)
    assert not paired.real
    # Intervals that overlap by far, and yet a difference in every run.
    assert gap(trace("a", [1, 5, 9]), trace("b", [0.9, 4.89, 8.9])).real


def test_ranking_is_best_first_with_costs_and_ties():
    traces = [trace("b", [1, 2, 1]), trace("a", [7, 8, 7], 3e-3), trace("c", [7, 7.9, 7.2])]
    places = ranked(traces)
    assert [(s.place, s.policy, s.tied) for s in places] == [
        (1, "c", True), (2, "a", True), (3, "b", False),
    ]  # fmt: skip
    assert places[1].cost == pytest.approx(100.0)  # 3 ms over 10 rounds of 3 runs
    alone = ranked([trace("a", [4])])[0].reward
    assert not alone.known
    assert str(alone) == "0.4"


def test_intervals_show_their_width_and_nothing_impossible():
    assert str(ConfidenceInterval(0.5, 0.4, 0.6)) == "0.5 [0.4, 0.6]"
    assert str(ConfidenceInterval(0.70123, 0.70121, 0.70125)) == "0.70123 [0.70121, 0.70125]"
    assert (
        str(ConfidenceInterval(2e9 + 0.5, 2e9, 2e9 + 1)) == "2000000000.5 [2000000000, 2000000001]"
    )
    assert ConfidenceInterval(0.9, 0.7, 1.1).within(0.0, 1.0) == ConfidenceInterval(0.9, 0.7, 1.0)
    for unknown in (np.nan, 52349.25):  # one run, or all alike
        assert str(ConfidenceInterval(52349.25, unknown, unknown)).startswith("52349.25")
    alone = ConfidenceInterval(0.9, np.nan, np.nan).within(0.0, 1.0)
    assert not alone.known

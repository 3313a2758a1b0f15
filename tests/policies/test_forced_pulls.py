"""Forced pulls come first, are even, and fit into the horizon."""

import numpy as np
import pytest

from bandstrap import (
    BetaThompson,
    ForcedPulls,
    InvalidInput,
    Problem,
)
from states import ARMS, BINARY, ONE, RUNS, play, rng_of


def test_forced_pulls_count_no_refused_update():
    policy = ForcedPulls(3, BetaThompson())
    state = policy.start(Problem(2), 1)
    with pytest.raises(InvalidInput, match="pass a generator"):
        policy.update(state, None, np.array([0]), np.array([0.5]))
    assert (state.owed == 3).all()


@pytest.mark.parametrize("pulls", [1, 5])
def test_forced_pulls_come_first_and_are_even(pulls):
    policy = ForcedPulls(pulls, BetaThompson())
    chosen, _ = play(policy, rounds=pulls * ARMS)
    for run in range(RUNS):
        assert (np.bincount(chosen[:, run], minlength=ARMS) == pulls).all()
    allowed = np.tile([True, False, True, False], (RUNS, 1))
    state = policy.start(Problem(ARMS, support=BINARY), RUNS)
    for _ in range(2 * pulls):
        arms = policy.select(state, None, rng_of(0), allowed)
        policy.update(state, None, arms, ONE, rng_of(0))
    assert (state.owed == pulls * ~allowed).all()
    assert allowed[0, policy.select(state, None, rng_of(1), allowed)].all()


@pytest.mark.parametrize("horizon", [2, 3, 10, 1000, 10_000, 10**6])
def test_forced_pulls_fit_into_the_horizon(horizon):
    assert 1 <= ForcedPulls.for_horizon(horizon).pulls <= horizon // 2

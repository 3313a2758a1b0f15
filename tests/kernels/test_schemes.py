"""A bound carried over to one more reward against the bound computed afresh."""

import numpy as np
import pytest

from bandstrap.kernels.codes import EXPONENTIAL, MULTINOMIAL, POISSON
from bandstrap.kernels.schemes import one_more


def log_mgf(scheme, rewards, level, tilt):
    gains = tilt * (rewards - level)
    if scheme == EXPONENTIAL:
        return -np.log1p(-gains).sum()
    if scheme == MULTINOMIAL:
        return rewards.size * np.log(np.exp(gains).mean())
    return np.expm1(gains).sum()


@pytest.mark.parametrize("scheme", [EXPONENTIAL, MULTINOMIAL, POISSON])
def test_one_more_reward_is_one_more_term(scheme):
    rng = np.random.default_rng(0)
    rewards, level, tilt = rng.random(80), 0.7, 0.9
    rate = -log_mgf(scheme, rewards[:30], level, tilt)
    for n in range(30, 80):
        rate = one_more(scheme, rate, float(n), tilt, rewards[n] - level)
        fresh = -log_mgf(scheme, rewards[: n + 1], level, tilt)
        assert rate == pytest.approx(fresh, abs=1e-10)


def test_a_reward_beyond_the_tilt_loses_the_bound():
    assert one_more(EXPONENTIAL, 2.0, 10.0, 1.5, 0.7) < 0
    assert one_more(POISSON, 2.0, 10.0, 1.0, 400.0) < 0

"""Weights by geometric resampling: their mean, their error, the floor and the cap."""

import numpy as np
import pytest

from bandstrap import Bootstrap, Exponential, Multinomial, Poisson, Problem
from bandstrap.bandit.chance import Beside, Choice, Floor
from bandstrap.policies import Policy
from bandstrap.policies.state import State

SHARES = np.array([0.7, 0.25, 0.05, 0.0])


class Loaded(Policy[State]):
    """Chooses by given probabilities."""

    context_free = True

    def _start(self, problem, runs):
        return State(problem, runs)

    def _scores(self, state, contexts, rng):
        return (np.arange(4) == rng.choice(4, p=SHARES))[None].astype(float)

    def _select(self, state, contexts, rng, allowed):
        return [int(np.searchsorted(SHARES.cumsum(), rng.random()))]

    def _update(self, state, contexts, arms, rewards, rng, weights=None):
        pass


def weighed(arm, floor, repeats, cap, times):
    policy, rng = Loaded(), np.random.Generator(np.random.PCG64DXSM(1))
    choice = Choice(policy, policy.start(Problem(4)), None, None, arm, Floor(floor, 4))
    return [choice.counted(Beside(rng, number).stream(), repeats, cap) for number in range(times)]


# An arm that only a small floor picks takes thousands of draws each time.
CASES = [
    (arm, floor) for arm in range(4) for floor in (0.01, 0.2, 1.0) if SHARES[arm] or floor > 0.1
]


@pytest.mark.parametrize(("arm", "floor"), CASES)
def test_weights_have_the_inverse_of_the_mixture_as_their_mean(arm, floor):
    """Also those of an arm that only the floor picks."""
    q = (1 - floor) * SHARES[arm] + floor / 4
    found = weighed(arm, floor, 3, 10_000, 1500)
    weights = np.array([each.weight for each in found])
    doubt = weights.std() / np.sqrt(weights.size)
    assert abs(weights.mean() - 1 / q) < 4 * doubt + 1e-12
    assert (weights >= 1).all()
    assert all(each.propensity == 1 / each.weight for each in found)
    assert {each.method for each in found} == {"geometric"}


def test_errors_are_those_of_the_weights():
    found = weighed(1, 0.1, 4, 10_000, 2000)
    told = np.mean([each.weight_error**2 for each in found])
    assert told == pytest.approx(np.var([each.weight for each in found]), rel=0.1)


@pytest.mark.parametrize("cap", [1, 3, 10])
def test_a_cap_lowers_the_mean_as_it_says(cap):
    floor, arm = 0.2, 2
    q, kept = (1 - floor) * SHARES[arm] + floor / 4, 1 - floor + floor / 4
    weights = np.array([each.weight for each in weighed(arm, floor, 5, cap, 1500)])
    capped = (1 - (1 - q / kept) ** cap) / q
    assert abs(weights.mean() - capped) < 4 * weights.std() / np.sqrt(weights.size) + 1e-12
    assert 0 <= 1 / q - capped <= (1 - q) ** cap / q
    assert weights.max() <= cap / kept + 1e-12


@pytest.mark.parametrize("scheme", [Exponential(), Multinomial(), Poisson()], ids=repr)
def test_kernels_wait_as_long_as_plain_draws(scheme):
    policy, rng = Bootstrap(scheme), np.random.Generator(np.random.PCG64DXSM(1))
    state = policy.start(Problem(4))
    for i in range(120):
        policy.update(state, None, np.array([i % 4]), np.array([(0.37 * i) % 1 * (1 - i % 4 / 9)]))
    for allowed in (np.ones((1, 4), dtype=bool), np.array([[True, False, True, True]])):
        again = state.sampler(policy, None, allowed)
        votes = again.choices(Beside(rng, 0).stream(), 60_000)
        chances = votes / 60_000
        for arm in np.flatnonzero(chances > 0.01):
            stream = Beside(rng, 1 + arm).stream()
            waits = again.waits(stream, arm, np.full(4000, 10**6)) / 4000
            doubt = np.sqrt((1 - chances[arm]) / 4000 + (1 / chances[arm] - 1) / 60_000)
            assert abs(waits * chances[arm] - 1) < 4.5 * doubt


def test_limits_end_a_wait():
    policy, rng = Bootstrap(), np.random.Generator(np.random.PCG64DXSM(1))
    state = policy.start(Problem(2))
    for _ in range(400):
        for arm in (0, 1):
            policy.update(state, None, np.array([arm]), np.array([0.9 - 0.7 * arm]))
    limits, again = np.array([1, 5, 40]), state.sampler(policy, None, np.ones((1, 2), dtype=bool))
    assert again.waits(Beside(rng, 0).stream(), 1, limits) == limits.sum()
    assert again.waits(Beside(rng, 0).stream(), 0, limits) == 3

"""The comparisons of `test_choice` notice errors: each deliberate one here is rejected, p < 10⁻⁶.

The sizes are those of `test_choice`. A right twin passes on the same history, so that what is
noticed is the error and nothing else.
"""

import numpy as np
import pytest

from bandstrap import Bootstrap, Problem
from bandstrap.kernels import argmax
from bandstrap.kernels.lazy import choose, direct
from histories import SCHEMES, history
from naive import (
    RUNS,
    TIMES,
    TWIN_DRAWS,
    DroppedPseudoReward,
    FirstOfTies,
    OneTooMany,
    Twin,
    choices,
    homogeneity,
    played,
)

NOTICED, PASSED = 1e-6, 1e-4


def compared(scheme, wrong, arms):
    """The p-values of the comparisons with the right twin and with the wrong one."""
    policy, rng = Bootstrap(SCHEMES[scheme]), np.random.default_rng(1)
    state = played(policy, Problem(len(arms)), arms, RUNS)
    found = choices(policy, state, rng, TIMES)
    twins = (Twin(scheme), wrong)
    return [homogeneity(found, twin.choices(arms, TWIN_DRAWS, rng)) for twin in twins]


@pytest.mark.parametrize("shape", ["tiny", "mixed"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_dropped_pseudo_reward(scheme, shape):
    right, wrong = compared(scheme, DroppedPseudoReward(scheme), history("beta", shape))
    assert right > PASSED
    assert wrong < NOTICED


@pytest.mark.parametrize("distribution", ["truncated-normal", "beta", "triangular"])
def test_one_too_many(distribution):
    """The rewards of an arm together weigh Gamma(n + 1) where it should be Gamma(n)."""
    arms = history(distribution, "tiny")
    right, wrong = compared("exponential", OneTooMany("exponential"), arms)
    assert right > PASSED
    assert wrong < NOTICED


@pytest.mark.parametrize(
    ("scheme", "arms"),
    [
        ("multinomial", [[1.0, 0.0, 1.0]] * 4),
        ("multinomial", [[], [], [1.0]]),
        ("double", [[1.0], [0.0, 1.0], [1.0, 1.0]]),
    ],
)
def test_ties_broken_by_index(scheme, arms):
    right, wrong = compared(scheme, FirstOfTies(scheme), arms)
    assert right > PASSED
    assert wrong < NOTICED


def test_another_scheme():
    """Poisson weights for multinomial ones: the same mean and nearly the same variance."""
    right, wrong = compared("multinomial", Twin("poisson"), history("beta", "tiny"))
    assert right > PASSED
    assert wrong < NOTICED


def test_what_the_twin_shares_with_the_library_is_nothing():
    """The twin must not call what it is compared with."""
    import naive

    kernels = {id(module) for module in (argmax, choose, direct)}
    assert not kernels & {id(value) for value in vars(naive).values()}
    assert "bandstrap" not in {str(getattr(v, "__module__", "")) for v in vars(naive).values()}

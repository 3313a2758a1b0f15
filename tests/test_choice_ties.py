"""Arms whose draws are equal are chosen equally often, whatever rounding does to them."""

import numpy as np
import pytest

from bandstrap import (
    BinomialBootstrap,
    Bootstrap,
    Multinomial,
    NoResampling,
    Problem,
    PseudoRewards,
    Support,
)
from histories import SCHEMES
from naive import (
    RUNS,
    TIMES,
    P,
    Twin,
    agree,
    choices,
    goodness,
    played,
)


@pytest.mark.parametrize("policy", [Bootstrap(Multinomial()), BinomialBootstrap()])
@pytest.mark.parametrize("support", [Support.binary(), Support.interval(), Support.interval(-2, 7)])
def test_the_first_choice_is_uniform(policy, support):
    state = policy.start(Problem(5, support=support), RUNS)
    found = choices(policy, state, np.random.default_rng(0), TIMES)
    assert goodness(found, np.full(5, 0.2)) > P


@pytest.mark.parametrize("scheme", [*SCHEMES, "none"])
@pytest.mark.parametrize("support", [Support.binary(), Support.interval()])
def test_identical_arms_are_chosen_equally_often(scheme, support):
    policy = Bootstrap(SCHEMES.get(scheme, NoResampling()))
    state = played(policy, Problem(4, support=support), [[1.0, 0.0, 1.0]] * 4, RUNS)
    found = choices(policy, state, np.random.default_rng(0), TIMES)
    assert goodness(found, np.full(4, 0.25)) > P


def test_arms_never_seen_come_first_and_equally_often():
    policy = Bootstrap(prior=PseudoRewards(0, 0))
    state = played(policy, Problem(5), [[1.0], [], [0.5] * 3, [], []], RUNS)
    found = choices(policy, state, np.random.default_rng(0), TIMES)
    assert found[[0, 2]].sum() == 0
    assert goodness(found[[1, 3, 4]], np.full(3, 1 / 3)) > P


@pytest.mark.parametrize("values", [(-1.0, 0.1), (0.1, 0.3), (0.0, 0.7), (-0.3, 0.1, 0.7)])
@pytest.mark.parametrize("rewards", [1, 4, 8])
def test_ties_that_rounding_hides_are_ties(values, rewards):
    """(0.1 + 0.1 + 0.1) / 3 is not 0.1 in floating point, yet the draws are equal."""
    policy = Bootstrap(Multinomial())
    arms = [np.repeat(values[-1], rewards)] * 3
    state = played(policy, Problem(3, support=Support.categories(values)), arms, RUNS)
    found = choices(policy, state, np.random.default_rng(0), TIMES)
    assert goodness(found, np.full(3, 1 / 3)) > P


@pytest.mark.parametrize("scheme", [*SCHEMES, "none"])
def test_ties_around_zero_are_ties(scheme):
    """Sums of -0.3, 0.1 and 0.2 are zero in one order and 10⁻¹⁷ in another."""
    policy = Bootstrap(SCHEMES.get(scheme, NoResampling()))
    orders = [[-0.3, 0.1, 0.2], [0.1, 0.2, -0.3], [0.2, -0.3, 0.1]]
    state = policy.start(Problem(3, support=Support.interval(-1, 1)), RUNS)
    for rewards in zip(*orders, strict=True):
        for arm, reward in enumerate(rewards):
            policy.update(state, None, np.full(RUNS, arm), np.full(RUNS, reward))
    found = choices(policy, state, np.random.default_rng(0), TIMES)
    assert goodness(found, np.full(3, 1 / 3)) > P


def test_ties_between_histories_of_different_lengths():
    """Means k/n over different n tie whenever the fractions are equal."""
    arms = [[1.0, 0.0, 1.0, 1.0], [1.0] * 4 + [0.0] * 3, [1.0] * 7 + [0.0] * 4, [1.0] * 2]
    for support in (Support.binary(), Support.interval()):
        agree(Bootstrap(Multinomial()), Twin("multinomial"), Problem(4, support=support), arms)

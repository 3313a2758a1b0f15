"""Lifts: terms without bias and bounded from below, and sequences that hold."""

import json

import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.intervals import EmpiricalBernstein, Terms
from bandstrap.service.judging.lift import Lift, Seen, contrast, over_logged
from bandstrap.service.judging.sequence import Sequence

LOGGED, ONE, OTHER = np.array([[0.6, 0.3, 0.1], [0.1, 0.1, 0.8], [0.5, 0.2, 0.3]])
MEANS, MODEL = np.array([0.2, 0.5, 0.9]), np.array([0.4, 0.4, 0.6])


def expected(terms_of):
    """The mean of terms, over arms by the logger and rewards of 0 and 1."""
    total = np.zeros(2)
    for at in range(3):
        for paid, chance in ((1.0, MEANS[at]), (0.0, 1 - MEANS[at])):
            terms = terms_of(at, paid)
            assert min(terms.gains[0], terms.losses[0]) >= -terms.slack - 1e-12
            total += LOGGED[at] * chance * np.array([terms.gains[0], terms.losses[0]])
    return total


@pytest.mark.parametrize("most", [1 / LOGGED, np.full(3, np.inf)])
def test_terms_average_to_the_difference(most):
    gains, losses = expected(
        lambda at, paid: contrast(Seen(at, paid, 1 / LOGGED[at], MODEL, most), ONE - OTHER)
    )
    lift = float((ONE - OTHER) @ MEANS)
    assert gains == pytest.approx((1 + lift) / 2)
    assert losses == pytest.approx((1 - lift) / 2)


@pytest.mark.parametrize("most", [1 / LOGGED, np.full(3, np.inf)])
def test_terms_average_to_the_difference_from_those_who_decided(most):
    gains, losses = expected(
        lambda at, paid: over_logged(Seen(at, paid, 1 / LOGGED[at], MODEL, most), ONE)
    )
    lift = float((ONE - LOGGED) @ MEANS)
    assert gains == pytest.approx((1 + lift) / 2)
    assert losses == pytest.approx((1 - lift) / 2)


def test_policies_that_agree_differ_by_nothing_at_all():
    seen = Seen(2, 0.0, 1e6, MODEL, np.full(3, np.inf))
    terms = contrast(seen, np.zeros(3))
    assert terms.gains[0] == terms.losses[0] == 0.5


def test_an_arm_that_is_never_chosen_is_expected_to_pay_the_worst():
    """What the log cannot know does not raise the lower bound."""
    more, most = np.array([0.5, -0.2, -0.3]), np.array([1.0, np.inf, np.inf])
    for mean in (0.0, 1.0):
        paid = contrast(Seen(0, mean, 1.0, MODEL, most), more)
        worst, best = 0.5 * mean - 0.5, 0.5 * mean
        assert 2 * paid.gains[0] - 1 == pytest.approx(worst)
        assert 1 - 2 * paid.losses[0] == pytest.approx(best)


def test_a_sequence_is_that_of_arrays():
    rng = np.random.default_rng(1)
    gains = rng.normal(0.5, 1.0, 400).clip(-0.5, None)
    losses = rng.normal(0.5, 1.0, 400).clip(-0.5, None)
    settings = EmpiricalBernstein(-2.0, 2.0)
    one, every = Sequence(settings), settings.start()
    every.add_terms(Terms(gains, losses, 0.5))
    for gain, loss in zip(gains.tolist(), losses.tolist(), strict=True):
        one.add_one(gain, loss, 0.5)
    ends, twin = one.interval(), every.interval()
    assert (ends.low, ends.high) == pytest.approx((twin.low, twin.high), abs=1e-9)
    with pytest.raises(InvalidInput, match="slack"):
        one.add_one(0.1, 0.9, 1.0)


def test_above_and_below_are_those_of_the_interval():
    sequence = Sequence(EmpiricalBernstein(0.0, 10.0))
    for number in range(300):
        sequence.add_value(float(number % 7))
    ends = sequence.interval()
    assert ends.low < sequence.value < ends.high
    assert sequence.above(ends.low - 1e-6)
    assert not sequence.above(ends.low + 1e-6)
    assert sequence.below(ends.high + 1e-6)
    assert not sequence.below(ends.high - 1e-6)


def test_needed_decisions_are_enough_and_no_more():
    sequence = Sequence(EmpiricalBernstein())
    values = [0.9, 0.3, 0.6] * 15
    for value in values:
        sequence.add_value(value)
    more = sequence.needed(0.5)
    assert more is not None
    assert sequence.needed(0.7) is None
    reached = None
    for number in range(3 * more):
        sequence.add_value(values[number % 3])
        if reached is None and sequence.above(0.5):
            reached = number + 1
    assert reached == pytest.approx(more, rel=0.2)
    assert sequence.needed(0.5) == 0


def test_a_lift_goes_on_where_it_was():
    rng, lifts = np.random.default_rng(2), [Lift(3.0, 0.9)]
    for number in range(200):
        at = int(rng.choice(3, p=LOGGED))
        seen = Seen(at, float(rng.random() < MEANS[at]), 1 / LOGGED[at], MODEL, 1 / LOGGED)
        for lift in lifts:
            lift.add(contrast(seen, ONE - OTHER))
        if number == 77:
            lifts.append(Lift.from_dict(3.0, 0.9, json.loads(json.dumps(lifts[0].to_dict()))))
    assert lifts[0].to_dict() == lifts[1].to_dict()
    assert lifts[0].told() == lifts[1].told()


def test_the_sequence_holds_at_every_look():
    """Two policies that differ, 150 runs of 200 decisions; 2.5% may be off on each side.

    Were it an eighth, 10 or fewer would be with probability 0.02.
    """
    more, most = ONE - OTHER, 1 / LOGGED
    true, off = float(more @ MEANS), 0
    for seed in range(150):
        rng, lift = np.random.default_rng(seed), Lift(1.0, 0.95)
        arms = rng.choice(3, 200, p=LOGGED)
        rewards = (rng.random(200) < MEANS[arms]) + 0.0
        wrong = False
        for at, paid in zip(arms.tolist(), rewards.tolist(), strict=True):
            lift.add(contrast(Seen(at, paid, 1 / LOGGED[at], MODEL, most), more))
            wrong = wrong or lift.sequence.above(true) or lift.sequence.below(true)
        off += wrong
    assert off <= 10

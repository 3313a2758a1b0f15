"""SLOPE keeps what is narrow as long as nothing speaks against it."""

import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.evaluation.estimators import ESTIMATORS, ClippedIPS, DoublyRobust, SwitchDR, Tuned
from bandstrap.evaluation.estimators.slope import QUANTILE, slope
from bandstrap.evaluation.moments import Moments, piece
from bandstrap.evaluation.sample import Sample
from evaluation.samples import drawn


def pair_by_pair(values, errors):
    """The same by looking at all pairs: intervals have a point in common if any two do."""
    order = sorted(range(len(values)), key=lambda i: -errors[i])
    best = order[0]
    for k in range(1, len(order)):
        some = order[: k + 1]
        meet = all(
            abs(values[i] - values[j]) <= 2 * QUANTILE * (errors[i] + errors[j])
            for i in some
            for j in some
        )
        if not meet:
            break
        best = order[k]
    return best


def test_as_pairs_say():
    rng = np.random.default_rng(0)
    for _ in range(300):
        values, errors = rng.normal(size=6), rng.exponential(0.3, size=6)
        assert slope(values, errors) == pair_by_pair(values, errors)


def test_one_candidate_is_chosen():
    assert slope(np.array([0.3]), np.array([0.1])) == 0


def chosen(tuned, sample):
    moments = Moments([tuned])
    moments.add([sample])
    return moments.estimates()[0].chosen


def test_a_right_model_is_trusted_and_a_wrong_one_is_not():
    sample = drawn(20_000)  # its model is off by some 0.1: among few decisions that is little
    tuned = Tuned(SwitchDR, (0.5, 2.5, 100.0))
    assert chosen(tuned, piece(sample, 0, 200)).tau < 100
    wrong = Sample(
        sample.rewards, sample.weights, sample.target, sample.fitted * 0, 0 * sample.target
    )
    assert chosen(tuned, wrong).tau == 100


def test_without_need_ratios_are_not_clipped():
    assert chosen(Tuned(ClippedIPS, (0.1, 1000.0)), drawn(5000)).most == 1000


def test_tuned_are_among_the_estimates_of_their_grid():
    moments = Moments([ESTIMATORS["switch"], *ESTIMATORS["switch"].candidates(), DoublyRobust()])
    moments.add([drawn(3000)])
    first, *grid = moments.estimates()
    assert first.value in [each.value for each in grid]
    assert grid[-2].value == pytest.approx(grid[-1].value)  # tau = ∞ is doubly robust


def test_an_empty_grid_is_refused():
    with pytest.raises(InvalidInput, match="at least one"):
        Tuned(SwitchDR, ())

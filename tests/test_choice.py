"""The best arm, ties and probabilities: against draws, and quadrature against a fine grid."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from bandstrap.choice import (
    argmax,
    best_probabilities,
    highest,
    mixed_replica_probabilities,
    normal_probabilities,
    replica_probabilities,
)
from bandstrap.errors import InvalidInput


def test_only_allowed_arms_are_chosen_and_ties_are_broken_evenly():
    rng = np.random.default_rng(0)
    scores, allowed = np.array([3.0, 1.0, 1.0, 0.0]), np.array([False, True, True, True])
    counts = np.bincount([highest(scores, allowed, rng) for _ in range(400)], minlength=4)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert abs(counts[1] - 200) < 50  # five standard deviations


def test_nan_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="contexts = 'too large'"):
        highest(np.array([np.nan, np.nan]), np.ones(2, dtype=bool), rng)


def test_argmax_shares_ties_up_to_rounding():
    scores = np.tile([0.1, (0.1 + 0.1 + 0.1) / 3, 0.1 - 1e-9, 5.0], (4000, 1))
    allowed = np.tile([True, True, True, False], (4000, 1))
    arms = argmax(scores, allowed, 1.0, np.random.default_rng(0))
    counts = np.bincount(arms, minlength=4)
    assert counts[[2, 3]].tolist() == [0, 0]
    assert abs(counts[0] - 2000) < 160  # five standard deviations
    assert best_probabilities(scores[0], allowed[0], 1.0).tolist() == [0.5, 0.5, 0.0, 0.0]


def test_replicas_share_ties_and_untried_arms_come_first():
    scores, everything = np.array([[np.inf, np.inf, 1.0], [0.0, 0.0, 0.0]]), np.ones(3, dtype=bool)
    assert replica_probabilities(scores, everything) == pytest.approx([5 / 12, 5 / 12, 1 / 6])
    last = np.array([False, False, True])
    assert replica_probabilities(scores, last).tolist() == [0.0, 0.0, 1.0]
    first, worst = np.array([True, False]), np.full((1, 2), -np.inf)
    assert replica_probabilities(worst, first).tolist() == [1.0, 0.0]
    with_nan = np.array([[1.0, np.nan], [0.0, 1.0]])
    assert np.isnan(replica_probabilities(with_nan, np.array([True, True]))).all()
    assert replica_probabilities(with_nan, first).tolist() == [1.0, 0.0]


def by_grid(means, spreads):
    """Trapezoids that are narrow where any of the densities is."""
    ends = [m + s * np.linspace(-9, 9, 8_001) for m, s in zip(means, spreads, strict=True)]
    grid = np.unique(np.concatenate(ends))
    below = norm.cdf(grid[:, None], means, spreads)
    density = norm.pdf(grid[:, None], means, spreads)
    probabilities = []
    for arm in range(means.size):
        others = np.delete(below, arm, axis=1).prod(axis=1)
        probabilities.append(np.trapezoid(density[:, arm] * others, grid))
    return np.array(probabilities)


@pytest.mark.parametrize("ratio", [1.0, 30.0, 1e4])
@pytest.mark.parametrize("arms", [2, 7])
def test_errors_are_below_a_millionth(arms, ratio):
    rng = np.random.default_rng(arms)
    for _ in range(8):
        spreads = np.exp(rng.uniform(0, np.log(ratio) + 0.5, arms))
        means = 5 + rng.standard_normal(arms) * spreads.min() * rng.choice([0.1, 1, 5])
        probabilities = normal_probabilities(means, spreads, np.ones(arms, dtype=bool))
        assert np.abs(probabilities - by_grid(means, spreads)).max() < 1e-6


def test_probabilities_agree_with_draws():
    means, spreads = np.array([0.0, 0.2, -1.0, 0.5]), np.array([1.0, 0.1, 2.0, 0.3])
    allowed = np.array([True, True, True, False])
    drawn = means + spreads * np.random.default_rng(0).standard_normal((100_000, 4))
    counts = np.bincount(np.where(allowed, drawn, -np.inf).argmax(axis=1), minlength=4)
    probabilities = normal_probabilities(means, spreads, allowed)
    assert probabilities[3] == 0
    assert np.abs(counts / 100_000 - probabilities).max() < 5 * np.sqrt(0.25 / 100_000)


def test_scores_without_spread():
    everything = np.ones(4, dtype=bool)
    sure = normal_probabilities(np.array([1.0, 1.0, 0.5, -3.0]), np.zeros(4), everything)
    assert sure.tolist() == [0.5, 0.5, 0.0, 0.0]
    some = normal_probabilities(
        np.array([1.0, 1.0, 0.5, 1.0]), np.array([0, 0, 0.5, 0.0]), everything
    )
    over = norm.sf(1.0)
    assert some == pytest.approx([(1 - over) / 3, (1 - over) / 3, over, (1 - over) / 3], abs=1e-8)
    low = normal_probabilities(
        np.array([-9.0, 0.0, 1.0, 2.0]), np.array([0, 1e-9, 1e-9, 1]), everything
    )
    assert low == pytest.approx([0, 0, norm.cdf(-1), norm.sf(-1)], abs=1e-6)


def test_arms_to_be_tried_first_share_alone():
    means, spreads = np.array([np.inf, 0.0, np.inf, np.inf]), np.ones(4)
    probabilities = normal_probabilities(means, spreads, np.array([True, True, True, False]))
    assert probabilities.tolist() == [0.5, 0.0, 0.5, 0.0]


def test_many_arms():
    means = np.random.default_rng(0).standard_normal(200)
    probabilities = normal_probabilities(means, np.full(200, 0.3), np.ones(200, dtype=bool))
    drawn = means + 0.3 * np.random.default_rng(1).standard_normal((20_000, 200))
    counts = np.bincount(drawn.argmax(axis=1), minlength=200) / 20_000
    assert probabilities.sum() == pytest.approx(1.0)
    assert np.abs(counts - probabilities).max() < 5 * np.sqrt(0.25 / 20_000)


@pytest.mark.parametrize("seed", range(5))
def test_rows_picked_for_each_arm_are_counted_one_by_one(seed):
    """All picks of three rows for four arms, ties and arms that are not allowed among them."""
    rng = np.random.default_rng(seed)
    scores, allowed = rng.integers(4, size=(3, 4)) / 2, np.array([True, True, seed != 1, True])
    if seed == 2:
        scores[:, 1] = np.inf
    counted = np.zeros(4)
    for rows in product(range(3), repeat=4):
        drawn = np.where(allowed, scores[rows, range(4)], -np.inf)
        best = drawn == drawn.max()
        counted += best / best.sum() / 3**4
    assert mixed_replica_probabilities(scores, allowed) == pytest.approx(counted, abs=1e-12)

"""The quadrature against draws, against a fine grid, and where spreads are very different."""

import numpy as np
import pytest
from scipy.stats import norm

from bandstrap.models.normal_shares import normal_shares


def by_grid(means, spreads):
    """Trapezoids that are narrow where any of the densities is."""
    ends = [m + s * np.linspace(-9, 9, 8_001) for m, s in zip(means, spreads, strict=True)]
    grid = np.unique(np.concatenate(ends))
    below = norm.cdf(grid[:, None], means, spreads)
    density = norm.pdf(grid[:, None], means, spreads)
    shares = []
    for arm in range(means.size):
        others = np.delete(below, arm, axis=1).prod(axis=1)
        shares.append(np.trapezoid(density[:, arm] * others, grid))
    return np.array(shares)


@pytest.mark.parametrize("ratio", [1.0, 30.0, 1e4])
@pytest.mark.parametrize("arms", [2, 7])
def test_errors_are_below_a_millionth(arms, ratio):
    rng = np.random.default_rng(arms)
    for _ in range(8):
        spreads = np.exp(rng.uniform(0, np.log(ratio) + 0.5, arms))
        means = 5 + rng.standard_normal(arms) * spreads.min() * rng.choice([0.1, 1, 5])
        shares = normal_shares(means, spreads, np.ones(arms, dtype=bool))
        assert np.abs(shares - by_grid(means, spreads)).max() < 1e-6


def test_shares_agree_with_draws():
    means, spreads = np.array([0.0, 0.2, -1.0, 0.5]), np.array([1.0, 0.1, 2.0, 0.3])
    allowed = np.array([True, True, True, False])
    drawn = means + spreads * np.random.default_rng(0).standard_normal((100_000, 4))
    counts = np.bincount(np.where(allowed, drawn, -np.inf).argmax(axis=1), minlength=4)
    shares = normal_shares(means, spreads, allowed)
    assert shares[3] == 0
    assert np.abs(counts / 100_000 - shares).max() < 5 * np.sqrt(0.25 / 100_000)


def test_scores_without_spread():
    everything = np.ones(4, dtype=bool)
    sure = normal_shares(np.array([1.0, 1.0, 0.5, -3.0]), np.zeros(4), everything)
    assert sure.tolist() == [0.5, 0.5, 0.0, 0.0]
    some = normal_shares(np.array([1.0, 1.0, 0.5, 1.0]), np.array([0, 0, 0.5, 0.0]), everything)
    over = norm.sf(1.0)
    assert some == pytest.approx([(1 - over) / 3, (1 - over) / 3, over, (1 - over) / 3], abs=1e-8)
    low = normal_shares(np.array([-9.0, 0.0, 1.0, 2.0]), np.array([0, 1e-9, 1e-9, 1]), everything)
    assert low == pytest.approx([0, 0, norm.cdf(-1), norm.sf(-1)], abs=1e-6)


def test_arms_to_be_tried_first_share_alone():
    means, spreads = np.array([np.inf, 0.0, np.inf, np.inf]), np.ones(4)
    shares = normal_shares(means, spreads, np.array([True, True, True, False]))
    assert shares.tolist() == [0.5, 0.0, 0.5, 0.0]


def test_many_arms():
    means = np.random.default_rng(0).standard_normal(200)
    shares = normal_shares(means, np.full(200, 0.3), np.ones(200, dtype=bool))
    drawn = means + 0.3 * np.random.default_rng(1).standard_normal((20_000, 200))
    counts = np.bincount(drawn.argmax(axis=1), minlength=200) / 20_000
    assert shares.sum() == pytest.approx(1.0)
    assert np.abs(counts - shares).max() < 5 * np.sqrt(0.25 / 20_000)

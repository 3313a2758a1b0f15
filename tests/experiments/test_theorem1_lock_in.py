"""Theorem 1's arithmetic against exact fractions, a walk round by round, and event-driven runs."""

import numpy as np
import pytest
from walks import curve, exact_log, exact_npb, exact_small_regret, exact_wb

from bandstrap.errors import InvalidInput
from bandstrap.experiments.theorem1 import lock_in
from bandstrap.experiments.theorem1.lock_in import (
    GAP,
    expected_regret,
    histories_that_matter,
    local_exponent,
    npb_pull_log_probability,
    wb_pull_log_probability,
)

NPB, WB = npb_pull_log_probability, wb_pull_log_probability
both = pytest.mark.parametrize("log_probability", [NPB, WB], ids=["npb", "wb"])


@pytest.mark.parametrize(("log_probability", "exact"), [(NPB, exact_npb), (WB, exact_wb)])
def test_chance_of_arm_1_is_the_exact_fraction(log_probability, exact):
    alpha, beta = (grid.ravel() for grid in np.meshgrid(np.arange(1, 41), np.arange(1, 41)))
    expected = [exact_log(exact(int(a), int(b))) for a, b in zip(alpha, beta, strict=True)]
    np.testing.assert_allclose(log_probability(alpha, beta), expected, rtol=1e-11)


@pytest.mark.parametrize(
    ("log_probability", "exact", "alpha", "beta"),
    [(NPB, exact_npb, 1, 3399), (NPB, exact_npb, 40, 3000), (WB, exact_wb, 3, 20_000)],
)
def test_chances_far_below_the_smallest_float(log_probability, exact, alpha, beta):
    expected = exact_log(exact(alpha, beta))
    assert expected < -1000
    assert log_probability(alpha, beta) == pytest.approx(expected, rel=1e-12)


@both
def test_no_seam_where_the_series_takes_over(log_probability, monkeypatch):
    alpha = np.arange(1, 400)
    whole = log_probability(alpha, 1200)
    monkeypatch.setattr(lock_in, "betainc", lambda a, b, x: np.zeros(np.broadcast(a, b, x).shape))
    below = whole < -5
    assert below.any()
    np.testing.assert_allclose(log_probability(alpha, 1200)[below], whole[below], rtol=1e-11)


@both
@pytest.mark.parametrize("horizon", [1, 2, 5, 20, 100, 300, 301, 400])
def test_regret_is_that_of_the_walk_round_by_round(log_probability, horizon):
    slow = exact_small_regret(horizon, log_probability)
    assert expected_regret(horizon, log_probability) == pytest.approx(slow, rel=1e-9)


def test_first_rounds_by_hand():
    # Pulled at (1, 1) unless both resampled rewards are 0; at (1, 2) unless all three are.
    stay, stay_after_0 = 1 / 4, (2 / 3) ** 3
    stay_after_1 = (1 / 3) ** 3
    second = stay * stay + (1 - stay) * (stay_after_0 + stay_after_1) / 2
    assert exact_small_regret(1, NPB) == pytest.approx(GAP * stay)
    assert exact_small_regret(2, NPB) == pytest.approx(GAP * (stay + second))


@pytest.mark.parametrize("p", [0.5, 1e-3, 1e-30, 1e-150, 1e-297])
@pytest.mark.parametrize("ratio", [1e-3, 1.0, 1e3])
def test_one_sticky_history_is_the_truncated_geometric(p, ratio):
    """Closed form at any horizon: every later history pulls arm 1 at once."""
    T = np.floor(max(ratio / p, 1.0))

    def sticky(alpha, beta):
        return np.where(np.add(alpha, beta) == 2, np.log(p), 0.0)

    pulls = (1 / p - 1) * -np.expm1(T * np.log1p(-p))
    assert expected_regret(T, sticky) == pytest.approx(GAP * pulls, rel=1e-9)


def test_two_sticky_histories_of_far_scales():
    """Waits of rate a, then, after a 0, of rate b: hypoexponential at horizons where a, b << 1."""
    a, b, T = 1e-100, 3e-102, 1e101

    def sticky(alpha, beta):
        p = np.where((np.equal(alpha, 1)) & (np.equal(beta, 2)), b, 1.0)
        return np.log(np.where(np.add(alpha, beta) == 2, a, p))

    first = -np.expm1(-a * T) / a
    second = (-np.expm1(-b * T) / b * a + np.expm1(-a * T)) / (a - b)
    expected = GAP * (first + second / 2)
    assert expected_regret(T, sticky) == pytest.approx(expected, rel=1e-9)


def simulate(log_probability, horizon, runs, seed, pulls=300):
    """E[R] and its error at a horizon, from runs that jump from pull to pull of arm 1.

    A run's first 0, 6, 12, ... rewards are drawn almost all 0, and it is weighted back: histories
    that begin with zeros are what costs, and too rare to be met otherwise.
    """
    rng = np.random.default_rng(seed)
    lengths, mean = np.array([0, 6, 12, 20, 32, 48, 64]), 0.05
    biased = np.arange(pulls)[:, None] < rng.choice(lengths, runs)
    rewards = rng.random((pulls, runs)) < np.where(biased, mean, 0.5)
    ones = np.array([rewards[:length].sum(axis=0) for length in lengths])
    zeros = lengths[:, None] - ones
    weight = 1 / np.mean((2 * mean) ** ones * (2 * (1 - mean)) ** zeros, axis=0)
    alpha, now, lost = np.ones(runs, dtype=int), np.zeros(runs), np.zeros(runs)
    for k in range(pulls):
        log_p = log_probability(np.arange(1, k + 2), k + 1 - np.arange(k + 1))
        with np.errstate(divide="ignore"):  # p rounds to 1 after many rewards: no wait
            rate = -np.log1p(-np.exp(log_p))
        wait = np.floor(rng.exponential(size=runs) / rate[alpha - 1])
        lost += np.minimum(wait, np.maximum(horizon - now, 0))
        now += wait + 1
        alpha += rewards[k]
    return GAP * np.mean(weight * lost), GAP * np.std(weight * lost) / np.sqrt(runs)


@both
@pytest.mark.parametrize("horizon", [1e6, 1e12])
def test_regret_is_that_of_event_driven_runs(log_probability, horizon):
    mean, error = simulate(log_probability, horizon, runs=30_000, seed=7)
    assert error < 0.02
    assert abs(expected_regret(horizon, log_probability) - mean) < 4 * error


@both
def test_what_is_left_out_does_not_matter(log_probability, monkeypatch):
    horizons = np.geomspace(1e4, 1e300, 3)
    monkeypatch.setattr(lock_in, "BATCH", 1)
    usual = expected_regret(horizons, log_probability)
    monkeypatch.setattr(lock_in, "DROPPED", 1e-13)
    monkeypatch.setattr(lock_in, "NODES", 26)
    np.testing.assert_allclose(expected_regret(horizons, log_probability), usual, rtol=1e-8)


@both
def test_the_bound_on_what_is_left_out_is_small_beside_the_regret(log_probability):
    """The share is taken of a bound on the regret: that bound must not be far above it."""
    horizons, regret = curve(log_probability)
    edges = np.unique(np.ceil(np.geomspace(1, 1000, 130)))
    log_cost, chance = lock_in._cells(np.arange(800)[:, None], edges, log_probability)
    for T, found in zip(horizons[1::5], regret[1::5], strict=True):
        bound = GAP * (np.exp(np.minimum(log_cost, np.log(T))) * chance).sum()
        assert found < bound
        assert lock_in.DROPPED * bound < 1e-7 * found


@both
def test_regret_never_falls(log_probability):
    _, regret = curve(log_probability)
    assert np.all(np.diff(regret) > -1e-10 * regret[1:])


def test_order_shape_and_repeats_of_horizons_are_kept():
    horizons = np.array([[1e9, 5.0], [5.9, 1e3]])
    found = expected_regret(horizons, NPB)
    assert found.shape == (2, 2)
    assert found[0, 1] == found[1, 0] == expected_regret(5, NPB)
    np.testing.assert_allclose(found[1, 1], expected_regret(1e3, NPB), rtol=1e-9)


@pytest.mark.parametrize("horizon", [0, -1, np.nan, 1e301])
def test_horizons_out_of_range_are_refused(horizon):
    with pytest.raises(InvalidInput, match="horizons"):
        expected_regret(horizon, NPB)


def test_weighted_bootstrap_stays_flat():
    horizons, regret = curve(WB)
    late = horizons > 1e12
    np.testing.assert_allclose(regret[late], regret[-1], rtol=1e-9)
    assert np.abs(local_exponent(horizons, regret)[late]).max() < 1e-9


def test_exponent_rises_towards_one_over_windows_of_many_steps():
    """Point by point it swings: P(1, m+1) falls by steps, whenever (m+2)/4 passes an integer."""
    regret = expected_regret(10.0 ** np.arange(20, 301, 40), NPB)
    exponents = np.diff(np.log10(regret)) / 40
    assert np.all(np.diff(exponents) > 0)
    assert exponents[-1] > 0.45


def test_local_exponent_of_a_power():
    horizons = np.geomspace(1, 1e300, 30)
    np.testing.assert_allclose(local_exponent(horizons, 3 * horizons**0.7), 0.7)


def test_histories_that_matter_are_few():
    depths, widths = histories_that_matter(np.array([1e3, 1e100, 1e300]), NPB)
    assert depths.max() < 800
    assert widths[-1] < 10  # at 10^300 only histories of hardly any reward cost anything

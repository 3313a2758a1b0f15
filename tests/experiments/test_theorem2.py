"""Theorem 2: its bound and the fit against slow or known answers, and verdicts of made-up runs."""

import numpy as np
import pytest
from scipy import stats

from bandstrap.errors import InvalidInput
from bandstrap.experiments import Settings, Verdict
from bandstrap.experiments.theorem2 import GAPS, Theorem2, fitted_exponent, theorem2_bound
from bandstrap.simulation import Trace


@pytest.mark.parametrize("gap", [0.0, 0.05, 0.4, 1.0])
@pytest.mark.parametrize("horizon", [10, 10**4, 10**6])
def test_bound_is_the_appendix(horizon, gap):
    T = horizon
    tilde = (16 * np.log(T) / T) ** (1 / 3)
    pulls = 16 / tilde**2 * np.log(T)
    assert theorem2_bound(T, gap) == pytest.approx(gap * pulls + tilde * T + gap + 4)


def test_both_terms_balance_at_gap_one():
    T = 10**5
    balanced = T ** (2 / 3) * (16 * np.log(T)) ** (1 / 3)
    assert theorem2_bound(T, 1.0) == pytest.approx(2 * balanced + 5)


def test_bound_grows_with_the_logarithm_that_the_theorem_leaves_out():
    horizons = 10.0 ** np.arange(20, 200, 20)
    bounds = np.array([theorem2_bound(T, 0.3) for T in horizons])
    scaled = bounds / (horizons ** (2 / 3) * np.log(horizons) ** (1 / 3))
    np.testing.assert_allclose(scaled, scaled[0], rtol=1e-9)


@pytest.mark.parametrize(("horizon", "gap", "name"), [(1, 0.1, "horizon"), (10, 1.5, "gap")])
def test_bound_refuses_what_it_cannot_mean(horizon, gap, name):
    with pytest.raises(InvalidInput, match=name):
        theorem2_bound(horizon, gap)


def test_exponent_of_a_power_is_exact():
    horizons = np.geomspace(1e3, 1e6, 4)
    exponent, error = fitted_exponent(horizons, 5 * horizons ** (2 / 3))
    assert exponent == pytest.approx(2 / 3)
    assert error == pytest.approx(0, abs=1e-12)


def test_exponent_and_error_are_those_of_least_squares():
    horizons = np.geomspace(1e3, 1e6, 12)
    noise = np.random.default_rng(3).normal(scale=0.1, size=12)
    regrets = horizons**0.6 * np.exp(noise)
    expected = stats.linregress(np.log(horizons), np.log(regrets))
    assert fitted_exponent(horizons, regrets) == pytest.approx((expected.slope, expected.stderr))


def test_two_points_have_a_slope_and_no_error():
    exponent, error = fitted_exponent([10, 1000], [1, 10])
    assert exponent == pytest.approx(0.5)
    assert np.isnan(error)


@pytest.mark.parametrize(
    ("horizons", "regrets"), [([10], [1]), ([10, 10], [1, 2]), ([10, 20], [1, 2, 3])]
)
def test_too_few_points_are_refused(horizons, regrets):
    with pytest.raises(InvalidInput, match="horizons"):
        fitted_exponent(horizons, regrets)


HORIZONS = (1_000, 10_000, 100_000, 1_000_000)


def claim_of(regret, horizons=HORIZONS):
    """The verdict on runs that end with `regret(T, gap)`."""
    traces = []
    for gap in GAPS:
        for T in horizons:
            final = np.full((3, 1), regret(T, gap))
            rounds = np.array([T])
            traces.append(
                Trace("theorem2", str(gap), str(T), rounds, final, 0 * final, 0.0 * rounds)
            )
    (claim,) = Theorem2().check(Settings(), traces)
    assert claim.id == "C7"
    return claim


def grows(exponent, share=0.3):
    return lambda horizon, gap: share * horizon**exponent * np.log(horizon) ** (1 / 3)


def test_regret_of_the_theorems_order_reproduces_it():
    claim = claim_of(grows(2 / 3))
    assert claim.verdict is Verdict.REPRODUCED
    assert "0.667 ± 0.000 after dividing by (log T)^⅓" in claim.evidence


def test_regret_that_grows_faster_does_not():
    claim = claim_of(grows(0.75, share=0.1))
    assert "largest share of the appendix's bound 0." in claim.evidence  # below it all the same
    assert claim.verdict is Verdict.NOT_REPRODUCED


def test_regret_above_the_appendix_does_not():
    claim = claim_of(lambda horizon, gap: 1.1 * theorem2_bound(horizon, gap))
    assert claim.verdict is Verdict.NOT_REPRODUCED


def test_two_horizons_decide_nothing():
    claim = claim_of(grows(0.9), HORIZONS[:2])
    assert claim.verdict is Verdict.UNDECIDED
    assert "too few horizons" in claim.evidence

"""The lemmas behind Theorem 1 against slow sums, exact fractions and the regret they bound."""

from math import log

import numpy as np
import pytest
from walks import curve, exact_log, exact_npb

from bandstrap.experiments.theorem1.experiment import (
    check_bad_history,
    check_truncated_geometric,
    guaranteed_exponent,
    lemma_bound,
    lemma_bound_exact_tail,
    lemma_gives_theorem1,
)
from bandstrap.experiments.theorem1.lock_in import expected_regret, npb_pull_log_probability

NPB = npb_pull_log_probability


def test_regret_of_the_bootstrap_is_above_the_lemmas():
    horizons, regret = curve(NPB)
    dense = np.unique(np.floor(np.geomspace(10, 1000, 60)))
    for T, found in ((horizons, regret), (dense, expected_regret(dense, NPB))):
        assert np.all(found >= lemma_bound(T))
        assert np.all(found >= lemma_bound_exact_tail(T))


def test_exact_tail_makes_the_lemma_sharp():
    horizons, regret = curve(NPB)
    late = horizons > 1e60
    assert np.all(lemma_bound_exact_tail(horizons)[late] > regret[late] / 20)


def test_lemma_bound_is_the_best_m():
    horizons = [15, 16, 40, 1e3, 1e6]
    slow = [
        max(2.0**-m / 8 * min(m ** (m / 20), T / 4) for m in range(15, min(int(T), 500) + 1))
        for T in horizons
    ]
    np.testing.assert_allclose(lemma_bound(horizons), slow, rtol=1e-12)
    assert lemma_bound([14.0]) == 0


def test_exact_tail_bound_is_the_best_m_of_both_cases():
    def slow(horizon, m):
        p = float(exact_npb(1, m + 1))
        early = min(1 / p - 1, horizon / 2 * (1 - p)) / 8
        return 2.0**-m * min(early, max(horizon // 2 - m, 0) / 4)

    horizons = [20, 33, 34, 60, 1000, 10**6]
    expected = [max(slow(T, m) for m in range(15, min(T, 100) + 1)) for T in horizons]
    np.testing.assert_allclose(lemma_bound_exact_tail(horizons), expected, rtol=1e-10)
    assert expected[0] == 0 < expected[1]


def test_bad_history_lemma_holds_from_15():
    found = check_bad_history(3000)
    assert found.checked == found.holding == 2986
    assert found.proof_step_from == 15
    m = found.smallest_margin_at
    exact = -(m + 2) * log(m + 2) / 20 - exact_log(exact_npb(1, m + 1))
    assert found.smallest_margin == pytest.approx(exact, rel=1e-12)
    assert found.smallest_margin > 0


def test_truncated_geometric_lemma_holds():
    found = check_truncated_geometric()
    assert found.checked == found.equal == found.bounded > 3000
    # At p = 1/l the ratio is 2 (1 - (1 - 1/l)^l), which falls to 2 (1 - 1/e).
    assert 2 * (1 - np.exp(-1)) < found.tightest_ratio < 1.265


def test_guaranteed_exponent_agrees_with_the_bound_and_rises_towards_one():
    for exponent in (100, 250):
        bound = float(lemma_bound_exact_tail([10.0**exponent])[0])
        # The best m is within a step of the balance, which costs at most a few factors of two.
        assert guaranteed_exponent(exponent) == pytest.approx(np.log10(bound) / exponent, abs=0.03)
    far = [guaranteed_exponent(x) for x in (1e2, 1e3, 1e4, 1e6, 1e9, 1e12)]
    assert np.all(np.diff(far) > 0)
    assert far[-1] < 1


def test_the_lemma_gives_the_theorem_where_it_says_so():
    assert all(lemma_gives_theorem1(gamma) for gamma in (0.99, 0.6, 0.3, 0.12))

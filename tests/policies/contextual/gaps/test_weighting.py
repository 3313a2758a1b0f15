"""Inverse gap weighting: its closed form, and a draw of scores that follows it."""

import numpy as np
import pytest
from scipy.stats import chisquare

from bandstrap import Gamma, InvalidInput
from bandstrap.choice import highest
from bandstrap.policies.contextual.gaps.weighting import inverse_gap_weights, raised

EXPECTED = np.array([0.7, 0.2, 0.65, 0.7 - 1e-3, 0.1])
GAMMA = 30.0
DRAWS = 20_000


def by_the_book(expected, gamma, allowed):
    """As the papers write it down, with K the number of all arms."""
    arms = [arm for arm in range(len(expected)) if allowed[arm]]
    best = max(arms, key=lambda arm: expected[arm])
    shares = [0.0] * len(expected)
    for arm in arms:
        if arm != best:
            shares[arm] = 1 / (len(expected) + gamma * (expected[best] - expected[arm]))
    shares[best] = 1 - sum(shares)
    return shares


SUBSETS = [[True] * 5, [False, True, True, True, True], [False, True, False, False, True]]


@pytest.mark.parametrize("allowed", SUBSETS, ids=["all", "without the best", "two"])
def test_weights_are_those_of_the_papers(allowed):
    found = inverse_gap_weights(EXPECTED, GAMMA, np.array(allowed))
    assert found == pytest.approx(by_the_book(EXPECTED, GAMMA, allowed), abs=1e-12)
    assert found.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("allowed", SUBSETS, ids=["all", "without the best", "two"])
def test_the_best_of_raised_scores_follows_them(allowed):
    allowed, rng = np.array(allowed), np.random.default_rng(1)
    arms = [highest(raised(EXPECTED, GAMMA, rng), allowed, rng) for _ in range(DRAWS)]
    shares = inverse_gap_weights(EXPECTED, GAMMA, allowed)[allowed]
    assert chisquare(np.bincount(arms, minlength=5)[allowed], DRAWS * shares).pvalue > 1e-4


def test_arms_that_tie_share_alike():
    expected, allowed = np.array([0.5, 0.5, 0.0]), np.ones(3, dtype=bool)
    shares = inverse_gap_weights(expected, 10.0, allowed)
    assert shares == pytest.approx([0.5 - 1 / 16, 0.5 - 1 / 16, 1 / 8])
    rng = np.random.default_rng(0)
    arms = [highest(raised(expected, 10.0, rng), allowed, rng) for _ in range(DRAWS)]
    assert chisquare(np.bincount(arms), DRAWS * shares).pvalue > 1e-4


def test_arms_to_be_tried_first_are_tried_first():
    expected, allowed = np.array([0.9, np.inf, np.inf, 0.1]), np.ones(4, dtype=bool)
    assert inverse_gap_weights(expected, 5.0, allowed).tolist() == [0.0, 0.5, 0.5, 0.0]
    rng = np.random.default_rng(0)
    for _ in range(200):
        scores = raised(expected, 5.0, rng)
        assert highest(scores, allowed, rng) in (1, 2)
        assert scores[[0, 3]].max() <= 0.9 + 4 / 5.0


def test_gamma_grows_with_arms_and_rounds():
    assert Gamma(3.0)(4, 25.0) == pytest.approx(30.0)
    assert Gamma(3.0, exponent=0.0)(4, 25.0) == 3.0
    assert Gamma(3.0)(4, 0.0) == Gamma(3.0)(4, 1.0)


@pytest.mark.parametrize(
    "given", [{"scale": 0.0}, {"scale": np.nan}, {"scale": 1e10}, {"exponent": -0.1}]
)
def test_what_is_no_schedule_is_refused(given):
    with pytest.raises(InvalidInput, match=next(iter(given))):
        Gamma(**given)

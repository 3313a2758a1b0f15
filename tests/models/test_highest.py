"""Choosing among scores."""

import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.models.base import highest


def test_only_allowed_arms_are_chosen_and_ties_are_broken_evenly():
    rng = np.random.default_rng(0)
    scores, allowed = np.array([3.0, 1.0, 1.0, 0.0]), np.array([False, True, True, True])
    counts = np.bincount([highest(scores, allowed, rng) for _ in range(400)], minlength=4)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert abs(counts[1] - 200) < 50  # five standard deviations


def test_scores_that_are_no_numbers_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="contexts = 'too large'"):
        highest(np.array([np.nan, np.nan]), np.ones(2, dtype=bool), rng)

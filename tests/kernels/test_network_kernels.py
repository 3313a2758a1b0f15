"""One pass of a network's kernels, against NumPy's many."""

import numpy as np
import pytest

from bandstrap.kernels.network import note_scale, prioritise, standardise


@pytest.mark.parametrize("rows", [60, 200, 0])
def test_picks_are_even_along_the_summed_errors(rows) -> None:
    rng = np.random.default_rng(3)
    errors = rng.random(200)
    for _ in range(20):
        candidates, start = rng.integers(0, 100, 64), rng.random()
        picks, weights = np.zeros(8, dtype=np.int64), np.zeros(8)
        prioritise(candidates, errors, rows, 0.05, start, np.empty(64), picks, weights)
        own = 0.05 + np.where(candidates < rows, errors[candidates], 1.0)
        ends = np.cumsum(own)
        chosen = np.searchsorted(ends, (np.arange(8) + start) * ends[-1] / 8)
        assert (picks == candidates[chosen]).all()
        np.testing.assert_allclose(weights, np.sqrt(own.mean() / own[chosen]), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64], ids=["bytes", "32", "64"])
def test_contexts_are_standardised_by_what_has_been_seen(dtype) -> None:
    rng = np.random.default_rng(4)
    contexts = rng.integers(0, 255, (50, 6)).astype(dtype)
    contexts[:, 2] = 7  # constant
    contexts[:, 4] = 0
    contexts[3, 4] = 200  # rare
    unit = 1 / 255 if dtype == np.uint8 else 1.0
    mean, squares, shares = np.zeros((3, 6))
    for row in range(50):
        note_scale(contexts[row], unit, row + 1, 1e-9, mean, squares, shares)
    numbers = contexts * np.float64(unit)
    np.testing.assert_allclose(mean, numbers.mean(axis=0), rtol=1e-12)
    spread = numbers.std(axis=0)
    assert shares[2] == 0
    np.testing.assert_allclose(np.delete(shares, 2), 1 / np.delete(spread, 2), rtol=1e-9)
    out = np.zeros((50, 6), dtype=np.float32)
    standardise(contexts, unit, mean, shares, 5.0, out)
    np.testing.assert_allclose(out, np.clip((numbers - mean) * shares, -5, 5), atol=1e-6)
    assert out[3, 4] == 5

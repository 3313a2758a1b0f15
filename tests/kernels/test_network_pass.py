"""Batches of a pass, sorted, and its steps, against NumPy."""

import numpy as np
import pytest

from bandstrap.kernels.network_pass import (
    along_axes,
    sort_batches,
    step,
    subtract,
    subtract_one,
)

LENGTHS = np.array([2.0, 1.0, 0.5])
FIRST = 4 * LENGTHS.size  # number of the first dense row


def network(rng, units=5):
    return [rng.normal(size=shape) for shape in ((4, units), units, units, 1)]


@pytest.mark.parametrize("size", [1, 4, 7, 40])
def test_batches_have_their_rows_that_count_dense_ones_first(size) -> None:
    rng = np.random.default_rng(1)
    order, weights = rng.permutation(FIRST + 9), rng.poisson(1.0, FIRST + 9) + 0.0
    shares, rows = weights.copy(), np.zeros(order.size, dtype=np.int64)
    ends = np.zeros((-(-order.size // size), 2), dtype=np.int64)
    sort_batches(order, size, shares, FIRST, rows, ends)
    begin = 0
    for k, (middle, end) in enumerate(ends):
        batch = order[k * size : (k + 1) * size]
        counting = batch[weights[batch] > 0]
        np.testing.assert_array_equal(rows[begin:middle], counting[counting >= FIRST])
        np.testing.assert_array_equal(rows[middle:end], counting[counting < FIRST])
        np.testing.assert_allclose(shares[batch], weights[batch] / batch.size)
        begin = end


def stepped(parameters, inputs, targets, shares, rate):
    """One step by all examples at once."""
    weights, bias, last, last_bias = parameters
    hidden = np.maximum(inputs @ weights + bias, 0.0)
    slopes = shares * (1 / (1 + np.exp(-(hidden @ last + last_bias[0]))) - targets)
    inner = np.outer(slopes, last) * (hidden > 0)
    gradient = inputs.T @ inner, inner.sum(axis=0), slopes @ hidden, slopes.sum(keepdims=True)
    return [value - rate * slope for value, slope in zip(parameters, gradient, strict=True)]


def test_steps_are_those_of_rows_written_out() -> None:
    rng = np.random.default_rng(2)
    parameters, dense = network(rng), rng.normal(size=(2, 4))
    inputs = np.zeros((FIRST + 2, 4))
    for i in range(FIRST):
        inputs[i, i // 4] = LENGTHS[i // 4] if i % 4 < 2 else -LENGTHS[i // 4]
    inputs[FIRST:] = dense
    targets, shares = rng.random(FIRST + 2), rng.random(FIRST + 2)
    batches = [np.array([0, 3, 3, 9]), np.array([5, 1]), np.array([FIRST, FIRST + 1, 2, 10])]
    expected = parameters
    for batch in batches:
        given = inputs[batch], targets[batch], shares[batch]
        expected = stepped(expected, *given, 0.3)
    ours = tuple(value.copy() for value in parameters)
    rows, ends = np.concatenate(batches), np.array([[0, 4], [4, 6], [8, 10]])
    hidden, slopes, scratch = np.zeros((4, 5)), np.zeros(4), np.zeros((3, 5))
    rest = LENGTHS, ours, targets, shares, hidden, slopes, scratch
    assert along_axes(0, 0.3, rows, ends, *rest) == 2
    hidden[:2] = dense @ ours[0]
    step(0.3, rows[6:], 2, *rest)
    subtract_one(ours[0], 0.3, dense[0], hidden[0])
    subtract(ours[0], 0.3, np.outer(dense[1], hidden[1]))
    for own, naive in zip(ours, expected, strict=True):
        np.testing.assert_allclose(own, naive, atol=1e-12)
    assert along_axes(3, 0.3, rows, ends, *rest) == 3

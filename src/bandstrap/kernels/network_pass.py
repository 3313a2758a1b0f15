"""One pass of a one-layer network over shuffled batches, where most rows lie along an axis.

Rows are numbered: four for each axis, at +length twice and then at -length twice, and dense rows
after them. A row along an axis needs one row of the hidden weights, not all. Dense rows of a batch
are multiplied by NumPy between two calls; the kernels do everything else. Rows of weight 0 have no
gradient: they count in their batch's mean and are skipped.
"""

import numpy as np

from bandstrap.kernels.compile import kernel

_ZERO = np.float32(0.0)


@kernel
def _total(x, n):
    """The sum of n numbers, by eight accumulators in a fixed order."""
    a = b = c = d = e = f = g = h = _ZERO
    even = n - n % 8
    for i in range(0, even, 8):
        a += x[i]
        b += x[i + 1]
        c += x[i + 2]
        d += x[i + 3]
        e += x[i + 4]
        f += x[i + 5]
        g += x[i + 6]
        h += x[i + 7]
    for i in range(even, n):
        a += x[i]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@kernel
def _slope(logit, reward, share):
    """The slope of the weighted log loss by the logit."""
    return share * (1.0 / (1.0 + np.exp(-np.float64(logit))) - reward)


@kernel
def _place(row, lengths):
    """Where along which axis a row lies."""
    axis = row // 4
    return axis, lengths[axis] if row % 4 < 2 else -lengths[axis]


@kernel
def _look(weights, axis, value, bias, last, hidden, terms):
    """The hidden layer of a row along an axis; returns the output without its bias."""
    for j in range(hidden.size):
        unit = max(value * weights[axis, j] + bias[j], _ZERO)
        hidden[j] = unit
        terms[j] = unit * last[j]
    return _total(terms, hidden.size)


@kernel
def _look_dense(bias, last, hidden, terms):
    """The same of a dense row, whose products with the weights are there already."""
    for j in range(hidden.size):
        unit = max(hidden[j] + bias[j], _ZERO)
        hidden[j] = unit
        terms[j] = unit * last[j]
    return _total(terms, hidden.size)


@kernel
def _gather(slope, hidden, last, bias_slope, last_slope):
    """Add a row's slopes by the bias and the output weights; leave those by its units instead."""
    for j in range(hidden.size):
        unit = hidden[j]
        last_slope[j] += slope * unit
        own = slope * last[j] if unit > _ZERO else _ZERO
        bias_slope[j] += own
        hidden[j] = own


@kernel
def _move(weights, axis, scale, slopes):
    for j in range(slopes.size):
        weights[axis, j] -= scale * slopes[j]


@kernel
def _step(rate, batch, n_dense, lengths, network, targets, shares, hidden, slopes, scratch):
    """One step on a batch's rows, dense ones first; leaves the slopes of their units in `hidden`.

    The weights take the step along axes only: that along dense rows is theirs times `hidden`.
    """
    weights, bias, last, last_bias = network
    terms, bias_slope, last_slope = scratch[0], scratch[1], scratch[2]
    total = _ZERO
    for j in range(bias.size):
        bias_slope[j] = last_slope[j] = _ZERO
    for r in range(batch.size):
        if r < n_dense:
            logit = _look_dense(bias, last, hidden[r], terms)
        else:
            axis, value = _place(batch[r], lengths)
            logit = _look(weights, axis, value, bias, last, hidden[r], terms)
        slopes[r] = _slope(logit + last_bias[0], targets[batch[r]], shares[batch[r]])
    for r in range(batch.size):
        total += slopes[r]
        _gather(slopes[r], hidden[r], last, bias_slope, last_slope)
        if r >= n_dense:
            axis, value = _place(batch[r], lengths)
            _move(weights, axis, rate * value, hidden[r])
    for j in range(bias.size):
        bias[j] -= rate * bias_slope[j]
        last[j] -= rate * last_slope[j]
    last_bias[0] -= rate * total


@kernel
def sort_batches(order, size, shares, first, rows, ends):
    """Rows that count, batch by batch, dense ones first in each, and shares of the batch's mean.

    `ends` (batches, 2) is where a batch's dense rows end, and where the batch does.
    """
    n, at = order.size, 0
    for k in range(ends.shape[0]):
        begin, end = k * size, min(n, (k + 1) * size)
        for dense in range(2):
            for i in range(begin, end):
                row = order[i]
                if (row >= first) == (dense == 0) and shares[row] != 0.0:
                    rows[at] = row
                    at += 1
            ends[k, dense] = at
        for i in range(begin, end):
            shares[order[i]] /= end - begin


@kernel
def along_axes(k, rate, rows, ends, lengths, network, targets, shares, hidden, slopes, scratch):
    """Steps from batch k on until one that has dense rows; returns its number."""
    begin = ends[k - 1, 1] if k > 0 else 0
    while k < ends.shape[0] and ends[k, 0] == begin:
        batch = rows[begin : ends[k, 1]]
        if batch.size > 0:
            _step(rate, batch, 0, lengths, network, targets, shares, hidden, slopes, scratch)
        begin = ends[k, 1]
        k += 1
    return k


@kernel
def step(rate, batch, n_dense, lengths, network, targets, shares, hidden, slopes, scratch):
    """As `_step`, for a batch with dense rows."""
    _step(rate, batch, n_dense, lengths, network, targets, shares, hidden, slopes, scratch)


@kernel
def subtract(weights, rate, gradient):
    """A step of the hidden weights."""
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            weights[i, j] -= rate * gradient[i, j]


@kernel
def subtract_one(weights, rate, row, slopes):
    """The same for a gradient by one row, which is not worth an array."""
    for i in range(weights.shape[0]):
        scale = rate * row[i]
        for j in range(weights.shape[1]):
            weights[i, j] -= scale * slopes[j]

"""Stochastic gradient descent over a weighted history, with scikit-learn's steps and stopping rule.

A row's weight multiplies its step, as scikit-learn does it; a row of weight 2 is not quite the same
as two rows. The penalty shrinks all parameters but the intercept at every step, whatever the row's
weight; that is one factor kept aside, so that a step costs only the row's features that are not
zero.
"""

import numpy as np

from bandstrap.kernels.codes import LINEAR
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.random.streams import below

_LARGEST_SLOPE = 1e12
_MOST = 0.5 * _LARGEST_SLOPE * _LARGEST_SLOPE
_SMALLEST_FACTOR = 1e-9


@kernel
def _shuffle(stream, order):
    for i in range(order.size - 1, 0, -1):
        j = below(stream, i + 1)
        order[i], order[j] = order[j], order[i]


@kernel
def _rate(loss, penalty, offset, time):
    """scikit-learn's schedules: "optimal" for the logistic loss, "invscaling" for the squared."""
    if loss == LINEAR:
        return 0.01 / np.sqrt(np.sqrt(time))
    return 1.0 / (penalty * (offset + time - 1.0))


@kernel
def _loss_and_slope(loss, margin, reward):
    if loss == LINEAR:
        gap = margin - reward
        return 0.5 * gap * gap, min(max(gap, -_LARGEST_SLOPE), _LARGEST_SLOPE)
    power = np.exp(-abs(margin))
    size = np.log1p(power) + max(margin, 0.0) - reward * margin
    share = 1.0 / (1.0 + power) if margin >= 0.0 else power / (1.0 + power)
    return size, share - reward


@kernel
def _dot(theta, row, unit):
    total = 0.0
    for i in range(row.size):
        if row[i] != 0:
            total += theta[i] * (row[i] * unit)
    return total


@kernel
def _add(theta, row, unit, scale):
    for i in range(row.size):
        if row[i] != 0:
            theta[i] += scale * (row[i] * unit)


@kernel
def _fold(theta, factor):
    for i in range(theta.size - 1):
        theta[i] *= factor


@kernel
def _step(loss, penalty, rate, theta, factor, row, unit, reward, weight):
    """One row's step; returns its loss before the step and the factor after it."""
    last = theta.size - 1
    margin = factor * _dot(theta, row, unit) + theta[last]
    size, slope = _loss_and_slope(loss, margin, reward)
    move = -rate * weight * slope
    factor *= max(0.0, 1.0 - rate * penalty)
    if factor < _SMALLEST_FACTOR:
        _fold(theta, factor)
        factor = 1.0
    _add(theta, row, unit, move / factor)
    theta[last] += move
    return size, factor


@kernel
def _finite(theta):
    total = 0.0
    for i in range(theta.size):
        total += 0.0 * theta[i]  # zero unless one is infinite or not a number
    return total == 0.0


@kernel
def descend(stream, loss, settings, theta, pseudo, rows, unit, rewards, weights, order):
    """Passes over pseudo-examples and rows until the loss no longer falls by the threshold.

    `rewards` and `weights` are those of the pseudo-examples and then of the rows. Returns the
    number of passes, or -1 if descent went the wrong way: to infinite parameters, or to losses
    that no rewards explain.
    """
    penalty, threshold, patience, most = settings
    first = pseudo.shape[0]
    offset = penalty**-0.75  # the first step is as large as a parameter may be: penalty ** -1/4
    for i in range(order.size):
        order[i] = i
    best, stale, time, factor = np.inf, 0, 1.0, 1.0
    passes = 0
    while passes < most and stale < patience:
        _shuffle(stream, order)
        total = 0.0
        for n in range(order.size):
            i = order[n]
            rate = _rate(loss, penalty, offset, time)
            if i < first:
                size, factor = _step(
                    loss, penalty, rate, theta, factor, pseudo[i], 1.0, rewards[i], weights[i]
                )
            else:
                row = rows[i - first]
                size, factor = _step(
                    loss, penalty, rate, theta, factor, row, unit, rewards[i], weights[i]
                )
            total += size
            time += 1.0
        passes += 1
        if not _finite(theta) or (loss == LINEAR and total > _MOST):
            return -1
        stale = stale + 1 if total > best - threshold * order.size else 0
        best = min(best, total)
    _fold(theta, factor)
    return passes

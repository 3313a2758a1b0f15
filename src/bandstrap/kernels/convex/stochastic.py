"""Stochastic gradient descent over a weighted history, with scikit-learn's steps and stopping rule.

A row's weight multiplies its step, as scikit-learn does it; a row of weight 2 is not quite the same
as two rows. A pass visits the rows that `order` names, each as often. The penalty shrinks all
parameters but the intercept at every step, whatever the row's weight; that is one factor kept
aside, so that a step costs only the row's features that are not zero. Pseudo-examples along axes
have one such feature, where contexts are rotated so; rotated rows have hardly a zero, and are taken
whole.
"""

import numpy as np

from bandstrap.kernels.codes import LINEAR
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.convex.loss import total_of
from bandstrap.kernels.intrinsics import prefetch
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
def _dot_all(theta, row, scratch):
    """The product with a row, folded in eight, which can be vectorised as it stands."""
    q = row.size // 8
    for j in range(q):
        scratch[j] = (
            (theta[j] * row[j] + theta[j + q] * row[j + q])
            + (theta[j + 2 * q] * row[j + 2 * q] + theta[j + 3 * q] * row[j + 3 * q])
        ) + (
            (theta[j + 4 * q] * row[j + 4 * q] + theta[j + 5 * q] * row[j + 5 * q])
            + (theta[j + 6 * q] * row[j + 6 * q] + theta[j + 7 * q] * row[j + 7 * q])
        )
    total = total_of(scratch, q)
    for j in range(8 * q, row.size):
        total += theta[j] * row[j]
    return total


@kernel
def _add_all(theta, row, unit, scale):
    scale *= unit
    for i in range(row.size):
        theta[i] += scale * row[i]


@kernel
def _shrink(theta, factor, share):
    """The factor after a step's penalty; it is folded into the parameters before it underflows."""
    factor *= max(0.0, 1.0 - share)
    if factor < _SMALLEST_FACTOR:
        _fold(theta, factor)
        factor = 1.0
    return factor


@kernel
def _step(loss, penalty, rate, theta, factor, row, unit, reward, weight):
    """One row's step; returns its loss before the step and the factor after it."""
    last = theta.size - 1
    margin = factor * _dot(theta, row, unit) + theta[last]
    size, slope = _loss_and_slope(loss, margin, reward)
    move = -rate * weight * slope
    factor = _shrink(theta, factor, rate * penalty)
    _add(theta, row, unit, move / factor)
    theta[last] += move
    return size, factor


@kernel
def _step_along(loss, penalty, rate, theta, factor, axis, value, reward, weight):
    """The same for a row whose only feature is that of an axis."""
    last = theta.size - 1
    margin = factor * (theta[axis] * value) + theta[last]
    size, slope = _loss_and_slope(loss, margin, reward)
    move = -rate * weight * slope
    factor = _shrink(theta, factor, rate * penalty)
    theta[axis] += move / factor * value
    theta[last] += move
    return size, factor


@kernel
def _step_whole(loss, penalty, rate, theta, factor, row, unit, reward, weight, scratch):
    """The same for a row that has hardly a zero."""
    last = theta.size - 1
    margin = factor * unit * _dot_all(theta, row, scratch) + theta[last]
    size, slope = _loss_and_slope(loss, margin, reward)
    move = -rate * weight * slope
    factor = _shrink(theta, factor, rate * penalty)
    if move != 0.0:
        _add_all(theta, row, unit, move / factor)
    theta[last] += move
    return size, factor


@kernel
def _finite(theta):
    total = 0.0
    for i in range(theta.size):
        total += 0.0 * theta[i]  # zero unless one is infinite or not a number
    return total == 0.0


@kernel
def descend(
    stream, loss, settings, theta, lengths, pseudo, rows, unit, rewards, weights, order, scratch
):
    """Passes over pseudo-examples and rows until the loss no longer falls by the threshold.

    Pseudo-examples are four for each of the `lengths`, two there and two at its negative along the
    coordinate of the same number, and then `pseudo`. `rewards` and `weights` are theirs and then
    those of the rows; `order` has places in them. Returns the number of passes, or -1 if descent
    went the wrong way: to infinite parameters, or to losses that no rewards explain.
    """
    penalty, threshold, patience, most = settings
    along = 4 * lengths.size
    first = along + pseudo.shape[0]
    offset = penalty**-0.75  # the first step is as large as a parameter may be: penalty ** -1/4
    best, stale, time, factor = np.inf, 0, 1.0, 1.0
    passes = 0
    while passes < most and stale < patience:
        _shuffle(stream, order)
        total = 0.0
        for n in range(order.size):
            i, following = order[n], order[min(n + 1, order.size - 1)]
            if along > 0 and following >= first:
                prefetch(rows, following - first)
            rate = _rate(loss, penalty, offset, time)
            reward, weight = rewards[i], weights[i]
            if i < along:
                value = lengths[i // 4] if i % 4 < 2 else -lengths[i // 4]
                size, factor = _step_along(
                    loss, penalty, rate, theta, factor, i // 4, value, reward, weight
                )
            elif i < first:
                row = pseudo[i - along]
                size, factor = _step(loss, penalty, rate, theta, factor, row, 1.0, reward, weight)
            elif along > 0:
                size, factor = _step_whole(
                    loss, penalty, rate, theta, factor, rows[i - first], unit, reward, weight,
                    scratch,
                )  # fmt: skip
            else:
                own = rows[i - first]
                size, factor = _step(loss, penalty, rate, theta, factor, own, unit, reward, weight)
            total += size
            time += 1.0
        passes += 1
        if not _finite(theta) or (loss == LINEAR and total > _MOST):
            return -1
        stale = stale + 1 if total > best - threshold * order.size else 0
        best = min(best, total)
    _fold(theta, factor)
    return passes

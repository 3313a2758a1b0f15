"""Solving one draw: L-BFGS on top of a factor of the unweighted Hessian, with a line search.

Margins are kept, so a line search costs O(n) and each iteration one pass for the margins of the
direction and one for the gradient. A convex function falls as long as its slope is negative, so
the search looks at slopes alone and no objective is ever computed.
"""

import numpy as np

from bandstrap.kernels.codes import LINEAR
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.convex.loss import inner, residuals
from bandstrap.kernels.convex.passes import gradient, margins

MEMORY = 10  # pairs of steps and changes of gradient
TRIALS = 30
ENOUGH = 0.3  # share of the first slope that may be left when a line search ends
FLATTER = 1e4  # most that a factor is taken to have lost in bend
FURTHEST = 8.0  # most that one trial may go beyond the last


@kernel
def precondition(factor, v, out):
    """out = GᵀG v, reading G once; G is lower triangular, or has fewer rows and is dense."""
    d = out.size  # v may be longer
    rows = factor.shape[0]
    for j in range(d):
        out[j] = 0.0
    for i in range(rows):
        row = factor[i]
        filled = i + 1 if rows == d else d
        y = inner(row, v, filled)
        for j in range(filled):
            out[j] += y * row[j]


@kernel
def triangle_norm(factor, v, places):
    """The length of G v, with G lower triangular and v zero but in some rising places."""
    total = 0.0
    for i in range(factor.shape[0]):
        y = 0.0
        for j in places:
            if j > i:
                break
            y += factor[i, j] * v[j]
        total += y * y
    return np.sqrt(total)


@kernel
def direction(factor, flatter, g, pairs, count, p, work):
    """p = -B g with the L-BFGS inverse B of the last `count` pairs; returns -g·p.

    B starts from GᵀG times `flatter`, how much less the loss bends than where G was made.
    pairs[0] holds steps, pairs[1] changes of the gradient, work[0] their products, work[1] alphas.
    """
    d = g.size
    kept = min(count, MEMORY)
    for j in range(d):
        work[2, j] = g[j]
    for back in range(kept):
        k = (count - 1 - back) % MEMORY
        alpha = inner(pairs[0, k], work[2], d) / work[0, k]
        work[1, k] = alpha
        for j in range(d):
            work[2, j] -= alpha * pairs[1, k, j]
    precondition(factor, work[2], p)
    for j in range(d):
        p[j] *= flatter
    for back in range(kept - 1, -1, -1):
        k = (count - 1 - back) % MEMORY
        beta = inner(pairs[1, k], p, d) / work[0, k]
        for j in range(d):
            p[j] += (work[1, k] - beta) * pairs[0, k, j]
    for j in range(d):
        p[j] = -p[j]
    return -inner(g, p, d)


@kernel
def _penalise(theta, penalty, g):
    for j in range(g.size - 1):  # the intercept is free
        g[j] += penalty * theta[j]


@kernel
def full_gradient(axes, plain, x, n, unit, bias, r, theta, penalty, g, scratch):
    gradient(axes, plain, x, n, unit, bias, r, g, scratch)
    _penalise(theta, penalty, g)


@kernel
def _first_trial(loss, r, weight, total, u, entries, slope, bend):
    """The step that would be right if the loss were a parabola."""
    for i in range(entries):
        w = weight[i]
        if loss == LINEAR:
            bend += w * u[i] * u[i]
        elif w > 0.0:
            hit = r[i] + total[i]
            bend += hit * (1.0 - hit / w) * u[i] * u[i]
    if not bend > 0.0:
        return 1.0
    return -slope / bend


@kernel
def total_bend(loss, r, weight, total, entries):
    """How much the loss bends at all entries together, from its residuals."""
    bend = 0.0
    for i in range(entries):
        w = weight[i]
        if loss == LINEAR:
            bend += w
        elif w > 0.0:
            hit = r[i] + total[i]
            bend += hit * (1.0 - hit / w)
    return bend


@kernel
def _between(low, low_slope, high, high_slope, tried):
    """Where to look between two slopes; by orders of magnitude where a secant gets nowhere."""
    if tried > 3 and high > 4.0 * low:
        return np.sqrt(low * high) if low > 0.0 else 1e-3 * high
    width = high - low
    t = low - low_slope * width / (high_slope - low_slope)
    return min(max(t, low + 0.05 * width), high - 0.05 * width)


@kernel
def _search(loss, m, u, weight, total, entries, first, slope, pull, bend, trial):
    """A step at which most of the slope is gone; leaves the residuals there in `trial`."""
    low, low_slope = 0.0, slope
    high, high_slope = np.inf, np.inf
    t = first
    for tried in range(TRIALS):
        residuals(loss, m, u, t, weight, total, entries, trial)
        here = inner(trial, u, entries) + pull + t * bend
        if abs(here) <= -ENOUGH * slope:
            return t
        if here < 0.0:
            low, low_slope = t, here
        else:
            high, high_slope = t, here
        if high == np.inf:
            gained = low_slope - slope
            t = FURTHEST * low
            if gained > 0.0:
                t = min(t, low * slope / (slope - low_slope) * 1.1)
            t = max(t, 1.5 * low)
        else:
            t = _between(low, low_slope, high, high_slope, tried)
    residuals(loss, m, u, low, weight, total, entries, trial)
    return low


@kernel
def advance(
    loss, axes, plain, x, n, unit, bias, penalty, factor, weight, total,
    theta, m, r, g, p, slope, start_bend, pairs, count, work, u, trial
):  # fmt: skip
    """Move along p, whose slope is given, and find the next direction.

    Returns -g·p at the new point, twice the estimated distance to the least objective, and the
    number of pairs. -1 says that no step goes down, so that rounding is all there is left.
    """
    d = theta.size
    entries = 2 * axes.shape[0] + plain.shape[0] + n
    margins(axes, plain, x, n, unit, p, u, work[3], work[4])
    pull = penalty * inner(theta, p, d - 1)
    bend = penalty * inner(p, p, d - 1)
    first = _first_trial(loss, r, weight, total, u, entries, slope, bend)
    t = _search(loss, m, u, weight, total, entries, first, slope, pull, bend, trial)
    if t == 0.0:
        return -1.0, count
    for j in range(d):
        theta[j] += t * p[j]
    for i in range(entries):
        m[i] += t * u[i]
        r[i] = trial[i]
    k = count % MEMORY
    for j in range(d):
        pairs[0, k, j] = t * p[j]
        pairs[1, k, j] = -g[j]
    full_gradient(axes, plain, x, n, unit, bias, r, theta, penalty, g, work[3])
    for j in range(d):
        pairs[1, k, j] += g[j]
    work[0, k] = inner(pairs[0, k], pairs[1, k], d)
    if work[0, k] > 0.0:
        count += 1
    here = total_bend(loss, r, weight, total, entries)
    flatter = min(start_bend / here, FLATTER) if here > 0.0 else FLATTER
    flatter = max(flatter, 1.0)
    decrement = direction(factor, flatter, g, pairs, count, p, work)
    if not decrement > 0.0:  # rounding spoilt the pairs
        count = 0
        decrement = direction(factor, flatter, g, pairs, count, p, work)
    return decrement, count

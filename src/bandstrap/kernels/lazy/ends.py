"""Histories of two values: then a draw's law is known, and counts at either end are all of it."""

import numpy as np

from bandstrap.kernels.codes import EXPONENTIAL
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.history import COUNT, HIGH, LOW, MEAN, SQUARES

BETWEEN = 1e-11  # of an arm's rewards may lie between, by which its draw moves as little
LEAST, MOST = 0.1, 1e9  # counts of Beta laws that quadrature is exact for
POINTS = 10_000.0  # of binomial laws, which are summed one by one


@kernel
def _range(moments, allowed):
    low, high = np.inf, -np.inf
    for arm in range(allowed.size):
        if allowed[arm] and moments[arm, COUNT] > 0.0:
            low = min(low, moments[arm, LOW])
            high = max(high, moments[arm, HIGH])
    return low, high


@kernel
def _whole(count, n):
    """A count that rounding has moved from a whole number."""
    near = np.rint(count)
    return near if abs(count - near) <= BETWEEN * n else count


@kernel
def _beta(zeros, ones):
    return (zeros == 0.0 or LEAST <= zeros <= MOST) and (ones == 0.0 or LEAST <= ones <= MOST)


@kernel
def count_ends(moments, scheme, allowed, ends):
    """Fill `ends` with each arm's count at the lowest and at the highest value of all arms.

    Weights are exponential or, by `scheme`, multinomial; `moments` are those of one run. Returns
    whether that determines the probabilities: no reward lies between, and there is a closed form
    for such counts. The variance of rewards tells: given their mean, only rewards at the ends have
    the largest.
    """
    low, high = _range(moments, allowed)
    span, points = high - low, 0.0
    for arm in range(allowed.size):
        ends[arm, 0] = ends[arm, 1] = 0.0
        own = moments[arm]
        n, above = own[COUNT], own[MEAN] - low
        if not allowed[arm] or n <= 0.0:
            continue
        if span > 0.0:
            if n * above * (high - own[MEAN]) - own[SQUARES] > BETWEEN * n * span * span:
                return False
            ends[arm, 1] = _whole(n * above / span, n)
        else:  # all rewards of all arms are equal: any end will do
            ends[arm, 1] = n
        ends[arm, 0] = _whole(n - ends[arm, 1], n)
        if scheme == EXPONENTIAL and not _beta(ends[arm, 0], ends[arm, 1]):
            return False
        points += 20.0 * np.sqrt(ends[arm, 0] * ends[arm, 1] / n) + 40.0
    return scheme == EXPONENTIAL or points <= POINTS

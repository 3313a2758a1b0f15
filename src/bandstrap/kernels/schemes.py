"""Chernoff's bound on a draw under each resampling scheme; `DOUBLE` has none: it draws directly.

With weights w_i of mean 1 the draw reaches c if and only if sum w_i (y_i - c) >= 0. That has
probability at most exp(-rate), where -rate is the sum's log moment generating function at any tilt.
"""

import numpy as np

from bandstrap.kernels.codes import EXPONENTIAL, MULTINOMIAL
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.random.exp import exp

TILT_WORK = 64.0  # rewards that a tilted draw may walk, on average over thinned decisions


@kernel
def one_more(scheme, rate, count, tilt, gain):
    """The rate at this tilt after a reward `gain` above the level; negative if there is none."""
    if scheme == EXPONENTIAL:
        factor = 1.0 - tilt * gain
        return rate + np.log(factor) if factor > 0.0 else -1.0
    if tilt * gain > 300.0:
        return -1.0
    term = exp(tilt * gain)
    if scheme == MULTINOMIAL:
        total = count * exp(-rate / count) + term
        return -(count + 1.0) * np.log(total / (count + 1.0))
    return rate + 1.0 - term


@kernel
def usable(rate, count):
    """The rate if thinning with it is cheaper than drawing, else its negative."""
    return rate if rate > 0.7 and count * exp(-rate) <= TILT_WORK else -rate

"""The exponential function written out, so that loops over it are inlined and vectorised.

Correct to about one unit in the last place between -700 and 700; below, it is e**-700.
Plain arithmetic in a fixed order: the same bits on every machine and at every vector width.
"""

import numpy as np
from numba import int64

from bandstrap.kernels.compile import kernel

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 0.6931471803691238  # its low bits are zero: multiples up to 2**20 are exact
_LN2_LOW = 1.9082149292705877e-10
_ROUNDER = 6755399441055744.0  # 1.5 * 2**52: adding it leaves the nearest integer in the low bits


@kernel
def exp(x):
    x = max(x, -700.0)
    shifted = x * _LOG2_E + _ROUNDER
    power = shifted - _ROUNDER
    r = (x - power * _LN2_HIGH) - power * _LN2_LOW
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    bits = np.float64(p).view(np.int64) + (np.float64(shifted).view(np.int64) << int64(52))
    return np.int64(bits).view(np.float64)

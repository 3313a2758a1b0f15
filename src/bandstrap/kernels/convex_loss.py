"""Losses of convex models, W b(m) - S m at margin m: what differs is the mean b'(m) alone.

W is the weight at a margin and S the weighted reward there, so examples that share a margin share
one entry. The exponential is written out because a call per entry would keep loops from being
vectorised; its error is below 3e-16.
"""

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from bandstrap.kernels.compile import kernel

LOGISTIC, LINEAR = 0, 1
_LOG2E = 1.4426950408889634
_LN2_HIGH = 0.693147180369123816490
_LN2_LOW = 1.90821492927058770002e-10
_DEEPEST = -700.0  # exp of less is as good as 0


@intrinsic
def _as_double(typingctx, bits):
    """The double that has these bits."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@kernel
def _exp_negative(x):
    x = max(x, _DEEPEST)
    k = np.floor(x * _LOG2E + 0.5)
    f = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.0 / 479001600.0
    p = p * f + 1.0 / 39916800.0
    p = p * f + 1.0 / 3628800.0
    p = p * f + 1.0 / 362880.0
    p = p * f + 1.0 / 40320.0
    p = p * f + 1.0 / 5040.0
    p = p * f + 1.0 / 720.0
    p = p * f + 1.0 / 120.0
    p = p * f + 1.0 / 24.0
    p = p * f + 1.0 / 6.0
    p = p * f + 0.5
    p = p * f + 1.0
    p = p * f + 1.0
    return p * _as_double((np.int64(np.int32(k)) + np.int64(1023)) << np.int64(52))


@kernel
def means(loss, margins, n, out):
    """What the model expects at each of n margins."""
    if loss == LINEAR:
        for i in range(n):
            out[i] = margins[i]
        return
    for i in range(n):
        m = margins[i]
        e = _exp_negative(-abs(m))
        out[i] = (1.0 if m >= 0.0 else e) / (1.0 + e)


@kernel
def residuals(loss, margins, move, t, weight, total, n, out):
    """The loss's derivative at margins + t * move: weight times mean, less the weighted reward."""
    if loss == LINEAR:
        for i in range(n):
            out[i] = weight[i] * (margins[i] + t * move[i]) - total[i]
        return
    for i in range(n):
        m = margins[i] + t * move[i]
        e = _exp_negative(-abs(m))
        out[i] = weight[i] * (1.0 if m >= 0.0 else e) / (1.0 + e) - total[i]


@kernel
def bends(loss, means, weight, n, out):
    """The loss's second derivative where the means are these."""
    for i in range(n):
        out[i] = weight[i] if loss == LINEAR else weight[i] * means[i] * (1.0 - means[i])


@kernel
def total_of(x, n):
    """The sum of n numbers, by four accumulators in a fixed order."""
    a = b = c = d = 0.0
    even = n - n % 4
    for i in range(0, even, 4):
        a += x[i]
        b += x[i + 1]
        c += x[i + 2]
        d += x[i + 3]
    for i in range(even, n):
        a += x[i]
    return (a + b) + (c + d)


@kernel
def inner(x, y, n):
    """The inner product of n numbers, in a fixed order."""
    a = b = c = d = 0.0
    even = n - n % 4
    for i in range(0, even, 4):
        a += x[i] * y[i]
        b += x[i + 1] * y[i + 1]
        c += x[i + 2] * y[i + 2]
        d += x[i + 3] * y[i + 3]
    for i in range(even, n):
        a += x[i] * y[i]
    return (a + b) + (c + d)

"""Losses of convex models, W b(m) - S m at margin m: what differs is the mean b'(m) alone.

W is the weight at a margin and S the weighted reward there, so examples that share a margin share
one entry.
"""

from bandstrap.kernels.codes import LINEAR
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.random.exp import exp


@kernel
def means(loss, margins, n, out):
    """What the model expects at each of n margins."""
    if loss == LINEAR:
        for i in range(n):
            out[i] = margins[i]
        return
    for i in range(n):
        m = margins[i]
        e = exp(-abs(m))
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
        e = exp(-abs(m))
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

"""Symmetric matrices kept up by rank-one updates, and scalar Gaussian draws from them.

Every matrix here is (arms, features + 1, features + 1), the intercept last.
"""

import numpy as np

from bandstrap.kernels.argmax import tied
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.convex.loss import inner
from bandstrap.kernels.random.streams import normal, uniform

CLOSE = 1e-11  # relative residual at which conjugate gradients stop
MOST = 50


@kernel
def _apply(matrix, v, out):
    """out = matrix v, for a symmetric matrix: a sum of rows, which is elementwise."""
    d = out.size
    even = d - d % 4
    for j in range(d):
        out[j] = 0.0
    for i in range(0, even, 4):
        a, b, c, e = v[i], v[i + 1], v[i + 2], v[i + 3]
        for j in range(d):
            out[j] += (a * matrix[i, j] + b * matrix[i + 1, j]) + (
                c * matrix[i + 2, j] + e * matrix[i + 3, j]
            )
    for i in range(even, d):
        for j in range(d):
            out[j] += v[i] * matrix[i, j]


@kernel
def _add_outer(matrix, v, weight):
    d = v.size
    for i in range(d):
        c = weight * v[i]
        for j in range(d):
            matrix[i, j] += c * v[j]


@kernel
def _shrink(inverse, x, bend, q):
    """The inverse of a matrix that has grown by bend x xᵀ; q becomes the new inverse times x."""
    _apply(inverse, x, q)
    share = 1.0 / (1.0 + bend * inner(x, q, x.size))
    _add_outer(inverse, q, -bend * share)
    for j in range(q.size):
        q[j] *= share


@kernel
def _conjugate(gram, ridge, inverse, target, out, work):
    """Solve (gram + ridge) out = target from `out`; the inverse of nearly that helps. The last
    diagonal entry has no ridge."""
    d = target.size
    residual, step, image, better = work[0], work[1], work[2], work[3]
    _apply(gram, out, image)
    for j in range(d):
        residual[j] = target[j] - image[j] - (ridge * out[j] if j < d - 1 else 0.0)
    _apply(inverse, target, better)
    enough = CLOSE * CLOSE * inner(target, better, d)
    last = 1.0
    for k in range(MOST):
        _apply(inverse, residual, better)
        size = inner(residual, better, d)
        if not size > enough:
            return
        for j in range(d):
            step[j] = better[j] + (size / last * step[j] if k > 0 else 0.0)
        last = size
        _apply(gram, step, image)
        for j in range(d - 1):
            image[j] += ridge * step[j]
        t = size / inner(step, image, d)
        for j in range(d):
            out[j] += t * step[j]
            residual[j] -= t * image[j]


@kernel
def absorb_additive(gram, moment, theta, inverse, ridge, x, reward, work, weight=1.0):
    """Take in an example of a linear model and bring its least squares up to date."""
    _add_outer(gram, x, weight)
    for j in range(x.size):
        moment[j] += weight * reward * x[j]
    _shrink(inverse, x, weight, work[4])
    _conjugate(gram, ridge, inverse, moment, theta, work)


@kernel
def settle(gram, moment, theta, inverse, ridge, work):
    """Least squares from second moments."""
    _conjugate(gram, ridge, inverse, moment, theta, work)


@kernel
def _solve(gram, ridge, inverse, few, x, q, work):
    """q = H⁻¹ x; the inverse of few examples is exact, and what x has beyond their span is not to
    be looked for."""
    _apply(inverse, x, q)
    if not few:
        _conjugate(gram, ridge, inverse, x, q, work)


@kernel
def additive_margins(stream, noise, gram, theta, inverse, ridge, few, ready, x, margins, work):
    """N(x·θ̂, noise² xᵀ H⁻¹ A H⁻¹ x), H = A + ridge: least squares on rewards with noise."""
    d = x.size
    q = work[4]
    for arm in range(margins.size):
        if not ready[arm]:
            margins[arm] = np.inf
            continue
        _solve(gram[arm], ridge[arm], inverse[arm], few[arm], x, q, work)
        _apply(gram[arm], q, work[0])
        variance = max(inner(q, work[0], d), 0.0)
        margins[arm] = inner(theta[arm], x, d) + noise * np.sqrt(variance) * normal(stream)


@kernel
def additive_law(noise, gram, theta, inverse, ridge, few, ready, x, means, spreads, work):
    """Mean and standard deviation of what `additive_margins` draws."""
    d = x.size
    q = work[4]
    for arm in range(means.size):
        means[arm], spreads[arm] = np.inf, 0.0
        if ready[arm]:
            _solve(gram[arm], ridge[arm], inverse[arm], few[arm], x, q, work)
            _apply(gram[arm], q, work[0])
            means[arm] = inner(theta[arm], x, d)
            spreads[arm] = noise * np.sqrt(max(inner(q, work[0], d), 0.0))


@kernel
def best_of(stream, scores, allowed):
    """The largest allowed score, ties at random."""
    best, ties = -1, 0
    for arm in range(scores.size):
        if not allowed[arm]:
            continue
        if best >= 0 and tied(scores[arm], scores[best], 0.0):
            ties += 1
            if uniform(stream) * ties < 1.0:
                best = arm
        elif best < 0 or scores[arm] > scores[best]:
            best, ties = arm, 1
    return best

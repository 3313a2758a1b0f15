"""The sandwich covariance of a fit, kept up by rank-two updates, and scalar Gaussian draws from it.

Parameters are (arms, features + 1), matrices (arms, features + 1, features + 1), the intercept
last. Contexts are often zeros for the most part: only the rows of features that are not are read.
"""

import numpy as np

from bandstrap.kernels.codes import LINEAR
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.convex.loss import inner
from bandstrap.kernels.convex.moments import best_of
from bandstrap.kernels.normal_probabilities import fill_normal_probabilities
from bandstrap.kernels.random.exp import exp
from bandstrap.kernels.random.streams import normal

ROUNDS = 60  # of a search that takes about five
HEAVY = 1e3  # times as much as all others say along its context: no small change
UNCHANGED = -1.0


@kernel
def _gather(x, places, values):
    """Where the features are that are not zero, what they are, and how many."""
    n = 0
    for i in range(x.size):
        if x[i] != 0.0:
            places[n] = i
            values[n] = x[i]
            n += 1
    return n


@kernel
def _inner_at(row, places, values, n):
    """The inner product of a row with the n values at their places, in a fixed order."""
    a = b = c = d = 0.0
    even = n - n % 4
    for i in range(0, even, 4):
        a += values[i] * row[places[i]]
        b += values[i + 1] * row[places[i + 1]]
        c += values[i + 2] * row[places[i + 2]]
        d += values[i + 3] * row[places[i + 3]]
    for i in range(even, n):
        a += values[i] * row[places[i]]
    return (a + b) + (c + d)


@kernel
def _form(matrix, x, places, values, n):
    """xᵀ matrix x from the lower triangle; rows are read whole where few features are zero."""
    total = 0.0
    for k in range(n):
        i, value = places[k], values[k]
        row = matrix[i]
        below = _inner_at(row, places, values, k) if 2 * n < x.size else inner(row, x, i)
        total += value * (2.0 * below + value * row[i])
    return total


@kernel
def _apply(matrix, places, values, n, out):
    """out = matrix x, for a symmetric matrix: a sum of rows, which is elementwise."""
    d = out.size
    even = n - n % 4
    for j in range(d):
        out[j] = 0.0
    for k in range(0, even, 4):
        a, b, c, e = values[k], values[k + 1], values[k + 2], values[k + 3]
        first, second = matrix[places[k]], matrix[places[k + 1]]
        third, fourth = matrix[places[k + 2]], matrix[places[k + 3]]
        for j in range(d):
            out[j] += (a * first[j] + b * second[j]) + (c * third[j] + e * fourth[j])
    for k in range(even, n):
        row = matrix[places[k]]
        for j in range(d):
            out[j] += values[k] * row[j]


@kernel
def _mean(loss, m):
    if loss == LINEAR:
        return m
    e = exp(-abs(m))
    return (1.0 if m >= 0.0 else e) / (1.0 + e)


@kernel
def _settled(loss, m, reward, width):
    """The margin at which an example pulls as hard as all others hold: Newton in a bracket.

    A plain Newton step overshoots where the loss is flat, by as much as the scales allow.
    """
    if loss == LINEAR:
        return m + width * (reward - m) / (1.0 + width)
    low, high, at = m - width, m + width, m
    for _ in range(ROUNDS):
        mean = _mean(loss, at)
        pull = at - m + width * (mean - reward)
        if pull > 0.0:
            high = at
        else:
            low = at
        last, at = at, at - pull / (1.0 + width * mean * (1.0 - mean))
        if not low <= at <= high:
            at = 0.5 * (low + high)
        if abs(at - last) <= 1e-14 * abs(at):
            break
    return at


@kernel
def absorb_step(
    loss, theta, inverse, covariance, arm, x, reward, variance, noise, work, places, weight=1.0
):
    """Take in an example of an arm: θ, the inverse Hessian P and the covariance V = P G P.

    P becomes P - c u uᵀ with u = P x, and G grows by s x xᵀ, which leaves of V
    V - c (u vᵀ + v uᵀ) + (c² xᵀv + s g²) u uᵀ with v = V x and g = 1 - c xᵀu. Returns by how much
    the logarithm of the Hessian's determinant has grown; UNCHANGED, and nothing has changed, if so
    much cancels in this that everything is better made anew.
    """
    values, u, v = work[0], work[1], work[2]
    theta, inverse, covariance = theta[arm], inverse[arm], covariance[arm]
    d, n = x.size, _gather(x, places, values)
    _apply(inverse, places, values, n, u)
    m, width = _inner_at(theta, places, values, n), _inner_at(u, places, values, n)
    moved = _settled(loss, m, reward, weight * width) if width > 0.0 else m
    expected = _mean(loss, moved)
    bend = weight * (1.0 if loss == LINEAR else expected * (1.0 - expected))
    if not 0.0 <= bend * width < HEAVY:
        return UNCHANGED
    _apply(covariance, places, values, n, v)
    share = 1.0 / (1.0 + bend * width)
    c = bend * share
    residual = weight * (expected - reward)
    spread = (variance * residual * residual + weight * noise * noise) * share * share
    half = 0.5 * (c * c * _inner_at(v, places, values, n) + spread)
    for j in range(d):
        v[j] = half * u[j] - c * v[j]
        theta[j] += (moved - m) / width * u[j] if width > 0.0 else 0.0
    for i in range(d):
        down, a, b = -c * u[i], u[i], v[i]
        for j in range(d):
            inverse[i, j] += down * u[j]
            covariance[i, j] += a * v[j] + b * u[j]
    return np.log1p(bend * width)


@kernel
def sandwich_scores(stream, theta, covariance, ready, x, scores, work, places):
    """N(x·θ, xᵀ V x) for each arm that is ready."""
    values = work[0]
    n = _gather(x, places, values)
    for arm in range(scores.size):
        scores[arm] = np.inf
        if ready[arm]:
            variance = max(_form(covariance[arm], x, places, values, n), 0.0)
            mean = _inner_at(theta[arm], places, values, n)
            scores[arm] = mean + np.sqrt(variance) * normal(stream)


@kernel
def sandwich_law(theta, covariance, ready, x, means, spreads, work, places):
    """Mean and standard deviation of each arm's draw; infinite for an arm that is not ready."""
    values = work[0]
    n = _gather(x, places, values)
    for arm in range(means.size):
        means[arm], spreads[arm] = np.inf, 0.0
        if ready[arm]:
            spreads[arm] = np.sqrt(max(_form(covariance[arm], x, places, values, n), 0.0))
            means[arm] = _inner_at(theta[arm], places, values, n)


@kernel
def sandwich_best(stream, theta, covariance, ready, x, scores, work, places, allowed):
    """The allowed arm of the largest draw, ties at random."""
    sandwich_scores(stream, theta, covariance, ready, x, scores, work, places)
    return best_of(stream, scores, allowed)


@kernel
def _expected(loss, m):
    """The expected reward at a margin, to the last digits however small."""
    if loss == LINEAR:
        return m
    e = np.exp(-abs(m))
    return (1.0 if m >= 0.0 else e) / (1.0 + e)


@kernel
def sandwich_decide(
    stream,
    loss,
    theta,
    covariance,
    ready,
    x,
    allowed,
    drawn,
    scores,
    probabilities,
    laws,
    work,
    places,
):
    """Draw each arm's margin and return the allowed arm of the largest, ties at random."""
    means, spreads, kinds, ratios = laws[0], laws[1], laws[2], laws[3]
    sandwich_law(theta, covariance, ready, x, means, spreads, work, places)
    for arm in range(scores.size):
        drawn[arm] = means[arm] + spreads[arm] * normal(stream) if ready[arm] else np.inf
        scores[arm] = _expected(loss, drawn[arm])
    fill_normal_probabilities(means, spreads, allowed, kinds, ratios, probabilities)
    return best_of(stream, drawn, allowed)

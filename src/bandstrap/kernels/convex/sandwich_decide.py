"""One decision by sandwich covariances: a draw, its scores, and every arm's probability."""

import numpy as np

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.convex.loss import LINEAR
from bandstrap.kernels.convex.moments import best_of
from bandstrap.kernels.convex.sandwich import sandwich_law
from bandstrap.kernels.normal_probabilities import fill_normal_probabilities
from bandstrap.kernels.random.streams import normal


@kernel
def _expected(loss, m):
    """The expected reward at a margin, to the last digits however small."""
    if loss == LINEAR:
        return m
    e = np.exp(-abs(m))
    return (1.0 if m >= 0.0 else e) / (1.0 + e)


@kernel
def sandwich_decide(
    stream, loss, theta, covariance, ready, x, allowed, drawn, scores, shares, laws, work, places
):
    """Draw each arm's margin and return the allowed arm of the largest, ties at random."""
    means, spreads, kinds, ratios = laws[0], laws[1], laws[2], laws[3]
    sandwich_law(theta, covariance, ready, x, means, spreads, work, places)
    for arm in range(scores.size):
        drawn[arm] = means[arm] + spreads[arm] * normal(stream) if ready[arm] else np.inf
        scores[arm] = _expected(loss, drawn[arm])
    fill_normal_probabilities(means, spreads, allowed, kinds, ratios, shares)
    return best_of(stream, drawn, allowed)

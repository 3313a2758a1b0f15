"""The largest mean that the Bernoulli divergence still allows."""

import numpy as np

from bandstrap.kernels.compile import kernel


@kernel
def _excess(p, d, level):
    """kl(p, p + d) - level; first-order terms cancel to within rounding of d, not of 1."""
    return -p * np.log1p(d / p) - (1.0 - p) * np.log1p(-d / (1.0 - p)) - level


@kernel
def _highest_step(p, level):
    """A step that surely reaches the level: Pinsker's bound, or that by the share of zeros."""
    entropy = -p * np.log(p) - (1.0 - p) * np.log1p(-p)
    by_zeros = 1.0 - p - np.exp(-(level + entropy) / (1.0 - p))
    return min(np.sqrt(0.5 * level), by_zeros)


@kernel
def kl_step(p, level):
    """The largest d with kl(p, p + d) <= level.

    The divergence is convex, so Newton's steps from above never pass the root; bisection guards
    them where rounding does.
    """
    if level <= 0.0 or p >= 1.0:
        return 0.0
    if p < 1e-16:
        return -np.expm1(-level)
    low = 0.0
    high = _highest_step(p, level)
    d = high
    for _ in range(100):
        if d >= 1.0 - p:  # the level is so high that 1 is the root to the last digit
            return 1.0 - p
        excess = _excess(p, d, level)
        if excess > 0.0:
            high = d
        else:
            low = d
        q = p + d
        step = excess * q * (1.0 - p - d) / d
        d -= step
        if abs(step) <= 1e-13 * q:
            break
        if not low < d < high:
            d = 0.5 * (low + high)
    return d


@kernel
def kl_scores(counts, means, low, width, budget, scores):
    """The index of every arm; the upper end of the support where there is no reward."""
    for run in range(counts.shape[0]):
        for arm in range(counts.shape[1]):
            if counts[run, arm] <= 0.0:
                scores[run, arm] = low + width
                continue
            p = min(max((means[run, arm] - low) / width, 0.0), 1.0)
            scores[run, arm] = low + width * (p + kl_step(p, budget / counts[run, arm]))

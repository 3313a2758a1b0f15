"""Pareto's k: how heavy the tail of weights is, by a generalised Pareto fit.

The fit is that of Zhang and Stephens (2009) with the weak prior of Vehtari et al. (2024), who use
it to smooth importance weights. Moments of order 1 / k and above do not exist: from k = 0.5 on the
variance, from k = 1 on the mean.
"""

from math import sqrt

import numpy as np

from bandstrap.arrays import Array

__all__ = ["pareto_k", "tail_length"]

SHARE, ROOTS = 0.2, 3.0  # the tail is a fifth of the weights, at most 3 √n
FEWEST = 5  # weights in a tail that can be fit
PRIOR, CENTRE = 10.0, 0.5  # the prior counts as 10 weights of k = 0.5
SCALE = 3.0  # of the prior of Zhang and Stephens


def tail_length(count: int) -> int:
    """How many of the largest weights make the tail.

    >>> tail_length(10_000), tail_length(50)
    (300, 10)
    """
    return int(min(SHARE * count, ROOTS * sqrt(count)))


def pareto_k(largest: Array) -> float:
    """The k of a tail: its weights and, the smallest of them, the one that it begins after.

    -inf where the tail has no spread, or is too short to tell.

    >>> rng = np.random.default_rng(0)
    >>> abs(pareto_k(np.sort(rng.pareto(2.0, 4000))[-301:]) - 0.5) < 0.1
    True
    """
    ordered = np.sort(np.asarray(largest, dtype=np.float64))
    tail = ordered[1:] - ordered[0] if len(ordered) else ordered
    tail = tail[tail > 0]
    if len(tail) < FEWEST or tail[-1] - tail[0] <= 1e-9 * ordered[-1]:
        return -np.inf
    return _fit(tail)


def _fit(tail: Array) -> float:
    """The posterior mean of k, over a grid of the other parameter."""
    count = len(tail)
    grid = 30 + int(sqrt(count))
    quarter = tail[int(count / 4 + 0.5) - 1]
    thetas = (1 - np.sqrt(grid / (np.arange(1, grid + 1) - 0.5))) / (SCALE * quarter) + 1 / tail[-1]
    shapes = np.log1p(-thetas[:, None] * tail).mean(axis=1)
    profile = count * (np.log(-thetas / shapes) - shapes - 1)
    weights = np.exp(profile - profile.max())
    theta = float((thetas * weights).sum() / weights.sum())
    shape = float(np.log1p(-theta * tail).mean())
    return (count * shape + PRIOR * CENTRE) / (count + PRIOR)

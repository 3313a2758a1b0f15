"""How probable arms are when their scores are known."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.kernels.argmax import TIE


def best_shares(scores: Array, allowed: Array, scale: float) -> Array:
    """1 for the best of the allowed arms; the best share it if there are several.

    >>> best_shares(np.array([2.0, 1.0, 2.0]), np.array([True, True, True]), 1.0).tolist()
    [0.5, 0.0, 0.5]
    >>> best_shares(np.array([2.0, np.inf]), np.array([True, True]), 1.0).tolist()
    [0.0, 1.0]
    """
    open_ = np.where(allowed, scores, -np.inf)
    top = open_.max()
    with np.errstate(invalid="ignore"):  # infinity less infinity
        near = np.abs(open_ - top) <= TIE * np.maximum(np.maximum(np.abs(open_), abs(top)), scale)
    # Nothing finite is near infinity, the score of an arm that is to be tried first.
    best = allowed & ((open_ == top) | (near & np.isfinite(top)))
    shares: Array = best / best.sum()
    return shares


def mixed(epsilon: float, shares: Array, allowed: Array) -> Array:
    """With probability epsilon any allowed arm."""
    result: Array = (1 - epsilon) * shares + epsilon * allowed / allowed.sum()
    return result

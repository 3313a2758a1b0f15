"""Probabilities of arms whose scores are independent and normal."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.kernels.normal_chances import normal_chances


def normal_shares(means: Array, spreads: Array, allowed: Array) -> Array:
    """How probable each allowed arm is to have the highest of the scores N(mean, spread²).

    Scores without spread may tie, and share then. The error is below 10⁻⁶.

    >>> normal_shares(np.zeros(3), np.ones(3), np.array([True, True, False])).round(9).tolist()
    [0.5, 0.5, 0.0]
    """
    shares, ratios = np.empty((2, means.size))
    normal_chances(means, spreads, allowed, np.empty(means.size, np.int64), ratios, shares)
    return shares

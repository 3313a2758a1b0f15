"""The probability of each arm to win a draw, by its counts of the lowest and the highest reward."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.kernels.codes import EXPONENTIAL
from bandstrap.laws import UNSEEN, Law, beta_probabilities, binomial_law, discrete_probabilities


def end_probabilities(scheme: int, ends: Array, allowed: Array) -> Array:
    """For exponential or multinomial weights of `ends`, (arms, 2) zeros and ones.

    >>> ends = np.array([[1.0, 1.0], [0.0, 0.0]])
    >>> end_probabilities(EXPONENTIAL, ends, np.array([True, True])).tolist()
    [0.0, 1.0]
    """
    zeros, ones = ends.T
    if scheme == EXPONENTIAL:
        return beta_probabilities(ones, zeros, allowed)
    return discrete_probabilities([*map(_law, zeros, ones)], allowed, 1.0)


def _law(zeros: float, ones: float) -> Law:
    """Of a mean of as many drawn with replacement; infinite if there are none."""
    n = float(np.rint(zeros + ones))
    if n == 0:
        return UNSEEN
    return binomial_law(n, min(ones / n, 1.0), 0.0, 1.0 / n)

"""Rounding that forgives the last digits."""

import numpy as np

from bandstrap.arrays import Array


def whole_above(x: Array) -> Array:
    """⌈x⌉, where products such as 1.1 * 50 = 55.00000000000001 count as the whole number meant.

    >>> whole_above(1.1 * np.array([50, 51]))
    array([55, 57])
    """
    whole: Array = np.ceil(x - 1e-9 * np.maximum(x, 1.0)).astype(np.int64)
    return whole

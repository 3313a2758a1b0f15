"""From margins to expected rewards."""

import numpy as np

from bandstrap.arrays import Array


def sigmoid(margins: Array) -> Array:
    """1 / (1 + e⁻ᶻ), to the last digits however small, so that very low scores do not tie.

    >>> float(sigmoid(np.array(-700.0))) > 0
    True
    """
    return np.asarray(np.exp(-np.logaddexp(0.0, -margins)))

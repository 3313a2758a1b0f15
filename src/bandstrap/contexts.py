"""Contexts as the numbers that models compute with."""

import numpy as np

from bandstrap.arrays import Array

BYTE = 255.0  # bytes are shares of this, like pixels


def as_numbers(contexts: Array) -> Array:
    """Contexts as floats: bytes as shares of 255, floats as they are, anything else as doubles.

    >>> as_numbers(np.array([0, 255], dtype=np.uint8)).tolist()
    [0.0, 1.0]
    """
    if contexts.dtype == np.uint8:
        return contexts.astype(np.float32) / np.float32(BYTE)
    if contexts.dtype in (np.float32, np.float64):
        return contexts
    return contexts.astype(np.float64)

"""Weights that make the studentised bootstrap right to second order."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.resampling import Resampling

__all__ = ["SecondOrder"]


@dataclass(frozen=True)
class SecondOrder(Resampling):
    """Weights with mean, variance and third central moment 1: four times Beta(1/2, 3/2).

    A studentised mean of n terms of skewness γ has the skewness -2γ/√n. Reweighted by weights with
    the third central moment m, and studentised by their spread under the same weights, it has
    (m - 3) γ/√n. So m has to be 1, as it is of multinomial counts; of exponential weights it is 2.
    Counts may leave out all of a few clicks; these weights are never 0.

    >>> weights = SecondOrder().weights((100_000,), np.random.default_rng(0))
    >>> [round(float(x), 1) for x in (weights.mean(), weights.var(), ((weights - 1) ** 3).mean())]
    [1.0, 1.0, 1.0]
    """

    def weights(self, shape: tuple[int, ...], rng: Rng) -> Array:
        # Beta(1/2, 3/2) is the squared coordinate of a point that is uniform in a disk.
        weights: Array = 2 * rng.random(shape) * (1 + np.cos(2 * np.pi * rng.random(shape)))
        return weights

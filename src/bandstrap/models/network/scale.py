"""Standardised contexts, by their mean and spread so far."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.kernels.network import note_scale, standardise
from bandstrap.models.features import unit_of
from bandstrap.storage.schema import ArrayOf, Schema, Whole

SMALLEST = 1 / 1e100  # a feature with a smaller spread is constant
CLIP = 5.0  # standard deviations; a rare indicator would have hundreds
MOST = 1e100  # sums of squared contexts are less


class RunningScale:
    """Mean and spread of every feature so far (Welford); a constant feature is left out."""

    schema = Schema(
        count=Whole(),
        mean=ArrayOf(np.float64, "features", low=-MOST, high=MOST),
        squares=ArrayOf(np.float64, "features", low=0.0, high=MOST),
        shares=ArrayOf(np.float64, "features", low=0.0, high=1.1 / SMALLEST),
    )

    def __init__(self, n_features: int) -> None:
        self.count = 0
        self.mean = np.zeros(n_features)
        self.squares = np.zeros(n_features)
        self.shares = np.zeros(n_features)

    def see(self, context: Array) -> None:
        """Take in one context (features,)."""
        self.count += 1
        unit = unit_of(context)
        note_scale(context, unit, self.count, SMALLEST, self.mean, self.squares, self.shares)

    def __call__(self, contexts: Array, out: Array | None = None) -> Array:
        """Contexts (n, features) in standard deviations from the mean, at most `CLIP`."""
        scaled = np.empty(contexts.shape, dtype=np.float32) if out is None else out
        standardise(contexts, unit_of(contexts), self.mean, self.shares, CLIP, scaled)
        return scaled

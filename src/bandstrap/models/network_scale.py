"""Contexts on a common scale, learnt as they come."""

import numpy as np

from bandstrap.errors import InvalidInput
from bandstrap.models.features import as_numbers
from bandstrap.models.network_checks import LARGEST

CLIP = 5.0  # standard deviations: a rare indicator would be hundreds of them


class RunningScale:
    """Mean and spread of every feature so far (Welford); a constant feature is left out."""

    def __init__(self, n_features: int) -> None:
        self.count = 0
        self.mean = np.zeros(n_features)
        self.squares = np.zeros(n_features)
        self.shares = np.zeros(n_features)

    def see(self, context: np.ndarray) -> None:
        """Take in one context (features,)."""
        context = as_numbers(context).astype(np.float64)
        if np.abs(context).max() > LARGEST:
            raise InvalidInput("contexts", float(np.abs(context).max()), f"keep within {LARGEST}")
        self.count += 1
        away = context - self.mean
        self.mean += away / self.count
        self.squares += away * (context - self.mean)
        spread = np.sqrt(self.squares / self.count)
        self.shares = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 1 / LARGEST)

    def __call__(self, contexts: np.ndarray) -> np.ndarray:
        """Contexts (n, features) in standard deviations from the mean, at most `CLIP`."""
        # Bytes need no more than single precision; a small spread on a large mean does.
        kind = np.float32 if contexts.dtype == np.uint8 else np.float64
        scaled = as_numbers(contexts) - self.mean.astype(kind)
        scaled *= self.shares.astype(kind)
        np.clip(scaled, -CLIP, CLIP, out=scaled)
        return np.asarray(scaled, dtype=np.float32)

"""Normal rewards cut off at 0 and 1."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array
from bandstrap.environments.stationary import Stationary
from bandstrap.errors import InvalidInput
from bandstrap.history.compiled import Law
from bandstrap.kernels.rewards import TRUNCATED_NORMAL


@dataclass(frozen=True)
class TruncatedNormal(Stationary):
    """N(μ, scale²) given that it lies in [0, 1]; regret uses the mean after truncation."""

    scale: float = 1e-4

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.scale) and self.scale > 0):
            raise InvalidInput("scale", self.scale, "give a positive standard deviation")

    def _true_means(self, parameters: Array) -> Array:
        from scipy.special import ndtr  # here: it takes longer to import than everything else

        low, high = (0.0 - parameters) / self.scale, (1.0 - parameters) / self.scale
        density = np.exp(-0.5 * low**2) - np.exp(-0.5 * high**2)
        mass = np.sqrt(2 * np.pi) * (ndtr(high) - ndtr(low))
        means: Array = parameters + self.scale * density / mass
        return means

    @property
    def law(self) -> Law | None:
        return Law(TRUNCATED_NORMAL, self.scale)

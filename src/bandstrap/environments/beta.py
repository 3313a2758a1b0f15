"""Beta rewards, as spread out as their mean allows."""

from dataclasses import dataclass

import numpy as np

from bandstrap.environments.stationary import Stationary


@dataclass(frozen=True)
class Beta(Stationary):
    """Beta(μ, 1 − μ), which has mean μ; constant for μ = 0 and μ = 1."""

    def _rewards(self, parameters: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        inner = np.clip(parameters, 1e-12, 1 - 1e-12)
        return np.where(inner == parameters, rng.beta(inner, 1 - inner), parameters)

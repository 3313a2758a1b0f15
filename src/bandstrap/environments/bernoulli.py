"""Rewards 0 or 1."""

from dataclasses import dataclass

import numpy as np

from bandstrap.environments.stationary import Stationary
from bandstrap.problem import Support


@dataclass(frozen=True)
class Bernoulli(Stationary):
    """1 with probability equal to the arm's mean, else 0."""

    @property
    def support(self) -> Support:
        return Support.binary()

    def _rewards(self, parameters: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(parameters.size) < parameters).astype(np.float64)

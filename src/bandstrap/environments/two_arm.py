"""The two-arm problem of Theorem 1."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.environments.stationary import Stationary
from bandstrap.errors import InvalidInput
from bandstrap.problem import Support


@dataclass(frozen=True)
class TwoArm(Stationary):
    """Arm 0 pays 0 or 1 with probability 1/2 each; arm 1 always pays 1/4."""

    n_arms: int = 2
    means: tuple[float, ...] | None = (0.5, 0.25)

    def __post_init__(self) -> None:
        if self.n_arms != 2 or self.means != (0.5, 0.25):
            raise InvalidInput("means", self.means, "the problem of Theorem 1 is fixed")

    @property
    def support(self) -> Support:
        return Support.categories((0.0, 0.25, 1.0))

    def _rewards(self, parameters: Array, rng: Rng) -> Array:
        heads = (rng.random(parameters.size) < 0.5).astype(np.float64)
        return np.where(parameters == 0.25, 0.25, heads)

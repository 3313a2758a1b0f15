"""Normal rewards."""

from dataclasses import dataclass

import numpy as np

from bandstrap.environments.stationary import Stationary
from bandstrap.errors import InvalidInput
from bandstrap.history.compiled import Law
from bandstrap.kernels.rewards import NORMAL
from bandstrap.problem import Support


@dataclass(frozen=True)
class Gaussian(Stationary):
    """N(μ, scale²)."""

    scale: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.scale) and self.scale > 0):
            raise InvalidInput("scale", self.scale, "give a positive standard deviation")

    @property
    def support(self) -> Support:
        return Support.real()

    @property
    def law(self) -> Law | None:
        return Law(NORMAL, self.scale)

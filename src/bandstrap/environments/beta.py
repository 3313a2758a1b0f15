"""Beta rewards, as spread out as their mean allows."""

from dataclasses import dataclass

from bandstrap.environments.stationary import Stationary
from bandstrap.history.compiled import Law
from bandstrap.kernels.rewards import BETA


@dataclass(frozen=True)
class Beta(Stationary):
    """Beta(μ, 1 − μ), which has mean μ; constant for μ = 0 and μ = 1."""

    @property
    def law(self) -> Law | None:
        return Law(BETA)

"""Langevin dynamics on a shared network: parameters that follow their posterior."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.kernels.network import langevin
from bandstrap.models.network.checks import check_spread
from bandstrap.models.network.optimiser import Optimiser
from bandstrap.models.network.shared import SharedNetwork
from bandstrap.storage.schema import ArrayOf, Grows, Real, Schema, Whole


class LangevinSteps(Optimiser):
    """Preconditioned stochastic gradient Langevin dynamics (Li et al., 2016).

    The prior is N(0, spread²) for every parameter. As usual, the preconditioner's own drift is
    left out.
    """

    schema = Schema(
        rate=Real(0.0),
        precision=Real(0.0),
        steps=Whole(),
        second=ArrayOf(np.float32, Grows(), low=0.0),
    )

    def __init__(self, parameters: Array, rate: float, spread: float) -> None:
        self.rate = rate
        self.precision = spread**-2
        self.steps = 0
        self.second = np.zeros_like(parameters)

    @property
    def size(self) -> int:
        return self.second.size

    def step(self, parameters: Array, gradient: Array, count: int, rng: Rng) -> None:
        self.steps += 1
        noise = rng.standard_normal(parameters.size, dtype=np.float32)
        share = 1.0 / (1.0 - 0.999**self.steps)
        numbers = (self.rate, share, self.precision / count, np.sqrt(2.0 * self.rate / count))
        langevin(parameters, gradient, self.second, noise, *map(np.float32, numbers))

    def settled(self, parameters: Array) -> Array:
        return parameters

    def relay(self, remapped: Callable[[Array], Array]) -> None:
        self.second = remapped(self.second)


@dataclass(frozen=True)
class LangevinNetwork(SharedNetwork):
    """A shared network that takes Langevin's steps: its parameters are another draw each round."""

    spread: float = 1.0
    random_steps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_spread(self.spread)

    def optimiser(self, parameters: Array) -> Optimiser:
        return LangevinSteps(parameters, self.learning_rate, self.spread)

"""How a network moves along a gradient."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.kernels.network import adam, langevin
from bandstrap.models.network.layers import Layers
from bandstrap.storage.schema import ArrayOf, Grows, Real, Schema, Whole, require


class Optimiser(ABC):
    """The state of one network's steps, with the second moment of each parameter's gradient."""

    second: Array

    @abstractmethod
    def step(self, parameters: Array, gradient: Array, count: int, rng: Rng) -> None:
        """Move the parameters in place; the gradient is a mean, `count` the number of examples."""

    def settled(self, parameters: Array) -> Array:
        """The parameters to predict with."""
        return parameters

    @abstractmethod
    def relay(self, remapped: Callable[[Array], Array]) -> None:
        """Go on with parameters laid out as by `remapped`."""

    def start(self, parameters: Array, places: Array) -> None:  # noqa: B027
        """Take note that some parameters have just started at random."""


class Adam(Optimiser):
    """Adam (Kingma and Ba, 2015); predicts with parameters averaged over the last steps.

    A step follows a few dozen examples; the average does not shake as the parameters do. A step
    leaves `memory` of it.
    """

    schema = Schema(
        rate=Real(0.0),
        memory=Real(0.0, 1.0),
        steps=Whole(),
        first=ArrayOf(np.float32, Grows("parameters")),
        second=ArrayOf(np.float32, Grows("parameters"), low=0.0),
        average=ArrayOf(np.float32, Grows("parameters")),
    )

    def __init__(self, parameters: Array, rate: float, memory: float) -> None:
        self.rate = rate
        self.memory = memory
        self.steps = 0
        self.first = np.zeros_like(parameters)
        self.second = np.zeros_like(parameters)
        self.average = parameters.copy()

    def step(self, parameters: Array, gradient: Array, count: int, rng: Rng) -> None:
        self.steps += 1
        shares = 1.0 / (1.0 - 0.9**self.steps), 1.0 / (1.0 - 0.999**self.steps)
        share = max(1.0 - self.memory, 1.0 / (self.steps + 1))
        adam(
            parameters, gradient, self.first, self.second, self.average,
            *map(np.float32, (self.rate, *shares, share)),
        )  # fmt: skip

    def settled(self, parameters: Array) -> Array:
        return self.average

    def relay(self, remapped: Callable[[Array], Array]) -> None:
        self.first, self.second = remapped(self.first), remapped(self.second)
        self.average = remapped(self.average)

    def start(self, parameters: Array, places: Array) -> None:
        self.average[places] = parameters[places]


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

    def step(self, parameters: Array, gradient: Array, count: int, rng: Rng) -> None:
        self.steps += 1
        noise = rng.standard_normal(parameters.size, dtype=np.float32)
        share = 1.0 / (1.0 - 0.999**self.steps)
        numbers = (self.rate, share, self.precision / count, np.sqrt(2.0 * self.rate / count))
        langevin(parameters, gradient, self.second, noise, *map(np.float32, numbers))

    def relay(self, remapped: Callable[[Array], Array]) -> None:
        self.second = remapped(self.second)


def check_trained(
    network: Layers | None, optimiser: Optimiser | None, sizes: tuple[int, ...]
) -> None:
    """Refuse a file with a network of other layers, or an optimiser of other parameters."""
    require((network is None) == (optimiser is None), "a network comes without its optimiser")
    if network is not None and optimiser is not None:
        require(network.sizes == sizes, f"its layers are not {sizes}")
        require(optimiser.second.size == network.flat.size, "it moves other parameters")

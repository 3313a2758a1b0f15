"""A network of ReLU layers with linear outputs: parameters, gradients, steps, and limits."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.network import adam, langevin
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import ArrayOf, Grows, Real, Schema, TupleOf, Whole, require
from bandstrap.validation import is_finite

UNSCALED = 1e6  # steps on contexts larger than this leave every unit dead or saturated
STEEPEST = 1e30  # a learning rate above this overflows in single precision
WIDEST = 1e6  # weights may start, or a prior be, in units of Glorot's
NARROWEST = 1e-6
MOST_UNITS = 100_000
MOST_LAYERS = 100
MOST_EXAMPLES = 10_000  # a round on more takes seconds
MOST_BATCH = 1_000_000
MOST_HEADS = 200  # each keeps two numbers of every reward
MOST_PARAMETERS = 50_000_000  # of all networks of a run; a step on more takes seconds
MOST_WORK = 10**10  # examples of a round times parameters
MOST_NUMBERS = 10**8  # examples of a round times units of the widest layer, or outputs


class Layers:
    """Parameters of a network from `sizes[0]` inputs to `sizes[-1]` outputs, in one array.

    Weights start Glorot uniform, biases at zero. Matrices are views made on demand, so that a
    restored network has a single copy of its parameters.
    """

    schema = Schema(sizes=TupleOf(Whole()), flat=ArrayOf(np.float32, Grows()))

    def verify_saved(self) -> None:
        require(len(self.sizes) >= 2, "it has too few layers")
        require(self.flat.size == n_parameters(self.sizes), "parameters are of other layers")

    def __init__(self, sizes: tuple[int, ...], flat: Array) -> None:
        self.sizes = sizes
        self.flat = flat

    @classmethod
    def glorot(
        cls, sizes: tuple[int, ...], rng: Rng, heads: int = 1, spread: float = 1.0
    ) -> "Layers":
        """Random weights; the outputs of `heads` heads are `spread` times as wide as others."""
        parts = []
        for depth, (fan_in, size) in enumerate(pairwise(sizes)):
            limit = glorot_limit(fan_in, size)
            if depth == len(sizes) - 2:
                limit = output_limit(fan_in, size, heads, spread)
            parts += [rng.uniform(-limit, limit, fan_in * size), np.zeros(size)]
        return cls(sizes, np.concatenate(parts).astype(np.float32))

    def matrices(self, flat: Array) -> list[tuple[Array, Array]]:
        """The weights and the bias of each layer, as views of an array laid out like `flat`."""
        places = _places(self.sizes)
        return [(flat[weights].reshape(shape), flat[bias]) for weights, shape, bias in places]

    def values(self, inputs: Array, flat: Array | None = None) -> list[Array]:
        """The values of every layer for inputs (n, sizes[0]), inputs first, outputs last."""
        values = [inputs]
        matrices = self.matrices(self.flat if flat is None else flat)
        for depth, (weights, bias) in enumerate(matrices):
            out = values[-1] @ weights
            out += bias
            if depth < len(matrices) - 1:
                np.maximum(out, 0.0, out=out)
            values.append(out)
        return values

    def remapped(self, flat: Array, heads: int, before: ArmMap) -> Array:
        """An array laid out like `flat` for other arms, with zeros for new ones."""
        fan_in, size = self.sizes[-2:]
        cut = flat.size - (fan_in + 1) * size
        outputs = flat[cut:].reshape(fan_in + 1, heads, -1)
        new = np.zeros((fan_in + 1, heads, len(before)), flat.dtype)
        return np.concatenate([flat[:cut], remapped(outputs, new, before, axis=2).ravel()])

    def start_outputs(self, arms: list[int], heads: int, spread: float, rng: Rng) -> Array:
        """Start the outputs of some arms as `glorot` does; returns their positions."""
        weights, _ = self.matrices(np.arange(self.flat.size))[-1]
        fan_in, size = weights.shape
        places = weights.reshape(fan_in, heads, -1)[:, :, arms].ravel()
        limit = output_limit(fan_in, size, heads, spread)
        self.flat[places] = rng.uniform(-limit, limit, places.size)
        return places

    def gradient(self, values: list[Array], slopes: Array) -> Array:
        """The gradient of the loss, laid out like `flat`, from its gradient by the outputs."""
        gradient = np.empty_like(self.flat)
        pairs = zip(self.matrices(self.flat), self.matrices(gradient), strict=True)
        for depth, ((weights, _), (weights_slope, bias_slope)) in reversed(list(enumerate(pairs))):
            np.dot(values[depth].T, slopes, out=weights_slope)
            np.add.reduce(slopes, axis=0, out=bias_slope)
            if depth > 0:
                slopes = (slopes @ weights.T) * (values[depth] > 0)
        return gradient


def glorot_limit(fan_in: int, size: float) -> float:
    """The largest first weight of a layer; they are uniform up to it."""
    return float(np.sqrt(6.0 / (fan_in + size)))


def output_limit(fan_in: int, size: int, heads: int, spread: float) -> float:
    """That of the outputs of `heads` heads, `spread` times as wide as others."""
    return spread * glorot_limit(fan_in, size / heads)


@cache
def _places(sizes: tuple[int, ...]) -> tuple[tuple[slice, tuple[int, int], slice], ...]:
    """The position and shape of each layer's weights, and the position of its bias."""
    places, at = [], 0
    for fan_in, size in pairwise(sizes):
        middle, end = at + fan_in * size, at + (fan_in + 1) * size
        places.append((slice(at, middle), (fan_in, size), slice(middle, end)))
        at = end
    return tuple(places)


def sigmoid(logits: Array) -> Array:
    """1 / (1 + e⁻ᶻ), without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * logits))


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


def check_size(contexts: Array) -> None:
    """Refuse huge contexts where they are not standardised."""
    largest = float(np.abs(contexts).max(initial=0.0))
    if largest > UNSCALED:
        remedy = f"give at most {UNSCALED:g}: standardise them, or use Budgeted or SharedNetwork"
        raise InvalidInput("contexts", largest, remedy)


def check_rate(value: float) -> None:
    if not (is_finite(value) and 0 < value <= STEEPEST):
        raise InvalidInput("learning_rate", value, f"give a positive number up to {STEEPEST:g}")


def check_spread(value: float) -> None:
    if not (is_finite(value) and NARROWEST <= value <= WIDEST):
        remedy = f"give a number from {NARROWEST:g} to {WIDEST:g}"
        raise InvalidInput("spread", value, remedy)


def check_parameters(sizes: tuple[int, ...], networks: int = 1, examples: int = 1) -> None:
    """Refuse networks too large for memory, or too slow to wait for."""
    own = n_parameters(sizes)
    small = own * networks <= MOST_PARAMETERS and own * examples <= MOST_WORK
    if not small or max(sizes) * examples > MOST_NUMBERS:
        found = f"{sizes} have {own * networks:,} parameters, taught {examples:,} examples a round"
        remedy = f"layers of {found}: have at most {MOST_PARAMETERS:,}, or fewer examples"
        raise InvalidInput("hidden", sizes[1], remedy)


def n_parameters(sizes: tuple[int, ...]) -> int:
    """Weights and biases of layers of these sizes."""
    return sum((fan_in + 1) * size for fan_in, size in pairwise(sizes))


def check_outputs(outputs: Array, model: Any) -> None:
    """Refuse outputs that are NaN."""
    if np.isnan(outputs).any():
        remedy = "predictions are no longer numbers: lower it"
        raise InvalidInput("learning_rate", model.learning_rate, remedy)

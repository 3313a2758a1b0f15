"""A network of ReLU layers with linear outputs: parameters, values, gradients."""

from functools import cache
from itertools import pairwise

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models.network.checks import n_parameters
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import ArrayOf, Grows, Schema, TupleOf, Whole, require


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
            last = depth == len(sizes) - 2
            limit = np.sqrt(6.0 / (fan_in + (size / heads if last else size)))
            limit *= spread if last else 1.0
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
        limit = spread * np.sqrt(6.0 / (fan_in + size / heads))
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

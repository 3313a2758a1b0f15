"""Random generators by name, so that equal seeds give equal numbers everywhere."""

from collections.abc import Callable
from hashlib import sha256

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput


def generator(seed: int, *names: object) -> Rng:
    """The generator of a name, independent of all others.

    >>> generator(1, "policy", 0).random() == generator(1, "policy", 0).random()
    True
    """
    if seed < 0:
        raise InvalidInput("seed", seed, "give 0 or more")
    digest = sha256("\x1f".join(map(str, names)).encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence([seed, *words])))


def kernel_stream(rng: Rng) -> Array:
    """The state of a kernel's random stream, drawn from a generator."""
    return _words(rng, 4)


def kernel_streams(rng: Rng, count: int) -> Array:
    """The states of `count` streams, (count, 4)."""
    return _words(rng, 4 * count).reshape(-1, 4)


def _words(rng: Rng, count: int) -> Array:
    """`count` words of 64 random bits."""
    raw: Callable[[int], Array] = rng.bit_generator.random_raw
    if isinstance(rng.bit_generator, np.random.MT19937):  # its raw words have 32 bits
        halves = raw(2 * count)
        joined: Array = halves[::2] << np.uint64(32) | halves[1::2]
        return joined
    return raw(count)

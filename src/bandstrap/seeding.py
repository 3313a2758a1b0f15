"""Random generators by name, so that equal seeds give equal numbers everywhere."""

from hashlib import sha256
from struct import unpack_from
from typing import Any

import numpy as np
from numpy.random import MT19937
from numpy.random.bit_generator import ISeedSequence

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput

NO_SEED = bytes(4)


def generator(seed: int, *names: object) -> Rng:
    """The generator of a name, independent of all others.

    >>> generator(1, "policy", 0).random() == generator(1, "policy", 0).random()
    True
    """
    if seed < 0:
        raise InvalidInput("seed", seed, "give 0 or more")
    digest = sha256("\x1f".join(map(str, names)).encode()).digest()
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(_words(seed, digest))))


def brief_generator(*names: object) -> Rng:
    """`generator(0, …)`, in half the time: for a few numbers, and not to be kept or spawned from.

    >>> brief_generator("decision", 7).random() == generator(0, "decision", 7).random()
    True
    """
    # Here, as commands that only refuse something must not wait for the compiler.
    from bandstrap.kernels.random.seeds import fill_seed

    digest = sha256("\x1f".join(map(str, names)).encode()).digest()
    pool, words = np.empty(4, dtype=np.uint64), np.empty(4, dtype=np.uint64)
    fill_seed(np.frombuffer(NO_SEED + digest[:16], "<u4"), pool, words)
    ready: Any = _Ready(words)  # NumPy takes any `ISeedSequence`, and does not declare it
    return np.random.Generator(np.random.PCG64DXSM(ready))


class _Ready(ISeedSequence):
    """A seed sequence that has made its words: of NumPy's own, that takes most of the time."""

    def __init__(self, words: Array) -> None:
        self._words = words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        return self._words


def _words(seed: int, digest: bytes) -> Any:
    """A seed and four words of a digest. An array takes numpy a tenth of what a list does."""
    if seed < 2**32:
        return np.frombuffer(int(seed).to_bytes(4, "little") + digest[:16], "<u4")
    return [seed, *unpack_from("<4I", digest)]


def streamed(stream: Array) -> Rng:
    """A generator seeded by a kernel's stream."""
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(stream.tolist())))


def kernel_stream(rng: Rng) -> Array:
    """The state of a kernel's random stream, drawn from a generator."""
    bits = rng.bit_generator
    words: Array = _joined(bits, 4) if isinstance(bits, MT19937) else bits.random_raw(4)
    return words


def kernel_streams(rng: Rng, count: int) -> Array:
    """The states of `count` streams, (count, 4)."""
    bits = rng.bit_generator
    words = _joined(bits, 4 * count) if isinstance(bits, MT19937) else bits.random_raw(4 * count)
    return words.reshape(-1, 4)


def _joined(bits: MT19937, count: int) -> Array:
    """`count` words of 64 random bits, from raw words of 32."""
    halves: Array = bits.random_raw(2 * count)
    joined: Array = halves[::2] << np.uint64(32) | halves[1::2]
    return joined

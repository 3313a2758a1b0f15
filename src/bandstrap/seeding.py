"""Where randomness comes from, so that equal seeds give equal numbers everywhere."""

from hashlib import sha256

import numpy as np

from bandstrap.errors import InvalidInput


def generator(seed: int, *names: object) -> np.random.Generator:
    """A generator of its own for everything that has a name, whatever else is drawn and when.

    >>> generator(1, "policy", 0).random() == generator(1, "policy", 0).random()
    True
    """
    if seed < 0:
        raise InvalidInput("seed", seed, "give 0 or more")
    digest = sha256("\x1f".join(map(str, names)).encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence([seed, *words])))


def kernel_stream(rng: np.random.Generator) -> np.ndarray:
    """The state of a kernel's random stream, drawn from a generator."""
    stream: np.ndarray = rng.bit_generator.random_raw(4)
    return stream

"""Streams beside a generator's own: one for each number, which takes nothing from it."""

import numpy as np
from numba import uint64

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.random.streams import uniform

GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of splitmix64


@kernel
def _mixed(word):
    word = (word ^ (word >> uint64(30))) * uint64(FIRST)
    word = (word ^ (word >> uint64(27))) * uint64(SECOND)
    return word ^ (word >> uint64(31))


@kernel
def seed_stream(first, second, third, stream):
    """Make a stream of three numbers; others give other streams."""
    word = _mixed(uint64(first) + uint64(GOLDEN))
    word = _mixed((word ^ uint64(second)) + uint64(GOLDEN))
    word = _mixed((word ^ uint64(third)) + uint64(GOLDEN))
    for i in range(stream.size):
        word += uint64(GOLDEN)
        stream[i] = _mixed(word)


@kernel
def fill_limits(stream, log_stay, cap, limits):
    """How long until something that each time stays away with probability exp(log_stay) comes."""
    for i in range(limits.size):
        limits[i] = 1 + np.int64(min(np.log(uniform(stream)) / log_stay, cap - 1.0))

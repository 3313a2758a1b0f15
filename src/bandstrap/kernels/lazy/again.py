"""Further draws from a history that has decided: how probable was the arm that it chose?"""

import numpy as np

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.choose import choose_one


@kernel
def count_waits(stream, scheme, h, allowed, arm, limits):
    """Replace each limit by the number of draws until the arm wins, if that is less."""
    run = np.int64(0)  # no literal, as in `choose`
    for i in range(limits.size):
        draws = np.int64(1)
        while draws < limits[i] and choose_one(stream, scheme, h, run, allowed[run]) != arm:
            draws += 1
        limits[i] = draws


@kernel
def count_votes(stream, scheme, h, allowed, draws, votes):
    """Add the wins of each arm in so many draws."""
    run = np.int64(0)
    for _ in range(draws):
        votes[choose_one(stream, scheme, h, run, allowed[run])] += 1

"""Further draws from a history that has decided: how probable was the arm that it chose?"""

import numpy as np

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.choose import choose_one


@kernel
def count_waits(stream, scheme, h, allowed, arm, limits):
    """The sum over limits of the number of draws until the arm wins, or the limit if not before."""
    run = total = np.int64(0)  # no literal, as in `choose`
    for i in range(limits.size):
        total += 1
        draws = np.int64(1)
        while draws < limits[i] and choose_one(stream, scheme, h, run, allowed[run]) != arm:
            draws += 1
            total += 1
    return total


@kernel
def count_choices(stream, scheme, h, allowed, draws, counts):
    """Add the wins of each arm in so many draws."""
    run = np.int64(0)
    for _ in range(draws):
        counts[choose_one(stream, scheme, h, run, allowed[run])] += 1

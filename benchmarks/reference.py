"""What costs are compared with: Thompson sampling in NumPy, all runs at once, nothing clever."""

from time import thread_time

import numpy as np


def numpy_thompson_seconds(n_arms: int, horizon: int, runs: int, seed: int = 0) -> float:
    """CPU seconds spent in choosing and learning by `runs` runs of Beta Thompson sampling."""
    rng = np.random.default_rng(seed)
    means = rng.random((runs, n_arms))
    ones, zeros = np.ones((2, runs, n_arms))
    rows = np.arange(runs)
    spent = 0.0
    for _ in range(horizon):
        started = thread_time()
        arms = rng.beta(ones, zeros).argmax(axis=1)
        spent += thread_time() - started
        rewards = (rng.random(runs) < means[rows, arms]).astype(np.float64)
        started = thread_time()
        ones[rows, arms] += rewards
        zeros[rows, arms] += 1.0 - rewards
        spent += thread_time() - started
    return spent

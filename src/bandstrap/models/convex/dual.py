"""Least squares with fewer examples than features: a system of as many equations as examples."""

import numpy as np

from bandstrap.arrays import Array


def dual_solution(contexts: Array, rewards: Array, ridges: Array, intercept: bool) -> Array:
    """The least Σ (xᵢθ - yᵢ)² / ridgeᵢ + ‖θ‖², with the intercept last; not finite if it fails.

    θ = Σ βᵢ (xᵢ - c), with margins that are βᵢ ridgeᵢ below rewards. With a free intercept the β
    add up to zero, so that any example will do for c and columns may be far from 0.

    >>> x = np.array([[3.0, 4.0, 5.0], [5.0, 4.0, 5.0]])
    >>> theta = dual_solution(x, np.array([1.0, 3.0]), np.full(2, 1e-9), intercept=True)
    >>> np.round(theta, 3).tolist()
    [1.0, 0.0, 0.0, -2.0]
    """
    from scipy.linalg import lapack  # here: it takes longer to import than everything else

    centre = intercept * contexts[0]
    away = contexts - centre
    kernel = away @ away.T
    kernel.flat[:: len(kernel) + 1] += ridges
    sides = np.column_stack([rewards, np.ones(len(rewards))])
    _, solved, failed = lapack.dposv(kernel, sides, lower=1, overwrite_a=1)
    if failed:
        return np.full(contexts.shape[1] + 1, np.nan)
    by_reward, by_one = solved.T
    level = intercept * by_reward.sum() / by_one.sum()
    theta = (by_reward - level * by_one) @ away
    return np.append(theta, level - centre @ theta)

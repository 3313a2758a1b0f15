"""What learners keep up one update at a time, computed at once from the whole history.

Each function gives the mean and the spread of one arm's margin at some probes. Columns are scaled
to length one before anything is solved, so that the features' own scale costs no digits.
"""

import numpy as np
from numba import njit

Moments = tuple[np.ndarray, np.ndarray]


def with_constant(contexts: np.ndarray) -> np.ndarray:
    return np.column_stack([contexts, np.ones(len(contexts))])


def ridge(contexts: np.ndarray, rewards: np.ndarray, probes: np.ndarray) -> Moments:
    """θ̂ and A⁻¹ of A = I + XᵀX, by orthogonal factors: XᵀX would square the condition."""
    rows = np.concatenate([np.eye(contexts.shape[1] + 1), with_constant(contexts)])
    scale = np.sqrt((rows**2).sum(axis=0))
    q, r = np.linalg.qr(rows / scale)
    theta = np.linalg.solve(r, q.T @ np.append(np.zeros(len(scale)), rewards))
    x = with_constant(probes) / scale
    return x @ theta, np.sqrt((np.linalg.solve(r.T, x.T) ** 2).sum(axis=0))


def noisy(
    contexts: np.ndarray, rewards: np.ndarray, probes: np.ndarray, penalty: float, noise: float
) -> Moments:
    """θ̂ and noise² H⁻¹XᵀXH⁻¹, H = XᵀX and the penalty on all but the intercept."""
    rows, x, ridges = _standardised(contexts, probes, penalty)
    hessian = rows.T @ rows + np.diag(ridges)
    theta = np.linalg.solve(hessian, rows.T @ rewards)
    return x @ theta, _spread(hessian, noise**2 * (rows.T @ rows), x)


def logistic(
    contexts: np.ndarray, rewards: np.ndarray, probes: np.ndarray, penalty: float, variance: float
) -> Moments:
    """The maximum of the penalised likelihood and M⁻¹GM⁻¹, G the covariance of its gradient."""
    rows, x, ridges = _standardised(contexts, probes, penalty)
    theta = np.zeros(len(ridges))
    for _ in range(50):
        shares = 1.0 / (1.0 + np.exp(-(rows @ theta)))
        hessian = (rows.T * (shares * (1 - shares))) @ rows + np.diag(ridges)
        theta += np.linalg.solve(hessian, rows.T @ (rewards - shares) - ridges * theta)
    meat = (rows.T * (variance * (rewards - shares) ** 2)) @ rows
    return x @ theta, _spread(hessian, meat, x)


def _standardised(
    contexts: np.ndarray, probes: np.ndarray, penalty: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and probes in units of the columns' sizes, and the penalty in them."""
    rows = with_constant(contexts)
    scale = np.sqrt((rows**2).mean(axis=0))
    free = np.append(np.ones(len(scale) - 1), 0.0)  # the intercept has no penalty
    return rows / scale, with_constant(probes) / scale, penalty * len(rows) * free / scale**2


def _spread(hessian: np.ndarray, meat: np.ndarray, x: np.ndarray) -> np.ndarray:
    sway = np.linalg.solve(hessian, x.T)
    spread: np.ndarray = np.sqrt((sway * (meat @ sway)).sum(axis=0))
    return spread


def assumed_density(contexts: np.ndarray, rewards: np.ndarray, probes: np.ndarray) -> Moments:
    """Logistic regression with the past kept as a Gaussian, by its precision matrix."""
    rows = with_constant(contexts)
    scale = np.sqrt((rows**2).mean(axis=0))
    theta, precision = np.zeros(len(scale)), np.diag(scale**-2.0)
    _follow(rows / scale, rewards, theta, precision)
    x = with_constant(probes) / scale
    return x @ theta, np.sqrt((x.T * np.linalg.solve(precision, x.T)).sum(axis=0))


@njit(cache=True, error_model="numpy")
def _follow(rows, rewards, theta, precision):
    """Every step solves with the precision, to which rows are only ever added."""
    for i in range(rewards.size):
        x = rows[i]
        gain = np.linalg.solve(precision, x)
        square, margin = x @ gain, x @ theta
        low, high = margin + square * (rewards[i] - 1.0), margin + square * rewards[i]
        for _ in range(200):  # plain bisection
            middle = 0.5 * (low + high)
            if middle - margin > square * (rewards[i] - 1.0 / (1.0 + np.exp(-middle))):
                high = middle
            else:
                low = middle
        share = 1.0 / (1.0 + np.exp(-0.5 * (low + high)))
        rest = 1.0 / (1.0 + np.exp(0.5 * (low + high)))
        theta += (rewards[i] * rest - (1.0 - rewards[i]) * share) * gain
        precision += share * rest * np.outer(x, x)

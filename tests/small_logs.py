"""Small logs of worlds whose truth is known."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.evaluation.feedback import Feedback

SLOPES = np.array([[2.0, -1.0], [-1.0, 2.0], [0.5, 0.5]])


def log_of_arms(
    rows: int,
    means: list[float],
    shares: list[float],
    seed: int = 0,
    every: bool = False,
    skewed: list[float] | None = None,
) -> Feedback:
    """0/1 rewards without contexts; arms were chosen by `skewed` if it is given."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(means), size=rows, p=skewed or shares)
    rewards = (rng.random(rows) < np.array(means)[chosen]).astype(float)
    told = np.tile(shares, (rows, 1)) if every else None
    names = tuple("abcdefghij"[: len(means)])
    propensities = np.array(shares)[chosen]
    return Feedback(names, chosen, rewards, propensities=propensities, probabilities=told)


def chances(contexts: Array) -> Array:
    """The probability of a reward of 1, by context and arm."""
    return 1 / (1 + np.exp(-contexts @ SLOPES.T))


def log_of_contexts(rows: int, seed: int = 0) -> Feedback:
    """0/1 rewards of three arms in contexts of two numbers; the logger prefers good arms."""
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((rows, 2))
    soft = np.exp(0.5 * contexts @ SLOPES.T)
    every = 0.1 + 0.7 * soft / soft.sum(axis=1, keepdims=True)
    chosen = (rng.random(rows)[:, None] > every.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    at = np.arange(rows), chosen
    rewards = (rng.random(rows) < chances(contexts)[at]).astype(float)
    return Feedback(
        ("a", "b", "c"), chosen, rewards, contexts, propensities=every[at], probabilities=every
    )

"""Choosing by scores: the argmax, ties at random, and the probability of each arm.

`allowed` has a flag for each arm. Ties are broken evenly: breaking them by position biases NPB.
"""

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels import argmax as kernels
from bandstrap.kernels.normal_probabilities import fill_normal_probabilities
from bandstrap.seeding import kernel_stream

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)  # exact where up to 32 arms tie
NODES, WEIGHTS = (1 + _NODES) / 2, _WEIGHTS / 2


def argmax(scores: Array, allowed: Array, scale: float, rng: Rng) -> Array:
    """The best allowed arm of each row of `scores`, (runs,).

    Scores made of numbers as large as `scale` tie if they differ by no more than rounding.

    >>> everything = np.ones((1, 3), dtype=bool)
    >>> argmax(np.array([[1.0, 3.0, 2.0]]), everything, 1.0, np.random.default_rng(0))
    array([1])
    """
    arms = np.empty(len(scores), dtype=np.int64)
    kernels.argmax(kernel_stream(rng), scores, allowed, scale, arms)
    return arms


def highest(scores: Array, allowed: Array, rng: Rng) -> int:
    """The best allowed arm of one row of scores; only equal scores tie.

    >>> highest(np.array([1.0, 3.0, 2.0]), np.array([True, False, True]), np.random.default_rng(0))
    2
    """
    arm, ties = kernels.highest(scores, allowed)
    if ties == 1:
        return int(arm)
    check_score(scores[arm])
    return int(rng.choice(np.flatnonzero(allowed & (scores == scores[arm]))))


def check_score(score: float) -> None:
    """Refuse to choose by NaN."""
    if score != score:
        raise InvalidInput("contexts", "too large", "they lead to scores that are not numbers")


def one_of(arms: Array, rng: Rng) -> int:
    """One of some arms, at random."""
    return int(arms[0] if arms.size == 1 else rng.choice(arms))


def best_probabilities(scores: Array, allowed: Array, scale: float) -> Array:
    """1 for the best of the allowed arms, in equal parts if several tie as in `argmax`.

    >>> best_probabilities(np.array([2.0, 1.0, 2.0]), np.array([True, True, True]), 1.0).tolist()
    [0.5, 0.0, 0.5]
    >>> best_probabilities(np.array([2.0, np.inf]), np.array([True, True]), 1.0).tolist()
    [0.0, 1.0]
    """
    scores = np.where(allowed, scores, -np.inf)
    top = scores.max()
    with np.errstate(invalid="ignore"):  # infinity less infinity
        slack = kernels.TIE * np.maximum(np.maximum(np.abs(scores), abs(top)), scale)
        near = np.abs(scores - top) <= slack
    # No finite score is near infinity, the score of an arm that must be tried first.
    best = allowed & ((scores == top) | (near & np.isfinite(top)))
    probabilities: Array = best / best.sum()
    return probabilities


def explored(epsilon: float, probabilities: Array, allowed: Array) -> Array:
    """Any allowed arm with probability epsilon, otherwise as `probabilities` says.

    >>> explored(0.5, np.array([1.0, 0.0]), np.array([True, True])).tolist()
    [0.75, 0.25]
    """
    result: Array = (1 - epsilon) * probabilities + epsilon * allowed / allowed.sum()
    return result


def replica_probabilities(scores: Array, allowed: Array) -> Array:
    """The probability of each arm when one row of `scores` (replicas, arms) is picked to choose by.

    >>> replica_probabilities(np.array([[1.0, 2.0], [3.0, 3.0]]), np.array([True, True])).tolist()
    [0.25, 0.75]
    """
    scores, probabilities = np.ascontiguousarray(scores, dtype=np.float64), np.empty(allowed.size)
    kernels.fill_replica_probabilities(scores, allowed, probabilities)
    return probabilities


def mixed_replica_probabilities(scores: Array, allowed: Array) -> Array:
    """As `replica_probabilities` when a row is picked for each arm by itself.

    >>> scores = np.array([[0.0, 1.0], [2.0, 1.0]])
    >>> mixed_replica_probabilities(scores, np.array([True, True])).tolist()
    [0.5, 0.5]
    """
    scores, probabilities = np.ascontiguousarray(scores, dtype=np.float64), np.empty(allowed.size)
    shares = np.empty((2, allowed.size))
    kernels.fill_mixed_probabilities(scores, allowed, NODES, WEIGHTS, shares, probabilities)
    return probabilities


def normal_probabilities(means: Array, spreads: Array, allowed: Array) -> Array:
    """The probability of each arm to have the highest of independent scores N(mean, spread²).

    Scores without spread may tie. The error is below 10⁻⁶.

    >>> allowed = np.array([True, True, False])
    >>> normal_probabilities(np.zeros(3), np.ones(3), allowed).round(9).tolist()
    [0.5, 0.5, 0.0]
    """
    probabilities, ratios = np.empty((2, means.size))
    kinds = np.empty(means.size, np.int64)
    fill_normal_probabilities(means, spreads, allowed, kinds, ratios, probabilities)
    return probabilities

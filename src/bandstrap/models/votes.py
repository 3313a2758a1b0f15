"""Shares of replicas' votes: what makes the probabilities of arms exact."""

import numpy as np

from bandstrap.arrays import Array

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)  # exact where up to 32 arms tie
HALVES, PARTS = (1 + _NODES) / 2, _WEIGHTS / 2


def vote_shares(scores: Array, allowed: Array) -> Array:
    """The share of rows of `scores` (replicas, arms) that each allowed arm wins; ties are shared.

    >>> vote_shares(np.array([[1.0, 2.0], [3.0, 3.0]]), np.array([True, True])).tolist()
    [0.25, 0.75]
    """
    scores = np.where(allowed, scores, -np.inf)
    top = scores == scores.max(axis=1, keepdims=True)
    top &= allowed
    shares: Array = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


def mixed_shares(scores: Array, allowed: Array) -> Array:
    """As `vote_shares`, where each arm's score is that of a replica of its own, any of them.

    >>> mixed_shares(np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([True, True])).tolist()
    [0.5, 0.5]
    """
    shares = np.zeros(allowed.size)
    arms = np.flatnonzero(allowed)
    open_ = scores[:, arms]
    for place, arm in enumerate(arms):
        others = np.delete(open_, place, axis=1)[:, None, :]
        below = (others < open_[:, place, None]).mean(axis=0)
        same = (others == open_[:, place, None]).mean(axis=0)
        # With k others alike an arm wins one time in k + 1, which is ∫ tᵏ dt.
        wins = (below[None] + HALVES[:, None, None] * same[None]).prod(axis=2)
        shares[arm] = (PARTS @ wins).mean()
    return shares

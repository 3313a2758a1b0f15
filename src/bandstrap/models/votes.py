"""Shares of replicas' votes: what makes the probabilities of arms exact."""

import numpy as np


def vote_shares(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """The share of rows of `scores` (replicas, arms) that each allowed arm wins; ties are shared.

    >>> vote_shares(np.array([[1.0, 2.0], [3.0, 3.0]]), np.array([True, True])).tolist()
    [0.25, 0.75]
    """
    scores = np.where(allowed, scores, -np.inf)
    top = scores == scores.max(axis=1, keepdims=True)
    top &= allowed
    shares: np.ndarray = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares

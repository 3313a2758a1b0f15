"""Theorem 1 the slow way: exact fractions, and the walk of histories round by round."""

from fractions import Fraction
from functools import cache
from math import comb, log, log1p

import numpy as np

from bandstrap.experiments.theorem1.lock_in import GAP, expected_regret


def exact_npb(alpha, beta):
    n = alpha + beta
    weights = (comb(n, j) * alpha**j * beta ** (n - j) for j in range(-(-n // 4), n + 1))
    return Fraction(sum(weights), n**n)


def exact_wb(alpha, beta):
    n = alpha + beta - 1
    return Fraction(sum(comb(n, j) * 3 ** (n - j) for j in range(alpha)), 4**n)


def exact_log(p):
    near_one = 2 * p > 1
    return log1p(-float(1 - p)) if near_one else log(p.numerator) - log(p.denominator)


@cache
def curve(log_probability):
    horizons = np.geomspace(10, 1e300, 60)
    return horizons, expected_regret(horizons, log_probability)


def exact_small_regret(horizon, log_probability):
    """E[R(T)] by walking the chance of every history through every round, T up to some 500."""
    alpha, beta = np.meshgrid(np.arange(1, horizon + 1), np.arange(1, horizon + 1), indexing="ij")
    p = np.exp(log_probability(alpha, beta))
    chance, pulls = np.zeros((horizon, horizon)), 0.0
    chance[0, 0] = 1
    for _ in range(horizon):
        stays, moves = chance * (1 - p), chance * p / 2
        pulls += stays.sum()
        chance = stays
        chance[1:] += moves[:-1]
        chance[:, 1:] += moves[:, :-1]
    return GAP * pulls

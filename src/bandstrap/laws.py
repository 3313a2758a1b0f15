"""The probability of each of several independent draws to be the highest, where laws are known.

Ties share their probability evenly, as `choice` breaks them. Normal draws: `choice`.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import betainc, betaincinv, betaln, expit, gammaln, log_expit, logit, polygamma

from bandstrap.arrays import Array
from bandstrap.choice import NODES, WEIGHTS
from bandstrap.kernels.argmax import TIE

TAIL = 1e-10  # mass beyond the range that is looked at, at each end
PANEL = 3.0  # standard deviations of the narrowest law, and at most as much on the logit scale
REACH = 9.0  # standard deviations of a binomial
_STEPS, _SHARES = np.polynomial.legendre.leggauss(10)

Law = tuple[Array, Array]  # values, ascending, and the mass of each
UNSEEN: Law = (np.array([np.inf]), np.ones(1))  # of an arm that is tried first


def beta_probabilities(ones: Array, zeros: Array, allowed: Array) -> Array:
    """The probability of each arm to have the highest of independent draws Beta(ones, zeros).

    An arm without zeros is always at 1, one without ones at 0, and one with neither comes first.
    P(i) = ∫ fᵢ Πⱼ≠ᵢ Fⱼ on the logit scale, where laws are smooth up to their ends; the error is
    below 10⁻⁶.

    >>> some = np.array([True, True, True])
    >>> beta_probabilities(np.array([1.0, 1.0, 9.0]), np.array([1.0, 1.0, 0.0]), some).tolist()
    [0.0, 0.0, 1.0]
    >>> beta_probabilities(np.array([2.0, 1.0]), np.array([1.0, 1.0]), some[:2]).round(9).tolist()
    [0.666666667, 0.333333333]
    """
    unseen = (ones <= 0) & (zeros <= 0)
    top, between = ~unseen & (zeros <= 0), (ones > 0) & (zeros > 0)
    probabilities = np.zeros(allowed.size)
    for first in (unseen & allowed, top & allowed, between & allowed, allowed):
        if first.any():
            break
    if first[between].any():
        probabilities[first] = _between(ones[first], zeros[first])
    else:  # draws that are certain tie
        probabilities[first] = 1 / np.count_nonzero(first)
    return probabilities


def _between(a: Array, b: Array) -> Array:
    """The same where no draw is certain."""
    low, high = logit(betaincinv(a, b, TAIL)), -logit(betaincinv(b, a, TAIL))
    begin = low.max()
    near = high > begin  # others are out of the question
    probabilities = np.zeros(a.size)
    a, b, high = a[near], b[near], high[near]
    nodes, weights = _panels(begin, high, np.sqrt(polygamma(1, a) + polygamma(1, b)))
    x = nodes[:, None]
    density = np.exp(a * log_expit(x) + b * log_expit(-x) - betaln(a, b))
    # From the nearer end, as θ rounds to 1 where 1 - θ does not round to 0.
    below = np.where(x < 0, betainc(a, b, expit(x)), 1.0 - betainc(b, a, expit(-x)))
    below = np.maximum(below, 1e-300)
    logs = np.log(below)
    found = weights @ (density * np.exp(logs.sum(axis=1, keepdims=True) - logs))
    probabilities[near] = found / found.sum()
    return probabilities


def _panels(begin: float, high: Array, spreads: Array) -> tuple[Array, Array]:
    """Gauss-Legendre nodes and weights, on panels as fine as the narrowest law that varies."""
    edges, steps = [begin], np.minimum(PANEL * spreads, PANEL)
    while edges[-1] < high.max():
        step = steps[high > edges[-1]].min()
        edges.append(min(edges[-1] + step, high.max()))
    half = np.diff(edges)[:, None] / 2
    nodes = np.array(edges[:-1])[:, None] + half * (1 + _STEPS)
    return nodes.ravel(), (half * _SHARES).ravel()


def binomial_law(trials: float, chance: float, start: float, step: float) -> Law:
    """Values start + step k with k ~ Bin(trials, chance), but for tails beyond 10⁻¹⁵.

    >>> values, masses = binomial_law(2, 0.5, 0.0, 0.5)
    >>> values.tolist(), masses.round(9).tolist()
    ([0.0, 0.5, 1.0], [0.25, 0.5, 0.25])
    """
    mean, reach = trials * chance, binomial_reach(trials, chance)
    k = np.arange(max(0.0, np.floor(mean - reach)), min(trials, np.ceil(mean + reach)) + 1)
    logs = -gammaln(k + 1) - gammaln(trials - k + 1)
    if 0 < chance < 1:
        logs += k * np.log(chance) + (trials - k) * np.log1p(-chance)
    else:
        logs = np.where(k == mean, 0.0, -np.inf)
    masses = np.exp(logs - logs.max())
    return start + step * k, masses / masses.sum()


def binomial_reach(trials: float, chance: float) -> float:
    """How far from its mean a binomial is looked at."""
    return REACH * float(np.sqrt(trials * chance * (1 - chance))) + 20.0


def discrete_probabilities(laws: Sequence[Law], allowed: Array, scale: float) -> Array:
    """The probability of each arm to have the highest of independent draws with these laws.

    Values made of numbers as large as `scale` tie if they differ by no more than rounding.

    >>> coin = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    >>> some = np.array([True, True])
    >>> one = np.array([1.0]), np.array([1.0])
    >>> discrete_probabilities([coin, one], some, 1.0).round(9).tolist()
    [0.25, 0.75]
    """
    arms, slack = np.flatnonzero(allowed).tolist(), TIE * scale
    sums = [np.append(0.0, np.cumsum(masses)) for _, masses in laws]
    probabilities = np.zeros(allowed.size)
    for arm in arms:
        values, masses = laws[arm]
        wins = np.ones((NODES.size, values.size))
        for other in (each for each in arms if each != arm):
            first = np.searchsorted(laws[other][0], values - slack, side="left")
            after = np.searchsorted(laws[other][0], values + slack, side="right")
            same = sums[other][after] - sums[other][first]
            # An arm that ties with k others wins one time in k + 1, which is ∫ tᵏ dt.
            wins *= sums[other][first] + NODES[:, None] * same
        probabilities[arm] = WEIGHTS @ wins @ masses
    probabilities /= probabilities.sum()
    return probabilities

"""The plain bootstrap: draws a weight for every reward, every time.

The lazy draw is tested against it, `scores` reports it, and schemes without a bound use it.
"""

from typing import NamedTuple

import numpy as np
from numba import uint64

from bandstrap.kernels.codes import DOUBLE, EXPONENTIAL, MULTINOMIAL
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.history import COUNT, HIGH, LOW, MOST_REWARDS, gather
from bandstrap.kernels.random.streams import below, binomial, exponential, gamma, next_bits, poisson
from bandstrap.storage.schema import ArrayOf, Grows, declare


class Fractions(NamedTuple):
    """Rewards with a factor on their bootstrap weight, besides those of a history."""

    rewards: np.ndarray  # (runs, arms, room)
    factors: np.ndarray  # (runs, arms, room)
    used: np.ndarray  # (runs, arms)


declare(
    Fractions,
    rewards=ArrayOf(np.float64, "runs", "arms", Grows("room")),
    factors=ArrayOf(np.float64, "runs", "arms", Grows("room"), low=0.0, high=MOST_REWARDS),
    used=ArrayOf(np.int64, "runs", "arms", low=0),
)


@kernel
def _one_weight(stream, scheme):
    if scheme == EXPONENTIAL:
        return exponential(stream)
    if scheme == DOUBLE:
        return 2.0 * np.int64(next_bits(stream) >> uint64(63))
    return float(poisson(stream, 1.0))


@kernel
def _group_weight(stream, scheme, count):
    if scheme == EXPONENTIAL:
        return gamma(stream, count)
    if scheme == DOUBLE:
        return 2.0 * binomial(stream, int(np.round(count)), 0.5)
    return float(poisson(stream, count))


@kernel
def _draw_independent(stream, scheme, h, fractions, run, arm, n):
    weighted = 0.0
    total = 0.0
    while total <= 0.0:
        for atom in range(h.values.size):
            weight = _group_weight(stream, scheme, h.counts[run, arm, atom])
            weighted += weight * h.values[atom]
            total += weight
        for i in range(n):
            weight = _one_weight(stream, scheme)
            weighted += weight * h.flat[i]
            total += weight
        for i in range(fractions.used[run, arm]):
            weight = fractions.factors[run, arm, i] * _one_weight(stream, scheme)
            weighted += weight * fractions.rewards[run, arm, i]
            total += weight
    return weighted / total


@kernel
def _draw_multinomial(stream, h, fractions, run, arm, n):
    rows = n + fractions.used[run, arm]
    mass = float(rows)
    for atom in range(h.values.size):
        mass += h.counts[run, arm, atom]
    left = np.round(mass)
    weighted = 0.0
    total = 0.0
    for atom in range(h.values.size):
        count = h.counts[run, arm, atom]
        weight = left
        if rows > 0 or mass - count > 1e-9:
            weight = float(binomial(stream, int(left), count / mass))
        weighted += weight * h.values[atom]
        total += weight
        left -= weight
        mass -= count
    for _ in range(int(left)):
        i = below(stream, rows)
        weight = 1.0 if i < n else fractions.factors[run, arm, i - n]
        weighted += weight * (h.flat[i] if i < n else fractions.rewards[run, arm, i - n])
        total += weight
    return weighted / total


@kernel
def direct_scores(stream, scheme, h, fractions, scores):
    """Draw every arm of every run; infinite for an arm without rewards."""
    for run in range(scores.shape[0]):
        for arm in range(scores.shape[1]):
            moments = h.moments[run, arm]
            whole = fractions.used[run, arm] == 0
            if whole and moments[COUNT] <= 0.0:
                scores[run, arm] = np.inf
            elif whole and moments[LOW] == moments[HIGH]:
                scores[run, arm] = moments[LOW]
            elif scheme == MULTINOMIAL:
                n = gather(h, run, arm)
                scores[run, arm] = _draw_multinomial(stream, h, fractions, run, arm, n)
            else:
                n = gather(h, run, arm)
                scores[run, arm] = _draw_independent(stream, scheme, h, fractions, run, arm, n)


@kernel
def _union_independent(stream, scheme, flat, n, extra):
    weighted = 0.0
    total = 0.0
    while total <= 0.0:  # all weights zero: no mean, draw again
        for i in range(n):
            weight = _one_weight(stream, scheme)
            weighted += weight * flat[i]
            total += weight
        for i in range(extra.size):
            weight = _one_weight(stream, scheme)
            weighted += weight * extra[i]
            total += weight
    return weighted / total


@kernel
def _union_multinomial(stream, flat, n, extra):
    draws = n + extra.size
    of_extra = binomial(stream, draws, extra.size / draws)
    weighted = 0.0
    for _ in range(of_extra):
        weighted += extra[below(stream, extra.size)]
    for _ in range(draws - of_extra):
        weighted += flat[below(stream, n)]
    return weighted / draws


@kernel
def union_scores(stream, scheme, h, extra, scores):
    """As `direct_scores`, from the rewards and `extra` ones of this decision, (runs, arms, n)."""
    for run in range(scores.shape[0]):
        for arm in range(scores.shape[1]):
            n = 0
            if h.moments[run, arm, COUNT] > 0.0:  # no scratch space before the first reward
                n = gather(h, run, arm)
            if n + extra.shape[2] == 0:
                scores[run, arm] = np.inf
            elif scheme == MULTINOMIAL:
                scores[run, arm] = _union_multinomial(stream, h.flat, n, extra[run, arm])
            else:
                scores[run, arm] = _union_independent(stream, scheme, h.flat, n, extra[run, arm])

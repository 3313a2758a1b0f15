"""The lemmas behind Theorem 1: their bounds, and whether they hold."""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bandstrap.arrays import Array
from bandstrap.experiments.theorem1.lock_in import GAP, Pair, npb_pull_log_probability

FIRST_M = 15  # where the paper's lemmas begin


def lemma_bound(horizons: ArrayLike) -> Array:
    """The lemma's bound at its best m: 2^-m / 8 min(exp(m log m / 20), T / 4), 15 <= m <= T."""
    T, m = _horizons_by_m(horizons)
    logs = np.minimum(m * np.log(m) / 20, np.log(T / 4)) - np.log(8)
    return _best_m(T, m, logs)


def lemma_bound_exact_tail(horizons: ArrayLike) -> Array:
    """What the lemma's proof gives with the exact chance P = P(1, m+1), at the best m.

    Either the bad history is complete by T/2: then step (b) gives min(1/P - 1, T/2 (1-P)) / 8.
    Or arm 2 was pulled floor(T/2) - m times at least. (The paper has floor(T/2) there, as if pulls
    of arm 1 were regret; its conclusion survives where m is below 3T/8 or so.)
    """
    T, m = _horizons_by_m(horizons)
    log_p = npb_pull_log_probability(np.ones(m.shape), m + 1)
    log_q = np.log(-np.expm1(log_p))
    late = np.maximum(np.floor(T / 2) - m, 0) * GAP
    with np.errstate(divide="ignore"):
        logs = np.minimum(log_q + np.minimum(-log_p, np.log(T / 2)) - np.log(8), np.log(late))
    return _best_m(T, m, logs)


def guaranteed_exponent(log10_horizon: float) -> float:
    """log of the exact-tail bound over log T, for horizons far beyond floating point.

    The best m balances the two sides of the minimum: 1/P(1, m+1) = T/2.
    """
    log_T = log10_horizon * np.log(10)
    low, high = FIRST_M, int(8 * log_T) + FIRST_M
    while high - low > 1:  # 1/P grows with m, but for steps too small to matter here
        middle = (low + high) // 2
        enough = -float(npb_pull_log_probability(1.0, middle + 1.0)) >= log_T - np.log(2)
        low, high = (low, middle) if enough else (middle, high)
    bound = -float(npb_pull_log_probability(1.0, low + 1.0)) - np.log(8) - low * np.log(2)
    return float(bound / log_T)


def lemma_gives_theorem1(gamma: float) -> bool:
    """Whether the printed lemma gives E[R(T)] > T^(1−γ)/32 where the theorem says so.

    At T = exp((2/γ) exp(80/γ)) and at multiples of its logarithm, with the proof's m; in logarithms
    throughout, and with the terms of the lemma's two sides that are of the order of log T.
    """
    log_T = 2 / gamma * np.exp(80 / gamma) * np.array([1.0, 2.0, 10.0, 1e3, 1e6])
    m = gamma * log_T / 2 + 1  # the proof rounds up
    sides = np.minimum(m * np.log(m) / 20, log_T - np.log(4))
    bound = sides - (m + 3) * np.log(2)
    return bool((bound > (1 - gamma) * log_T - np.log(32)).all())


def _horizons_by_m(horizons: ArrayLike) -> Pair:
    """T as a column and m as a row, far enough that T is the smaller side of the minimum."""
    T = np.asarray(horizons, dtype=float).reshape(-1, 1)
    return T, np.arange(FIRST_M, FIRST_M + 2.0 + int(8 * np.log(T.max())))[None, :]


def _best_m(horizons: Array, m: Array, logs: Array) -> Array:
    allowed = np.where(m <= horizons, logs - m * np.log(2), -np.inf)
    return np.asarray(np.exp(allowed.max(axis=1)))


@dataclass(frozen=True)
class BadHistoryCheck:
    """Whether P(1, m+1) < exp(-(m+2) log(m+2)/20) < exp(-m log m/20); margins are in logs."""

    checked: int
    holding: int
    smallest_margin: float
    smallest_margin_at: int
    proof_step_from: int  # step (c) of the proof holds from this m on


def check_bad_history(m_max: int = 5000) -> BadHistoryCheck:
    """C4 at every m from 15 to `m_max`."""
    m = np.arange(FIRST_M, m_max + 1, dtype=float)
    log_p = npb_pull_log_probability(np.ones(m.shape), m + 1)
    first, second = -(m + 2) * np.log(m + 2) / 20, -m * np.log(m) / 20
    margin = first - log_p
    at = int(margin.argmin())
    holding = int(np.count_nonzero((margin > 0) & (first < second)))
    step_c = np.exp(5 * (np.log(4) / 4 - 3 / 4 * np.log(3 / 4))) - 2
    return BadHistoryCheck(m.size, holding, float(margin[at]), int(m[at]), int(np.ceil(step_c)))


@dataclass(frozen=True)
class TruncatedGeometricCheck:
    """Whether the mean is as printed, and at least half the minimum; the ratio is to that half."""

    checked: int
    equal: int
    bounded: int
    tightest_ratio: float
    tightest_at: tuple[float, int]


N = TypeVar("N", Fraction, Decimal)


def check_truncated_geometric() -> TruncatedGeometricCheck:
    """C5: in rational numbers for l to 30, with sixty digits for l to 2000."""
    chances = [Fraction(i, 100) for i in range(1, 100)] + [Fraction(1, 10**i) for i in range(3, 7)]
    rows = [_mean_and_half(p, cap) for p, cap in product(chances, range(1, 31))]
    with localcontext(prec=60):
        digits = [Decimal(10) ** -i for i in range(1, 13)] + [Decimal(i) / 10 for i in range(2, 10)]
        for cap in (100, 500, 2000):
            rows += [_mean_and_half(p, cap) for p in (*digits, 1 / Decimal(cap))]
    equal, bounded, ratios, _ = zip(*rows, strict=True)
    _, _, ratio, at = rows[int(np.argmin(ratios))]
    return TruncatedGeometricCheck(len(rows), sum(equal), sum(bounded), ratio, at)


def _mean_and_half(p: N, cap: int) -> tuple[bool, bool, float, tuple[float, int]]:
    """The lemma at p and l = cap: whether both parts hold, and how tight the bound is."""
    mean, by_definition = (1 / p - 1) * (1 - (1 - p) ** cap), _mean_by_definition(p, cap)
    half = min(1 / p - 1, cap * (1 - p)) / 2
    # Fractions must agree exactly; sixty digits lose a few where 1 - (1-p)^l cancels.
    error = 0 if isinstance(p, Fraction) else by_definition / 10**40
    return abs(mean - by_definition) <= error, mean >= half, float(mean / half), (float(p), cap)


def _mean_by_definition(p: N, cap: int) -> N:
    stay, power, total = 1 - p, 1 - p, 0 * p
    for i in range(1, cap):
        total += i * power * p
        power *= stay
    return total + cap * power

"""Theorem 1, exactly: what the bootstrap loses on arm 1 ~ Bernoulli(1/2) against a known 1/4.

A run is a walk on the lattice of histories (alpha, beta) of arm 1, from the pseudo-counts (1, 1).
It waits in a history for a geometric time, pulling arm 2, then moves up or right with chance 1/2.
So the expected regret has a generating function in closed form, and T = 10^300 is as cheap as 10^3.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, betainc, betaincc, gammaln

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput

LogProbability = Callable[[np.ndarray, np.ndarray], np.ndarray]
Pair = tuple[np.ndarray, np.ndarray]

GAP = 1 / 4  # between the arms' means
LAST_SMALL = 300  # horizons up to here are inverted on a circle: the contour below needs T >> pulls
NODES = 20  # of the contour, on both sides of the real axis; its error falls as exp(-1.36 NODES)
BATCH = 10  # horizons that share one walk through the lattice
CELLS = 128  # in which the histories after k pulls are grouped, to bound what they cost
DROPPED = 1e-10  # share of that bound that may be left out


def npb_pull_log_probability(alpha: ArrayLike, beta: ArrayLike) -> Array:
    """log P(Bin(n, alpha/n) >= n/4), n = alpha + beta: the non-parametric bootstrap."""
    alpha, beta = np.asarray(alpha, dtype=float), np.asarray(beta, dtype=float)
    n = alpha + beta
    return _log_upper_tail(n, alpha / n, np.ceil(n / 4))


def wb_pull_log_probability(alpha: ArrayLike, beta: ArrayLike) -> Array:
    """log P(Beta(alpha, beta) >= 1/4), for whole alpha and beta: the weighted bootstrap."""
    alpha, beta = np.asarray(alpha, dtype=float), np.asarray(beta, dtype=float)
    # Of alpha + beta - 1 uniforms the alpha-th smallest is this Beta: at least beta lie above 1/4.
    return _log_upper_tail(alpha + beta - 1, np.asarray(3 / 4), beta)


def _log_upper_tail(n: Array, chance: Array, k: Array) -> Array:
    """log P(Bin(n, chance) >= k), 1 <= k <= n, however small."""
    n, chance, k = np.broadcast_arrays(n, chance, k)
    above, below = betainc(k, n - k + 1, chance), betaincc(k, n - k + 1, chance)
    tiny = above < 1e-200
    with np.errstate(divide="ignore"):
        logs = np.asarray(np.where(above < 0.5, np.log(above), np.log1p(-below)))
    logs[tiny] = _log_tail_series(n[tiny], chance[tiny], k[tiny])
    return logs


def _log_tail_series(n: Array, chance: Array, k: Array) -> Array:
    """The same as a sum over k, k+1, ... relative to its first, largest term."""
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    term = np.ones(n.shape)
    total, j = term.copy(), k.copy()
    while np.any(term > 1e-17 * total):
        term = term * (n - j) / (j + 1) * chance / (1 - chance)  # zero once j passes n
        total, j = total + term, j + 1
    return np.asarray(choose + k * np.log(chance) + (n - k) * np.log1p(-chance) + np.log(total))


def expected_regret(horizons: ArrayLike, log_probability: LogProbability) -> Array:
    """E[R(T)] at each horizon, 1 <= T <= 1e300, computed and not simulated."""
    horizons = np.asarray(horizons, dtype=float)
    if not np.all((horizons >= 1) & (horizons <= 1e300)):
        raise InvalidInput("horizons", horizons, "give horizons from 1 to 1e300")
    distinct, where = np.unique(np.floor(horizons), return_inverse=True)
    small, large = distinct[distinct <= LAST_SMALL], distinct[distinct > LAST_SMALL]
    pulls = [_pulls_on_circle(small.astype(int), log_probability)] if small.size else []
    if large.size:
        pulls.append(_pulls_by_batch(large, log_probability))
    return GAP * np.concatenate(pulls)[where].reshape(horizons.shape)


def _pulls_by_batch(horizons: Array, log_probability: LogProbability) -> Array:
    """Arm 2's expected pulls; each batch walks as much of the lattice as its horizons need."""
    depths, widths = histories_that_matter(horizons, log_probability)
    levels = _levels(int(depths.max()), log_probability)
    pulls = []
    for batch in (slice(i, i + BATCH) for i in range(0, horizons.size, BATCH)):
        width = widths[batch].max()
        walked = [(p[:width], q[:width]) for p, q in levels[: depths[batch].max()]]
        pulls.append(_pulls_on_contour(horizons[batch], walked))
    return np.concatenate(pulls)


def histories_that_matter(horizons: Array, log_probability: LogProbability) -> Pair:
    """At each horizon the pulls of arm 1, and alpha, past which histories may be left out.

    A history x in which arm 1 is pulled with chance p is met with chance P(x), and arm 2 is then
    pulled min((1-p)/p, T) times at most in expectation. After k pulls alpha is 1 + Bin(k, 1/2), and
    (1-p)/p falls with alpha. So histories in the cell a <= alpha < b cost at most
    min((1-p)/p at a, T) P(alpha < b). Neither k nor alpha ever falls along a run, so leaving out
    all beyond some k or alpha loses the sum of these costs there and no more.
    The sum is computed here for k < `last`. Beyond, three cells prove it negligible: alpha < n/8
    has chance exp(-0.316 k) and costs T; n/8 < alpha < n/4 has chance exp(-0.130 k) and costs
    exp(0.058 k) up to a factor sqrt(2n); and above n/4, P(Bin < n/4) is exp(-0.052 k) on average.
    """
    last = int(500 + 3.2 * (np.log(horizons.max()) + 25))
    cell = np.arange(CELLS + 1)
    edges = np.maximum(cell + 1, np.ceil((last + 2.0) ** (cell / CELLS))).astype(int)
    log_cost, chance = _cells(np.arange(last)[:, None], edges, log_probability)
    costs = (np.exp(np.minimum(log_cost, log_T)) * chance for log_T in np.log(horizons))
    kept = np.array([[_needed(cost.sum(axis=1)), _needed(cost.sum(axis=0))] for cost in costs])
    return kept[:, 0], edges[kept[:, 1]]


def _cells(k: Array, edges: Array, log_probability: LogProbability) -> Pair:
    """The log of (1-p)/p where a cell begins, and the chance of being below its end."""
    alpha, end = np.minimum(edges[:-1], k + 1), np.minimum(edges[1:], k + 2)
    log_p = log_probability(alpha, k + 2 - alpha)
    with np.errstate(divide="ignore"):
        log_cost = np.log(-np.expm1(log_p)) - log_p
    return log_cost, np.where(edges[:-1] <= k + 1, bdtr(end - 2, k, 0.5), 0.0)


def _needed(costs: Array) -> int:
    """How many to keep so that the rest carries a share of DROPPED at most."""
    rest = costs[::-1].cumsum()[::-1]
    return max(1, int(np.count_nonzero(rest > DROPPED * rest[0])))


def _levels(depth: int, log_probability: LogProbability) -> list[Pair]:
    """p and 1-p in the histories after 0, 1, ..., depth-1 pulls of arm 1."""
    k, ones = np.tril_indices(depth)
    log_p = log_probability(ones + 1, k - ones + 1)
    splits = np.arange(1, depth).cumsum()
    p, q = (np.split(part, splits) for part in (np.exp(log_p), -np.expm1(log_p)))
    return list(zip(p, q, strict=True))


def _transform(s: Array, levels: list[Pair]) -> Array:
    """Sum over rounds t of z^t P(arm 2 is pulled in round t), z = exp(-s)."""
    one_minus_z = -np.expm1(-s)[:, None]
    met, since, total = np.ones((s.size, 1)), np.exp(-s), np.zeros(s.shape)
    for p, q in levels:
        # p + q(1-z) is 1 - qz without the cancellation.
        here = met[:, : p.size] / (p + q * one_minus_z)
        # Not `here @ q`: BLAS threads would spin for longer than the product takes.
        total = total + since * np.einsum("ij,j->i", here, q)
        here *= p / 2
        met = np.pad(here, ((0, 0), (0, 1)))
        met[:, 1:] += here
        since = since * np.exp(-s)
    return np.asarray(total)


def _pulls_on_contour(horizons: Array, levels: list[Pair]) -> Array:
    """Arm 2's expected pulls, by the inverse Laplace transform on Weideman's contour (2006).

    It winds around the poles, s = log(1-p) < 0; one half is enough, the other is its conjugate.
    """
    angle = np.pi * (2 * np.arange(NODES // 2) + 1) / NODES
    bend = 0.6407 * angle
    shape = NODES * (-0.6122 + 0.5017 * angle / np.tan(bend) + 0.2645j * angle)
    slope = NODES * (0.5017 / np.tan(bend) - 0.5017 * bend / np.sin(bend) ** 2 + 0.2645j)
    s = shape / horizons[:, None]
    summed = slope / horizons[:, None] / -np.expm1(-s)  # 1 / (1-z) adds up the rounds until T
    values = _transform(s.ravel(), levels).reshape(s.shape)
    return np.asarray(2 / NODES * (values * summed * np.exp(shape)).imag.sum(axis=1))


def _pulls_on_circle(horizons: Array, log_probability: LogProbability) -> Array:
    """The same for small horizons, as Taylor coefficients; nothing is left out."""
    size = 2 * int(horizons.max())
    radius = 10.0 ** (-12 / size)  # aliases are scaled by 1e-12, and rounding by 1e6 at most
    s = -np.log(radius) - 2j * np.pi * np.arange(size // 2 + 1) / size
    cumulative = _transform(s, _levels(size // 2, log_probability)) / -np.expm1(-s)
    coefficients = np.fft.irfft(cumulative.conj(), n=size)[horizons]
    return np.asarray(coefficients / radius**horizons)


def local_exponent(horizons: ArrayLike, regret: ArrayLike) -> Array:
    """d log R / d log T along the curve."""
    return np.asarray(np.gradient(np.log(regret), np.log(horizons)))

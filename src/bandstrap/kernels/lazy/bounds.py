"""How likely an arm's bootstrap draw is to reach a level, bounded without drawing it.

With weights of mean 1 the draw reaches c if and only if sum w_i (y_i - c) >= 0. Chernoff's
bound on that needs the rewards' moment generating function; weaker forms of it only their count,
mean, variance and range. A decision uses such bounds in two ways.

*Thinning.* If P(draw >= c) <= exp(-rate), then with probability 1 - exp(-rate) the arm is
out without a draw; otherwise `tilt` settles it from the tilted distribution by rejection, so that
the arm stays in with exactly its own probability, and with a draw from exactly its own law.

*Brackets.* What is left open of a draw is a sum of independent parts, sub-Gaussian given the
weights drawn so far. A bracket that fails with probability below 2**-64 changes a decision less
than rounding to doubles does.
"""

import numpy as np

from bandstrap.kernels.codes import EXPONENTIAL, MULTINOMIAL
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.history import COUNT, HIGH, KNOWN_TILT, LOW, MEAN, SQUARES
from bandstrap.kernels.random.exp import exp

AMPLE = 6.0  # a rate so high that a sharper one would not pay
SURE = 45.1  # log(2 * 2**64): brackets fail with probability 2**-64


@kernel
def quick_rate(count, variance, gap, reach):
    """Bernstein's bound, good for every scheme; `gap` = c - mean > 0, `reach` = high - c."""
    return count * gap * gap / (2.0 * (variance + gap * gap + gap * reach))


@kernel
def _relative_entropy(p, q):
    """KL divergence of Bernoulli(p) from Bernoulli(q)."""
    first = p * np.log(p / q) if p > 0.0 else 0.0
    return first + ((1.0 - p) * np.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0)


@kernel
def cheap_rate(scheme, moments, level):
    """The better of two rates that need only the moments; the mean must be below the level.

    Among rewards with the same mean and range, those at its two ends make high draws likeliest;
    for them Chernoff's bound is a relative entropy. Bernstein's is better for concentrated rewards.
    """
    count, mean, low, high = moments[COUNT], moments[MEAN], moments[LOW], moments[HIGH]
    rate = quick_rate(count, moments[SQUARES] / count, level - mean, high - level)
    if rate < AMPLE and level < high:
        p, q = (mean - low) / (high - low), (level - low) / (high - low)
        coin = _relative_entropy(p, q) if scheme == EXPONENTIAL else _relative_entropy(q, p)
        rate = max(rate, count * coin)
    return rate


@kernel
def _find_gains(h, n, level, side):
    """How far each of the `n` rewards in `flat` is beyond the level."""
    flat, gains = h.flat, h.gains
    for i in range(n):
        gains[i] = side * (flat[i] - level)


@kernel
def _slope_terms(scheme, h, n, tilt):
    """What each gain adds to the slope of the log-mgf: a separate loop, so that it vectorises."""
    gains, terms = h.gains, h.terms
    if scheme == EXPONENTIAL:
        for i in range(n):
            terms[i] = gains[i] / (1.0 - tilt * gains[i])
    else:
        for i in range(n):
            terms[i] = exp(tilt * gains[i])


@kernel
def _slopes(scheme, tilt, gain, count, sums):
    """Add `count` equal rewards to the sums behind value, slope and curvature of the log-mgf."""
    if scheme == EXPONENTIAL:
        slope = gain / (1.0 - tilt * gain)
        return sums[0], sums[1] + count * slope, sums[2] + count * slope * slope
    term = count * exp(tilt * gain)
    return sums[0] + term, sums[1] + gain * term, sums[2] + gain * gain * term


@kernel
def _newton_step(scheme, h, run, arm, n, level, side, tilt):
    sums = (0.0, 0.0, 0.0)
    for atom in range(h.values.size):
        if h.counts[run, arm, atom] > 0.0:
            gain = side * (h.values[atom] - level)
            sums = _slopes(scheme, tilt, gain, h.counts[run, arm, atom], sums)
    value, slope, curvature = sums
    _slope_terms(scheme, h, n, tilt)
    if scheme == EXPONENTIAL:
        for i in range(n):
            slope += h.terms[i]
            curvature += h.terms[i] * h.terms[i]
    else:
        for i in range(n):
            term = h.gains[i] * h.terms[i]
            value += h.terms[i]
            slope += term
            curvature += h.gains[i] * term
    if scheme == MULTINOMIAL:
        slope /= value
        curvature = curvature / value - slope * slope
    if curvature <= 0.0:
        return 0.0
    return -slope / curvature


@kernel
def _log_mgf(scheme, h, run, arm, n, level, side, tilt, count):
    """The log-mgf at a tilt; leaves each reward's exp(tilt * gain) in `terms`, but for Exp(1)."""
    total = 0.0
    product = 1.0
    for atom in range(h.values.size):
        if h.counts[run, arm, atom] > 0.0:
            gain = side * (h.values[atom] - level)
            if scheme == EXPONENTIAL:
                total -= h.counts[run, arm, atom] * np.log(1.0 - tilt * gain)
            else:
                total += h.counts[run, arm, atom] * exp(tilt * gain)
    if scheme == EXPONENTIAL:
        for i in range(n):
            product *= 1.0 - tilt * h.gains[i]
            if i % 8 == 7:  # one logarithm for eight factors, before their product can underflow
                total -= np.log(product)
                product = 1.0
        return total - np.log(product)
    _slope_terms(scheme, h, n, tilt)
    for i in range(n):
        total += h.terms[i]
    if scheme == MULTINOMIAL:
        return count * np.log(total / count)
    return total - count


@kernel
def chernoff(scheme, h, run, arm, n, level, side, least):
    """The rate for this very history, and the tilt it is attained at; `n` rewards are in `flat`.

    `side` is 1 for a draw that reaches the level from below and -1 for one that falls to it. Every
    tilt gives a valid rate, so a few safeguarded Newton steps towards the best one will do, unless
    `least` is known to be a rate and is not yet reached. Leaves the gains in `gains`, and the
    rewards' factors at the tilt in `terms`.
    """
    _find_gains(h, n, level, side)
    moments = h.moments[run, arm]
    count = moments[COUNT]
    gap = side * (level - moments[MEAN])
    reach = moments[HIGH] - level if side > 0.0 else level - moments[LOW]
    # Where the mgf ends or its terms would overflow; no reach means no term above one.
    limit = (1.0 if scheme == EXPONENTIAL else 300.0) / max(reach, 1e-300)
    tilt = moments[KNOWN_TILT] if side > 0.0 else 0.0
    if tilt <= 0.0 or tilt >= limit:
        tilt = min(gap / (moments[SQUARES] / count + gap * gap + gap * reach), 0.5 * limit)
    rate = -np.inf
    for attempt in range(60):
        step = min(_newton_step(scheme, h, run, arm, n, level, side, tilt), 3.0 * tilt)
        if tilt + step <= 0.0:
            tilt *= 0.5
        elif tilt + step >= limit:
            tilt = 0.5 * (tilt + limit)
        else:
            tilt += step
        if abs(step) < 1e-2 * tilt or attempt >= 3:
            rate = -_log_mgf(scheme, h, run, arm, n, level, side, tilt, count)
            if rate >= least:
                break
    return rate, tilt


@kernel
def floor_at(rate, moments):
    """A level that the draw falls to with probability at most exp(-rate): Bernstein's bound."""
    count, mean = moments[COUNT], moments[MEAN]
    drop = (mean - moments[LOW]) * rate
    spread = 2.0 * rate * moments[SQUARES]
    return mean - (drop + np.sqrt(drop * drop + spread)) / count

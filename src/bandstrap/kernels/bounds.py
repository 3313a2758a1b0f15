"""How likely an arm's bootstrap draw is to reach a level, bounded without drawing it.

With weights of mean 1 the draw reaches c just when sum w_i (y_i - c) >= 0. Chernoff's bound on
that needs the rewards' moment generating function, and weaker forms of it only their count, mean,
variance and range. A decision uses such bounds in two ways.

*Thinning.* If P(draw >= c) <= exp(-rate), then with probability 1 - exp(-rate) the arm is
out without a draw; otherwise `tilt` settles it from the tilted distribution by rejection, so that
the arm stays in with exactly its own probability, and with a draw from exactly its own law.

*Brackets.* What is left open of a draw is a sum of independent parts, sub-Gaussian given the
weights drawn so far. A bracket that fails with probability below 2**-64 changes a decision less
than rounding to doubles does.
"""

import numpy as np

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.history import COUNT, HIGH, LAST_TILT, LOW, MEAN, SQUARES

EXPONENTIAL, MULTINOMIAL, POISSON, DOUBLE = range(4)  # the last has no bound here: drawn directly

AMPLE = 6.0  # a rate so high that a sharper one would not pay
SURE = 45.1  # log(2 * 2**64): brackets fail with probability 2**-64


@kernel
def quick_rate(count, variance, gap, reach):
    """Bernstein's bound, good for every scheme; `gap` = c - mean > 0, `reach` = high - c."""
    return count * gap * gap / (2.0 * (variance + gap * gap + gap * reach))


@kernel
def _relative_entropy(p, q):
    """KL divergence of a coin with chance p from one with chance q."""
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
def _slopes(scheme, tilt, gain, count, sums):
    """Add `count` equal rewards to the sums behind value, slope and curvature of the log-mgf."""
    if scheme == EXPONENTIAL:
        factor = 1.0 / (1.0 - tilt * gain)
        slope = gain * factor
        return sums[0], sums[1] + count * slope, sums[2] + count * slope * slope
    term = count * np.exp(tilt * gain)
    return sums[0] + term, sums[1] + gain * term, sums[2] + gain * gain * term


@kernel
def _newton_step(scheme, h, run, arm, n, level, side, tilt):
    sums = (0.0, 0.0, 0.0)
    for atom in range(h.values.size):
        if h.counts[run, arm, atom] > 0.0:
            gain = side * (h.values[atom] - level)
            sums = _slopes(scheme, tilt, gain, h.counts[run, arm, atom], sums)
    for i in range(n):
        sums = _slopes(scheme, tilt, side * (h.flat[i] - level), 1.0, sums)
    value, slope, curvature = sums
    if scheme == MULTINOMIAL:
        slope /= value
        curvature = curvature / value - slope * slope
    if curvature <= 0.0:
        return 0.0
    return -slope / curvature


@kernel
def _log_mgf(scheme, h, run, arm, n, level, side, tilt, count):
    total = 0.0
    product = 1.0
    for atom in range(h.values.size):
        if h.counts[run, arm, atom] > 0.0:
            gain = side * (h.values[atom] - level)
            if scheme == EXPONENTIAL:
                total -= h.counts[run, arm, atom] * np.log(1.0 - tilt * gain)
            else:
                total += h.counts[run, arm, atom] * np.exp(tilt * gain)
    for i in range(n):
        gain = side * (h.flat[i] - level)
        if scheme == EXPONENTIAL:
            product *= 1.0 - tilt * gain
            if i % 8 == 7:  # one logarithm for eight factors, before their product can underflow
                total -= np.log(product)
                product = 1.0
        else:
            total += np.exp(tilt * gain)
    if scheme == EXPONENTIAL:
        return total - np.log(product)
    if scheme == MULTINOMIAL:
        return count * np.log(total / count)
    return total - count


@kernel
def chernoff(scheme, h, run, arm, n, level, side, least):
    """The rate for this very history, and the tilt it is attained at; `n` rewards are in `flat`.

    `side` is 1 for a draw that reaches the level from below and -1 for one that falls to it. Every
    tilt gives a valid rate, so a few safeguarded Newton steps towards the best one will do, unless
    `least` is known to be a rate and is not yet reached.
    """
    moments = h.moments[run, arm]
    count = moments[COUNT]
    gap = side * (level - moments[MEAN])
    reach = moments[HIGH] - level if side > 0.0 else level - moments[LOW]
    # Where the mgf ends or its terms would overflow; no reach means no term above one.
    limit = (1.0 if scheme == EXPONENTIAL else 300.0) / max(reach, 1e-300)
    tilt = moments[LAST_TILT] if side > 0.0 else 0.0
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
    if side > 0.0:
        moments[LAST_TILT] = tilt
    return rate, tilt


@kernel
def floor_at(rate, moments):
    """A level that the draw falls to with probability exp(-rate) at most, by Bernstein's bound."""
    count, mean = moments[COUNT], moments[MEAN]
    drop = (mean - moments[LOW]) * rate
    spread = 2.0 * rate * moments[SQUARES]
    return mean - (drop + np.sqrt(drop * drop + spread)) / count

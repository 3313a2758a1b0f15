"""Whether an arm that thinning did not rule out reaches a level, and its draw if it does.

Thinning at level c let the arm through with probability exp(-rate) = M, the moment generating
function at the tilt. Weights are now drawn from the exponentially tilted distribution, under
which reaching c is common, and kept with probability exp(-tilt * excess), where
excess = sum w_i (y_i - c) >= 0. M times that is the likelihood ratio, so the arm passes with
exactly P(draw >= c), and its draw has exactly the law given that.
"""

import numpy as np

from bandstrap.kernels.codes import EXPONENTIAL, MULTINOMIAL
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.random.exp import exp
from bandstrap.kernels.random.streams import binomial, exponential, gamma, poisson

OUT = -np.inf


@kernel
def tilted_draw(stream, scheme, h, run, arm, n, level, side, tilt):
    """The arm's draw given that it reaches `level`, or OUT, at the tilt that `chernoff` left."""
    if scheme == EXPONENTIAL:
        excess, total = _tilt_exponential(stream, h, run, arm, n, level, side, tilt)
    elif scheme == MULTINOMIAL:
        excess, total = _tilt_multinomial(stream, h, run, arm, n, level, side, tilt)
    else:
        excess, total = _tilt_poisson(stream, h, run, arm, n, level, side, tilt)
    if total <= 0.0 or excess < 0.0 or exponential(stream) < tilt * excess:
        return OUT
    return level + side * excess / total


@kernel
def _tilt_exponential(stream, h, run, arm, n, level, side, tilt):
    excess = 0.0
    total = 0.0
    for atom in range(h.values.size):
        count = h.counts[run, arm, atom]
        if count > 0.0:
            gain = side * (h.values[atom] - level)
            weight = gamma(stream, count) / (1.0 - tilt * gain)
            total += weight
            excess += weight * gain
    for i in range(n):
        gain = h.gains[i]
        weight = exponential(stream) / (1.0 - tilt * gain)
        total += weight
        excess += weight * gain
    return excess, total


@kernel
def _tilt_multinomial(stream, h, run, arm, n, level, side, tilt):
    mass = 0.0
    draws = float(n)
    for atom in range(h.values.size):
        draws += h.counts[run, arm, atom]
        mass += h.counts[run, arm, atom] * exp(tilt * side * (h.values[atom] - level))
    draws = np.round(draws)
    above = 0.0
    for i in range(n):
        above += h.terms[i]
    mass += above
    left = draws
    excess = 0.0
    for atom in range(h.values.size):
        share = h.counts[run, arm, atom] * exp(tilt * side * (h.values[atom] - level))
        weight = left
        if n > 0 or share < mass * (1.0 - 1e-12):
            weight = float(binomial(stream, int(left), share / mass))
        excess += weight * side * (h.values[atom] - level)
        left -= weight
        mass -= share
    excess += _share_out(stream, h, n, above, int(left))
    return excess, draws


@kernel
def _share_out(stream, h, n, above, left):
    """`left` draws among the rewards, each with its tilted probability, in one pass.

    The i-th largest of m uniforms, given the one above it, is that times U**(1/i): the uniforms
    come in descending order and meet the rewards' cumulative masses, `above` in all, on the way.
    """
    if left == 0:
        return 0.0
    depth = 0.0
    excess = 0.0
    i = n - 1
    below = above - h.terms[i]
    for rank in range(left, 0, -1):
        depth += exponential(stream) / rank
        point = above * exp(-depth)
        while point < below and i > 0:
            i -= 1
            below -= h.terms[i]
        excess += h.gains[i]
    return excess


@kernel
def _tilt_poisson(stream, h, run, arm, n, level, side, tilt):
    excess = 0.0
    total = 0.0
    for atom in range(h.values.size):
        gain = side * (h.values[atom] - level)
        weight = float(poisson(stream, h.counts[run, arm, atom] * exp(tilt * gain)))
        total += weight
        excess += weight * gain
    for i in range(n):
        gain = h.gains[i]
        weight = float(poisson(stream, h.terms[i]))
        total += weight
        excess += weight * gain
    return excess, total

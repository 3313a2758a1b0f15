"""The probability of each of several independent normal scores to be the highest.

P(i) = ∫ φᵢ(s) Πⱼ≠ᵢ Φⱼ(s) ds, by Gauss-Legendre quadrature on panels no wider than the narrowest
normal that still varies there. Tails beyond REACH standard deviations are ignored: 10⁻⁹ each.
"""

from math import erfc

import numpy as np

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.random.exp import exp

REACH = 6.0
PANEL = 3.0  # standard deviations
CERTAIN = 1e-12  # a spread below this share of the mean is rounding
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
NODES, WEIGHTS = tuple(_NODES), tuple(_WEIGHTS)
ROOT_HALF = 0.7071067811865476
DENSITY = 0.3989422804014327  # 1 / √(2π)


@kernel
def _spreads_of(means, spreads, allowed, kinds):
    """Set each score's kind: 0 not allowed, 1 certain, 2 normal, 3 infinite; return if any is 3."""
    infinite = False
    for i in range(means.size):
        kinds[i] = 0
        if allowed[i]:
            sure = not spreads[i] > CERTAIN * abs(means[i])
            kinds[i] = 1 if sure else 2
            if means[i] == np.inf:
                kinds[i], infinite = 3, True
    return infinite


@kernel
def _share_top(means, kinds, kind, mass, out):
    """Split a mass evenly among the highest scores of a kind."""
    top, ties = -np.inf, 0
    for i in range(means.size):
        if kinds[i] == kind:
            if means[i] > top:
                top, ties = means[i], 0
            ties += means[i] == top
    for i in range(means.size):
        if kinds[i] == kind and means[i] == top:
            out[i] = mass / ties


@kernel
def _limits(means, spreads, kinds):
    """The range of the highest score, and the highest of the certain ones."""
    low, high, sure = -np.inf, -np.inf, -np.inf
    for i in range(means.size):
        if kinds[i] == 1:
            sure = max(sure, means[i])
        elif kinds[i] == 2:
            low = max(low, means[i] - REACH * spreads[i])
            high = max(high, means[i] + REACH * spreads[i])
    return max(low, sure), high, sure


@kernel
def _below(means, spreads, kinds, value):
    """P(all normal scores are below a value)."""
    mass = 1.0
    for i in range(means.size):
        if kinds[i] == 2:
            mass *= 0.5 * erfc(ROOT_HALF * (means[i] - value) / spreads[i])
    return mass


@kernel
def _end(means, spreads, kinds, begin, high):
    end = high
    for i in range(means.size):
        if kinds[i] == 2 and begin < means[i] + REACH * spreads[i]:
            end = min(end, begin + PANEL * spreads[i])
    return end if end > begin else high


@kernel
def _add_panel(means, spreads, kinds, begin, end, ratios, out):
    half, middle = 0.5 * (end - begin), 0.5 * (end + begin)
    for k in range(len(NODES)):
        s = middle + half * NODES[k]
        mass = half * WEIGHTS[k]
        for i in range(means.size):
            if kinds[i] == 2:
                z = (s - means[i]) / spreads[i]
                ratios[i] = 0.0
                if z < REACH:
                    under = 0.5 * erfc(-ROOT_HALF * z)
                    mass *= under
                    ratios[i] = DENSITY * exp(-0.5 * z * z) / (spreads[i] * under)
        for i in range(means.size):
            if kinds[i] == 2:
                out[i] += mass * ratios[i]


@kernel
def fill_normal_probabilities(means, spreads, allowed, kinds, ratios, out):
    """Fill `out`; tied scores without spread, and infinite ones, share their probability."""
    for i in range(means.size):
        out[i] = 0.0
    if _spreads_of(means, spreads, allowed, kinds):
        _share_top(means, kinds, 3, 1.0, out)
        return
    low, high, sure = _limits(means, spreads, kinds)
    for i in range(means.size):
        if kinds[i] == 2 and means[i] + REACH * spreads[i] <= low:
            kinds[i] = 0  # out of the question
    if sure > -np.inf:
        _share_top(
            means, kinds, 1, _below(means, spreads, kinds, sure) if sure >= low else 0.0, out
        )
    begin = low
    while begin < high:
        end = _end(means, spreads, kinds, begin, high)
        _add_panel(means, spreads, kinds, begin, end, ratios, out)
        begin = end
    total = 0.0
    for i in range(means.size):
        total += out[i]
    for i in range(means.size):
        out[i] /= total

"""Sums over rewards drawn without replacement, and the tournament that compares them."""

from math import lgamma

import numpy as np

from bandstrap.kernels.argmax import tied
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.history import COUNT, HIGH, LOW, MEAN, gather
from bandstrap.kernels.random.streams import below, uniform


@kernel
def _log_choose(n, k):
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)


@kernel
def hypergeometric(stream, good, bad, draws):
    """How many of `draws` without replacement are good: inversion, from the mode outwards."""
    if draws == 0 or good == 0:
        return 0
    if bad == 0 or draws == good + bad:
        return min(draws, good)
    mode = int((draws + 1.0) * (good + 1.0) / (good + bad + 2.0))
    log_mass = _log_choose(good, mode) + _log_choose(bad, draws - mode)
    peak = np.exp(log_mass - _log_choose(good + bad, draws))
    while True:
        u = uniform(stream) - peak
        up = down = mode
        mass_up = mass_down = peak
        while u > 0.0 and mass_up + mass_down > 0.0:
            mass_up *= (good - up) * (draws - up) / ((up + 1.0) * (bad - draws + up + 1.0))
            up += 1
            u -= mass_up
            if u <= 0.0:
                return up
            mass_down *= down * (bad - draws + down) / ((good - down + 1.0) * (draws - down + 1.0))
            down -= 1
            u -= mass_down
            if u <= 0.0:
                return down
        if u <= 0.0:
            return mode
        # Rounding left a sliver beyond the last mass: draw again.


@kernel
def _sum_of_counts(stream, h, run, arm, draws):
    left = int(np.round(h.moments[run, arm, COUNT]))
    total = 0.0
    for atom in range(h.values.size):
        count = int(h.counts[run, arm, atom])
        taken = hypergeometric(stream, count, left - count, draws)
        total += taken * h.values[atom]
        draws -= taken
        left -= count
    return total


@kernel
def _sum_of_rewards(stream, h, run, arm, draws):
    """Shuffles the front of `flat`, or all but its front if that is shorter."""
    n = gather(h, run, arm)
    flat = h.flat
    shuffled = min(draws, n - draws)
    total = 0.0
    for i in range(shuffled):
        j = i + below(stream, n - i)
        flat[i], flat[j] = flat[j], flat[i]
        total += flat[i]
    if shuffled == draws:
        return total
    total = 0.0
    for i in range(shuffled, n):
        total += flat[i]
    return total


@kernel
def _mean_of(stream, h, run, arm, draws):
    """The mean of `draws` of an arm's rewards, or of all where there are no more."""
    if h.moments[run, arm, COUNT] <= draws:
        return h.moments[run, arm, MEAN]
    if h.nodes.shape[1] == 0:
        return _sum_of_counts(stream, h, run, arm, draws) / draws
    return _sum_of_rewards(stream, h, run, arm, draws) / draws


@kernel
def _duel(stream, h, run, a, b):
    n_a = h.moments[run, a, COUNT]
    n_b = h.moments[run, b, COUNT]
    draws = int(np.round(min(n_a, n_b)))
    if draws > 0:
        x = _mean_of(stream, h, run, a, draws)
        y = _mean_of(stream, h, run, b, draws)
        scale = max(abs(h.moments[run, a, LOW]), abs(h.moments[run, a, HIGH]))
        if not tied(x, y, scale):
            return a if x > y else b
    if n_a != n_b:
        return a if n_a < n_b else b
    return a if uniform(stream) < 0.5 else b


@kernel
def _shuffled_arms(stream, allowed, order):
    n = 0
    for arm in range(allowed.size):
        if allowed[arm]:
            j = below(stream, n + 1)
            order[n] = order[j]
            order[j] = arm
            n += 1
    return n


@kernel
def tournament(stream, h, allowed, order, wins, arms):
    """The winner of a knockout among the allowed arms of each run, and everyone's won duels.

    Halving the shuffled arms again and again gives the pairs: on a level with `parts` parts the
    i-th starts at i * n // parts, where its winner is kept.
    """
    for run in range(arms.size):
        n = _shuffled_arms(stream, allowed[run], order)
        parts = 1
        while parts < n:
            parts *= 2
        while parts > 1:
            for i in range(0, parts, 2):
                first = i * n // parts
                second = (i + 1) * n // parts
                if first < second < (i + 2) * n // parts:
                    winner = _duel(stream, h, run, order[first], order[second])
                    wins[run, winner] += 1.0
                    order[first] = winner
            parts //= 2
        arms[run] = order[0]

"""The plain bootstrap of rewards together with some that were made up for this decision."""

import numpy as np

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.direct import _one_weight
from bandstrap.kernels.lazy.history import COUNT, gather
from bandstrap.kernels.random.streams import below, binomial
from bandstrap.kernels.schemes import MULTINOMIAL


@kernel
def _draw_independent(stream, scheme, flat, n, extra):
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
def _draw_multinomial(stream, flat, n, extra):
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
    """A draw for every arm of every run from its rewards and `extra`, (runs, arms, some)."""
    for run in range(scores.shape[0]):
        for arm in range(scores.shape[1]):
            n = 0
            if h.moments[run, arm, COUNT] > 0.0:  # no scratch space before the first reward
                n = gather(h, run, arm)
            if n + extra.shape[2] == 0:
                scores[run, arm] = np.inf
            elif scheme == MULTINOMIAL:
                scores[run, arm] = _draw_multinomial(stream, h.flat, n, extra[run, arm])
            else:
                scores[run, arm] = _draw_independent(stream, scheme, h.flat, n, extra[run, arm])

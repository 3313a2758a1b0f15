"""The largest of some scores, ties broken uniformly: breaking them by position biases NPB."""

import numpy as np

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.random.streams import uniform

TIE = 1e-13  # relative


@kernel
def tied(x, y, scale):
    """Whether two scores made of numbers as large as `scale` differ by no more than rounding."""
    apart = abs(x - y)
    return x == y or (apart < np.inf and apart <= TIE * max(abs(x), abs(y), scale))


@kernel
def argmax(stream, scores, allowed, scale, arms):
    for run in range(arms.size):
        best = -1
        ties = 0
        for arm in range(scores.shape[1]):
            if not allowed[run, arm]:
                continue
            if best >= 0 and tied(scores[run, arm], scores[run, best], scale):
                ties += 1
                if uniform(stream) * ties < 1.0:
                    best = arm
            elif best < 0 or scores[run, arm] > scores[run, best]:
                best = arm
                ties = 1
        arms[run] = best


@kernel
def highest(scores, allowed):
    """The first of the highest allowed scores, and how many tie with it; -1 if one is NaN."""
    best, ties = -1, 0
    for arm in range(scores.size):
        if allowed[arm]:
            if scores[arm] != scores[arm]:
                return arm, -1
            if best < 0 or scores[arm] > scores[best]:
                best, ties = arm, 1
            elif scores[arm] == scores[best]:
                ties += 1
    return best, ties


@kernel
def fill_replica_probabilities(scores, allowed, probabilities):
    """The share of rows (replicas, arms) in which each arm is highest; NaN if a score is."""
    probabilities[:] = 0.0
    for row in range(scores.shape[0]):
        best, ties = highest(scores[row], allowed)
        if ties < 0:
            probabilities[:] = np.nan
        for arm in range(best, scores.shape[1]):
            if allowed[arm] and scores[row, arm] == scores[row, best]:
                probabilities[arm] += 1.0 / ties
    for arm in range(scores.shape[1]):
        probabilities[arm] /= scores.shape[0]

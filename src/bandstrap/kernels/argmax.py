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


@kernel
def fill_mixed_probabilities(scores, allowed, nodes, weights, shares, probabilities):
    """The probability of each arm to be highest when a row is picked for each arm by itself.

    `shares` is scratch, (2, arms). An arm that ties with k others wins one time in k + 1, which is
    ∫ tᵏ dt: `nodes` and `weights` are those of the integral.
    """
    for arm in range(scores.shape[1]):
        probabilities[arm] = 0.0
        if allowed[arm]:
            for row in range(scores.shape[0]):
                probabilities[arm] += _wins(scores, allowed, row, arm, nodes, weights, shares)
            probabilities[arm] /= scores.shape[0]


@kernel
def _wins(scores, allowed, row, arm, nodes, weights, shares):
    """How probable it is that all other arms are below this score, where a tie wins in part."""
    rows, ties, below = scores.shape[0], False, 1.0
    for other in range(scores.shape[1]):
        shares[0, other], shares[1, other] = 1.0, 0.0
        if allowed[other] and other != arm:
            less = same = 0
            for i in range(rows):
                less += scores[i, other] < scores[row, arm]
                same += scores[i, other] == scores[row, arm]
            if less + same == 0:
                return 0.0
            shares[0, other], shares[1, other] = less / rows, same / rows
            ties |= same > 0
            below *= less / rows
    if not ties:
        return below
    total = 0.0
    for i in range(nodes.size):
        wins = weights[i]
        for other in range(scores.shape[1]):
            wins *= shares[0, other] + nodes[i] * shares[1, other]
        total += wins
    return total

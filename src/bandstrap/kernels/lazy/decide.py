"""One decision of a product: the draw that decides, and its scores.

Scores are exact to within PRECISE of an arm's spread, and open no more of its history than that
takes; which arm is highest is settled exactly, by opening those that are too close to tell apart.
"""

import numpy as np

from bandstrap.kernels.argmax import tied
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.choose import start_draw
from bandstrap.kernels.lazy.draw import CEILING, DOUBT, FIXED, FLOOR, MIDDLE, TOTAL, narrow
from bandstrap.kernels.lazy.history import COUNT, HIGH, LOW, SQUARES
from bandstrap.kernels.random.streams import uniform

PRECISE = 0.1  # standard deviation of what is left to chance, as a share of the arm's spread
NONE = -1


@kernel
def _vague(h, arm, slot, n_open):
    """Whether much of an arm's draw is still left to chance."""
    moments, bracket = h.moments[0, arm], h.bracket[slot]
    left = PRECISE * bracket[TOTAL] / moments[COUNT]
    return n_open > 0 and bracket[DOUBT] > left * left * moments[SQUARES]


@kernel
def _apart(h, slot):
    """Whether it is clear which of the two draws under way is higher."""
    other = 1 - slot
    return (
        h.bracket[other, CEILING] < h.bracket[slot, FLOOR]
        or h.bracket[other, FLOOR] > h.bracket[slot, CEILING]
    )


@kernel
def _next(h, arm, slot, n_best, n_open, rivals):
    """The slot to open further: the arm's own, or the wider one of two rivals; or NONE."""
    other = 1 - slot
    if _vague(h, arm, other, n_open):
        return other
    if not rivals or n_best + n_open == 0 or _apart(h, slot):
        return NONE
    width = h.bracket[slot, CEILING] - h.bracket[slot, FLOOR]
    other_width = h.bracket[other, CEILING] - h.bracket[other, FLOOR]
    return slot if n_open == 0 or (n_best > 0 and width >= other_width) else other


@kernel
def _score(h, slot, n_open):
    """The draw, or its expectation where it is not all open."""
    bracket = h.bracket[slot]
    if n_open == 0:
        return bracket[FLOOR]
    middle = (bracket[FIXED] + bracket[MIDDLE]) / bracket[TOTAL]
    return min(max(middle, bracket[FLOOR]), bracket[CEILING])


@kernel
def _wins(stream, h, arm, slot, ties):
    """Whether the draw of an arm is higher than the best in `slot`, and how many tie then."""
    moments, other = h.moments[0, arm], 1 - slot
    x, y = h.bracket[slot, FLOOR], h.bracket[other, FLOOR]
    if not _apart(h, slot) and tied(x, y, max(abs(moments[LOW]), abs(moments[HIGH]))):
        return uniform(stream) * (ties + 1) < 1.0, ties + 1
    return y > x, 1 if y > x else ties


@kernel
def _scored(stream, scheme, h, allowed, scores):
    """Draw every arm and return the highest of those allowed; arms never seen come first."""
    best = first = NONE
    slot = n_best = ties = unseen = run = np.int64(0)  # no literals, as in `choose`
    for arm in range(scores.size):
        if h.moments[0, arm, COUNT] <= 0.0:
            scores[arm] = np.inf
            if allowed[arm]:
                unseen += 1
                first = arm if uniform(stream) * unseen < 1.0 else first
            continue
        rivals = allowed[arm] and best != NONE
        n_open = start_draw(stream, scheme, h, run, arm, 1 - slot)
        turn = _next(h, arm, slot, n_best, n_open, rivals)
        while turn != NONE:
            left = narrow(stream, scheme, h, run, turn, n_best if turn == slot else n_open)
            n_best, n_open = (left, n_open) if turn == slot else (n_best, left)
            turn = _next(h, arm, slot, n_best, n_open, rivals)
        wins = allowed[arm]
        if rivals:
            wins, ties = _wins(stream, h, arm, slot, ties)
            scores[best] = _score(h, slot, n_best)
        scores[arm] = _score(h, 1 - slot, n_open)
        if wins:
            best, slot, n_best, ties = arm, 1 - slot, n_open, max(ties, 1)
    for arm in range(scores.size if best != NONE else 0):  # ties: the chosen one may be drawn lower
        if allowed[arm] and scores[arm] < np.inf:
            scores[best] = max(scores[best], scores[arm])
    return first if unseen > 0 else best


@kernel
def decide(stream, scheme, h, allowed, scores):
    """Choose for the first run by a scored draw."""
    return _scored(stream, scheme, h, allowed[0], scores)

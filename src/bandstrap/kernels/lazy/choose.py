"""The arm whose bootstrap draw is largest, found without drawing what cannot matter.

The arm with the best mean is the champion. Its draw is above some level, at first only by a bound
that needs no draw. Every other arm is a challenger: usually it is thinned out at that level
(`bounds`), sometimes it is drawn in full from the tilted law (`tilt`), and where neither would be
cheap the two draws are opened side by side until they separate (`draw`). The result is the argmax
of independent full draws, ties broken uniformly.
"""

import numpy as np

from bandstrap.kernels.argmax import TIE, tied
from bandstrap.kernels.codes import POISSON
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.bounds import AMPLE, cheap_rate, chernoff, floor_at
from bandstrap.kernels.lazy.draw import CEILING, FLOOR, begin, narrow
from bandstrap.kernels.lazy.history import (
    COUNT,
    HIGH,
    KNOWN_LEVEL,
    KNOWN_RATE,
    KNOWN_TILT,
    LOW,
    MEAN,
    gather,
)
from bandstrap.kernels.lazy.tilt import OUT, tilted_draw
from bandstrap.kernels.random.streams import below, exponential, uniform
from bandstrap.kernels.schemes import usable

OUT_OF_IT = -2
UNDRAWN = -1  # in place of a number of open nodes: only a floor is known
LEARN_WORK = 512.0  # rewards that may be walked to learn a rate, once per reward of the arm


@kernel
def _leader(h, run, allowed):
    """The allowed arm with the best mean; a uniformly random one of those never seen, if any."""
    leader = -1
    unseen = 0
    for arm in range(allowed.size):
        if not allowed[arm]:
            continue
        if h.moments[run, arm, COUNT] <= 0.0:
            unseen += 1
        elif leader < 0 or h.moments[run, arm, MEAN] > h.moments[run, leader, MEAN]:
            leader = arm
    return leader, unseen


@kernel
def _pick_unseen(stream, h, run, allowed, unseen):
    skip = below(stream, unseen)
    for arm in range(allowed.size):
        if allowed[arm] and h.moments[run, arm, COUNT] <= 0.0:
            if skip == 0:
                return arm
            skip -= 1
    return -1


@kernel
def _set(h, slot, value):
    h.bracket[slot, FLOOR] = value
    h.bracket[slot, CEILING] = value


@kernel
def _floor(stream, scheme, h, run, arm, slot):
    """Bracket the champion by a floor that its draw falls to so rarely that the work is nothing.

    Thinning from below: with probability exp(-rate), about one in twenty times its count, the draw
    may fall to the floor and is settled by a walk over its rewards. Returns the open nodes.
    """
    moments = h.moments[run, arm]
    if moments[LOW] == moments[HIGH]:
        _set(h, slot, moments[LOW])
        return 0
    rate = np.log(moments[COUNT]) + 3.0
    floor = floor_at(rate, moments)
    h.bracket[slot, CEILING] = moments[HIGH]
    h.bracket[slot, FLOOR] = max(floor, moments[LOW])
    if floor <= moments[LOW] or (scheme == POISSON and moments[COUNT] < 40.0):
        h.bracket[slot, FLOOR] = moments[LOW]
        return UNDRAWN
    chance = exponential(stream)
    if chance < rate:
        return UNDRAWN
    n = gather(h, run, arm)
    rate, tilt = chernoff(scheme, h, run, arm, n, floor, -1.0, rate)
    if chance < rate:
        return UNDRAWN
    draw = tilted_draw(stream, scheme, h, run, arm, n, floor, -1.0, tilt)
    if draw == OUT:
        return UNDRAWN
    _set(h, slot, draw)
    return 0


@kernel
def _draw_above_floor(stream, scheme, h, run, arm, slot):
    """Draw a champion of which only a floor is known, given that it lies above."""
    floor = h.bracket[slot, FLOOR]
    while True:
        n_open = begin(stream, scheme, h, run, arm, slot)
        if floor <= h.moments[run, arm, LOW]:  # always above, whatever rounding says
            return n_open
        while n_open > 0 and h.bracket[slot, FLOOR] < floor <= h.bracket[slot, CEILING]:
            n_open = narrow(stream, scheme, h, run, slot, n_open)
        if h.bracket[slot, FLOOR] >= floor:
            return n_open


@kernel
def _learn_rate(scheme, h, run, arm, level):
    """Learn a rate at which to thin the arm at this level, negative where drawing it is better."""
    moments = h.moments[run, arm]
    count = moments[COUNT]
    gap = level - moments[MEAN]
    # Learnt a little below the level, a rate serves while the champion's floor wavers.
    lower = level - 0.1 * gap
    rate = 0.0
    tilt = 0.0
    # Few Poisson weights may all be zero, which the bounds do not allow for.
    if gap > 0.0 and (scheme != POISSON or count >= 40.0):
        rate = cheap_rate(scheme, moments, lower)
        if rate < AMPLE and h.nodes.shape[1] > 0 and count <= LEARN_WORK:
            n = gather(h, run, arm)
            sharp, sharpest = chernoff(scheme, h, run, arm, n, lower, 1.0, 0.0)
            if sharp > rate:
                rate = sharp
                tilt = sharpest
    moments[KNOWN_LEVEL] = lower if gap > 0.0 else level
    moments[KNOWN_RATE] = usable(rate, count if h.nodes.shape[1] > 0 else 0.0)
    moments[KNOWN_TILT] = tilt


@kernel
def _thin(stream, scheme, h, run, arm, level, rate, chance):
    """Settle a challenger that thinning at `rate` let through: its draw, or OUT."""
    n = gather(h, run, arm)
    rate, tilt = chernoff(scheme, h, run, arm, n, level, 1.0, rate)
    if chance < rate:
        return OUT
    return tilted_draw(stream, scheme, h, run, arm, n, level, 1.0, tilt)


@kernel
def start_draw(stream, scheme, h, run, arm, slot):
    moments = h.moments[run, arm]
    if moments[LOW] == moments[HIGH]:
        _set(h, slot, moments[LOW])
        return 0
    return begin(stream, scheme, h, run, arm, slot)


@kernel
def _duel(stream, scheme, h, run, slot, n_champion, n_challenger):
    """Open the draws in `slot` (champion) and in the other slot until they separate.

    Returns 1 if the challenger wins, 0 if the champion stays, -1 if both are fully drawn.
    """
    other = 1 - slot
    while True:
        if n_champion == 0 and n_challenger == 0:
            return -1, n_champion, n_challenger
        if h.bracket[other, CEILING] < h.bracket[slot, FLOOR]:
            return 0, n_champion, n_challenger
        if h.bracket[other, FLOOR] > h.bracket[slot, CEILING]:
            return 1, n_champion, n_challenger
        width = h.bracket[slot, CEILING] - h.bracket[slot, FLOOR]
        other_width = h.bracket[other, CEILING] - h.bracket[other, FLOOR]
        if n_challenger == 0 or (n_champion > 0 and width >= other_width):
            n_champion = narrow(stream, scheme, h, run, slot, n_champion)
        else:
            n_challenger = narrow(stream, scheme, h, run, other, n_challenger)


@kernel
def _challenge(stream, scheme, h, run, arm, slot, level, chance):
    """Bring a challenger's draw into the other slot; return its open nodes, or OUT_OF_IT.

    Called when `chance` was not below the known rate, or none is known for this level.
    """
    moments = h.moments[run, arm]
    rate = 0.0
    if moments[KNOWN_LEVEL] <= level:
        rate = moments[KNOWN_RATE]
    if not level - 0.25 * (level - moments[MEAN]) <= moments[KNOWN_LEVEL] <= level:
        _learn_rate(scheme, h, run, arm, level)
        # What was known is used up: what is learnt may sharpen it, not take its place.
        rate = max(rate, moments[KNOWN_RATE])
    if rate <= 0.0:
        return start_draw(stream, scheme, h, run, arm, 1 - slot)
    draw = OUT
    if chance >= rate:
        draw = _thin(stream, scheme, h, run, arm, level, rate, chance)
    if draw == OUT:
        return OUT_OF_IT
    _set(h, 1 - slot, draw)
    return 0


@kernel
def choose_one(stream, scheme, h, run, allowed):
    leader, unseen = _leader(h, run, allowed)
    if unseen > 0:
        return _pick_unseen(stream, h, run, allowed, unseen)
    champion = leader
    slot = np.int64(0)  # for the literal Numba would compile everything twice
    if h.nodes.shape[1] > 0:
        n_open = _floor(stream, scheme, h, run, champion, slot)
    else:  # a few known values: the draw itself is as cheap as a bound
        n_open = start_draw(stream, scheme, h, run, champion, slot)
    ties = 1
    for arm in range(allowed.size):
        if not allowed[arm] or arm == leader:
            continue
        moments = h.moments[run, arm]
        # What ties with the champion up to rounding must not be thinned out.
        scale = max(abs(moments[LOW]), abs(moments[HIGH]))
        level = h.bracket[slot, FLOOR] - TIE * scale
        if moments[HIGH] < level:
            continue
        chance = exponential(stream)
        if moments[KNOWN_LEVEL] <= level and chance < moments[KNOWN_RATE]:
            continue
        n_other = _challenge(stream, scheme, h, run, arm, slot, level, chance)
        if n_other == OUT_OF_IT or h.bracket[1 - slot, CEILING] < level:
            continue
        if n_open == UNDRAWN:
            n_open = _draw_above_floor(stream, scheme, h, run, champion, slot)
        outcome, n_open, n_other = _duel(stream, scheme, h, run, slot, n_open, n_other)
        if outcome == -1:
            x, y = h.bracket[slot, FLOOR], h.bracket[1 - slot, FLOOR]
            if tied(x, y, scale):
                ties += 1
                if uniform(stream) * ties < 1.0:
                    champion = arm
                continue
            outcome = 1 if y > x else 0
        if outcome == 1:
            champion = arm
            slot = 1 - slot
            n_open = n_other
            ties = 1
    return champion


@kernel
def choose(stream, scheme, h, allowed, arms):
    for run in range(arms.size):
        arms[run] = choose_one(stream, scheme, h, run, allowed[run])

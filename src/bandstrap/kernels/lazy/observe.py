"""Adding rewards to a history: their moments always, the rest in the form that draws will need."""

import numpy as np

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.history import (
    COUNT,
    HIGH,
    KNOWN_LEVEL,
    KNOWN_RATE,
    KNOWN_TILT,
    LOW,
    MEAN,
    QUEUE,
    SQUARES,
    flush,
    note_moments,
)
from bandstrap.kernels.random.streams import uniform
from bandstrap.kernels.schemes import one_more, usable

# What a history stores of a reward besides the moments: the reward; a count of the known value that
# it equals; a share of each of two values; a count of one of two values that it is rounded to at
# random; nothing.
REWARDS, ATOMS, SHARES, ROUNDED, MOMENTS = range(5)


@kernel
def _carried_rate(scheme, moments, reward):
    """An arm's known level and rate after one more reward; an infinite level if they are lost.

    Chernoff's bound at a given tilt is a sum over rewards: a reward adds one term.
    """
    if moments[KNOWN_LEVEL] == np.inf or moments[KNOWN_TILT] <= 0.0:
        return np.inf, 0.0
    count, level = moments[COUNT], moments[KNOWN_LEVEL]
    rate = abs(moments[KNOWN_RATE])
    rate = one_more(scheme, rate, count, moments[KNOWN_TILT], reward - level)
    if rate <= 0.0:
        return np.inf, 0.0
    return level, usable(rate, count + 1.0)


@kernel
def _observe_reward(h, scheme, run, arm, reward):
    """Store the reward."""
    moments = h.moments[run, arm]
    level, rate = _carried_rate(scheme, moments, reward)
    note_moments(moments, reward)
    moments[KNOWN_LEVEL] = level
    moments[KNOWN_RATE] = rate
    if h.queued[run] == QUEUE:
        flush(h, run)
    i = h.queued[run]
    h.queue[run, i] = reward
    h.queue_arms[run, i] = arm
    h.queued[run] = i + 1


@kernel
def _observe_atom(h, run, arm, reward):
    """Count a reward that is one of the known values."""
    for atom in range(h.values.size):
        if h.values[atom] == reward:
            h.counts[run, arm, atom] += 1.0
    note_moments(h.moments[run, arm], reward)


@kernel
def _observe_shares(h, run, arm, reward):
    """Count a reward between two values as a share of each: the paper's binomial estimator."""
    low, high = h.values[0], h.values[1]
    share = (reward - low) / (high - low)
    h.counts[run, arm, 0] += 1.0 - share
    h.counts[run, arm, 1] += share
    moments = h.moments[run, arm]
    count = moments[COUNT] + 1.0
    mean = moments[MEAN] + (reward - moments[MEAN]) / count
    moments[COUNT] = count
    moments[MEAN] = mean
    moments[SQUARES] = count * max((mean - low) * (high - mean), 0.0)
    moments[LOW] = low if h.counts[run, arm, 0] > 0.0 else high
    moments[HIGH] = high if h.counts[run, arm, 1] > 0.0 else low
    moments[KNOWN_LEVEL] = np.inf


@kernel
def observe_one(stream, h, scheme, form, run, arm, reward):
    if form == REWARDS:
        _observe_reward(h, scheme, run, arm, reward)
    elif form == ATOMS:
        _observe_atom(h, run, arm, reward)
    elif form == SHARES:
        _observe_shares(h, run, arm, reward)
    elif form == ROUNDED:
        _observe_atom(h, run, arm, 1.0 if uniform(stream) < reward else 0.0)
    else:
        note_moments(h.moments[run, arm], reward)


@kernel
def observe(stream, h, scheme, form, arms, rewards):
    """One reward for each run."""
    for run in range(arms.size):
        observe_one(stream, h, scheme, form, run, arms[run], rewards[run])


@kernel
def add_ends(h, arms, added):
    """Add `added` pseudo-rewards at the first and at the last value, for one arm of each run."""
    last = h.values.size - 1
    for run in range(arms.size):
        arm = arms[run]
        h.counts[run, arm, 0] += added[run]
        h.counts[run, arm, last] += added[run]
        for _ in range(added[run]):
            note_moments(h.moments[run, arm], h.values[0])
            note_moments(h.moments[run, arm], h.values[last])

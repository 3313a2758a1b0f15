"""What a history takes in of a reward: its moments always, the rest as it will be needed."""

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

# What is kept of a reward besides the moments: itself, its place among the known values, its share
# of two values, the place of one of two values that it is rounded to at random, or nothing.
REWARDS, ATOMS, SHARES, ROUNDED, MOMENTS = range(5)


@kernel
def _carried_rate(scheme, moments, reward):
    """The known level and rate of an arm when one more reward has come; an infinite level if lost.

    Chernoff's bound at a given tilt is a sum over rewards: one more is one more term.
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
    """A reward to be kept itself."""
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
    """A reward that is one of the known values."""
    for atom in range(h.values.size):
        if h.values[atom] == reward:
            h.counts[run, arm, atom] += 1.0
    note_moments(h.moments[run, arm], reward)


@kernel
def _observe_shares(h, run, arm, reward):
    """A reward between two values counted as a share of each: the paper's binomial estimator."""
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
def observe_one(stream, h, scheme, keeping, run, arm, reward):
    if keeping == REWARDS:
        _observe_reward(h, scheme, run, arm, reward)
    elif keeping == ATOMS:
        _observe_atom(h, run, arm, reward)
    elif keeping == SHARES:
        _observe_shares(h, run, arm, reward)
    elif keeping == ROUNDED:
        _observe_atom(h, run, arm, 1.0 if uniform(stream) < reward else 0.0)
    else:
        note_moments(h.moments[run, arm], reward)


@kernel
def observe(stream, h, scheme, keeping, arms, rewards):
    """One reward for each run."""
    for run in range(arms.size):
        observe_one(stream, h, scheme, keeping, run, arms[run], rewards[run])

"""Checks of arrays that policies are given, in one pass without a copy."""

from math import inf

from bandstrap.kernels.compile import kernel

ARM, REWARD, UNLISTED = 0, 1, 2

# The largest number that models take: thousands of its fourth powers are finite, and its inverse is
# not 0 in single precision.
LARGEST = 1e30

# The smallest besides 0: squares of smaller numbers, or of their differences, lose digits or
# underflow to 0, which then divides.
SMALLEST = 1e-130


@kernel
def sums_to_one(shares, tolerance):
    """Whether probabilities add up to 1; NaN never does."""
    total = 0.0
    for i in range(shares.size):
        total += shares[i]
    return abs(total - 1.0) < tolerance


@kernel
def first_infinite(contexts):
    """The flat index of the first number that is not finite; -1 if all are."""
    for i in range(contexts.shape[0]):
        for j in range(contexts.shape[1]):
            if not abs(contexts[i, j]) < inf:
                return i * contexts.shape[1] + j
    return -1


@kernel
def first_beyond(contexts):
    """The flat index of the first number that is too large, too small or NaN; -1 if none is."""
    for i in range(contexts.shape[0]):
        beyond = 0
        for j in range(contexts.shape[1]):  # to the end of the row, for a loop that is vectorised
            size = abs(contexts[i, j])
            beyond += 1 - (((size >= SMALLEST) & (size <= LARGEST)) | (size == 0.0))
        if beyond > 0:
            return i * contexts.shape[1] + _first_beyond(contexts[i])
    return -1


@kernel
def _first_beyond(row):
    for j in range(row.size):
        size = abs(row[j])
        if not (SMALLEST <= size <= LARGEST or size == 0.0):
            return j
    return -1


@kernel
def first_fault(arms, n_arms, rewards, low, high, values):
    """The kind of the first fault, and its run; the run is -1 if there is no fault."""
    bad = first_bad_arm(arms, n_arms)
    if bad >= 0:
        return ARM, bad
    bad = first_bad_reward(rewards, low, high)
    if bad >= 0:
        return REWARD, bad
    return UNLISTED, first_unlisted(rewards, values) if values.size > 0 else -1


@kernel
def first_bad_reward(rewards, low, high):
    """The index of the first reward that is not finite or not in [low, high]; -1 if none."""
    for i in range(rewards.size):
        if not (low <= rewards[i] <= high and abs(rewards[i]) < 1.7e308):
            return i
    return -1


@kernel
def first_unlisted(rewards, values):
    """The index of the first reward that is not among the values; -1 if all are."""
    for i in range(rewards.size):
        known = False
        for j in range(values.size):
            known |= rewards[i] == values[j]
        if not known:
            return i
    return -1


@kernel
def first_bad_arm(arms, n_arms):
    for i in range(arms.size):
        if arms[i] < 0 or arms[i] >= n_arms:
            return i
    return -1


@kernel
def first_empty_row(allowed):
    for i in range(allowed.shape[0]):
        if not allowed[i].any():
            return i
    return -1

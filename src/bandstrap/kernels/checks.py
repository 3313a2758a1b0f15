"""What a policy is given, checked at the cost of reading it."""

from math import inf

from bandstrap.kernels.compile import kernel

ARM, REWARD, UNLISTED = 0, 1, 2

# The largest number that models take: fourth powers of it, times thousands, are still numbers, and
# its inverse is one in single precision too.
LARGEST = 1e30

# The smallest that is not 0: its square, and that of the difference of two such numbers, have all
# their digits. Those of smaller ones lose them, or are 0 where nobody expects to divide by 0.
SMALLEST = 1e-130


@kernel
def sums_to_one(shares, tolerance):
    """Whether probabilities add up to 1, of which NaN never does."""
    total = 0.0
    for i in range(shares.size):
        total += shares[i]
    return abs(total - 1.0) < tolerance


@kernel
def first_infinite(contexts):
    """Where the first number stands, counted by rows, that is infinite or none; -1 if none."""
    for i in range(contexts.shape[0]):
        for j in range(contexts.shape[1]):
            if not abs(contexts[i, j]) < inf:
                return i * contexts.shape[1] + j
    return -1


@kernel
def first_beyond(contexts):
    """Where the first stands, counted by rows, that is too large, too small or no number; or -1."""
    for i in range(contexts.shape[0]):
        for j in range(contexts.shape[1]):
            size = abs(contexts[i, j])
            if not (SMALLEST <= size <= LARGEST or size == 0.0):
                return i * contexts.shape[1] + j
    return -1


@kernel
def first_fault(arms, n_arms, rewards, low, high, values):
    """Which fault there is, as its kind and the run it is in; the run is -1 if there is none."""
    bad = first_bad_arm(arms, n_arms)
    if bad >= 0:
        return ARM, bad
    bad = first_bad_reward(rewards, low, high)
    if bad >= 0:
        return REWARD, bad
    return UNLISTED, first_unlisted(rewards, values) if values.size > 0 else -1


@kernel
def first_bad_reward(rewards, low, high):
    """Where the first reward stands that is not a number in [low, high] and finite; -1 if none."""
    for i in range(rewards.size):
        if not (low <= rewards[i] <= high and abs(rewards[i]) < 1.7e308):
            return i
    return -1


@kernel
def first_unlisted(rewards, values):
    """Where the first reward stands that is none of the values; -1 if none."""
    for i in range(rewards.size):
        listed = False
        for j in range(values.size):
            listed |= rewards[i] == values[j]
        if not listed:
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

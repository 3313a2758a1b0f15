"""Fresh bootstrap weights for all examples of an arm, by entry: total weight and weighted reward.

An axis of the prior stands for four examples, two at each of its two margins.
"""

from bandstrap.kernels.codes import DOUBLE, EXPONENTIAL, MULTINOMIAL
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.convex.loss import total_of
from bandstrap.kernels.random.streams import below, exponential, next_bits, poisson

ONES = -1  # every weight is 1


@kernel
def _one(stream, scheme):
    if scheme == EXPONENTIAL:
        return exponential(stream)
    if scheme == DOUBLE:
        return 2.0 * float(next_bits(stream) >> 63)
    if scheme == ONES:
        return 1.0
    return float(poisson(stream, 1.0))


@kernel
def fold_axes(quads, quad_rewards, weight, total):
    """Entries of the axes from the weights (a, 4) and rewards of their examples."""
    a = quads.shape[0]
    for i in range(a):
        for side in range(2):
            low, high = quads[i, 2 * side], quads[i, 2 * side + 1]
            weight[side * a + i] = low + high
            total[side * a + i] = (
                low * quad_rewards[i, 2 * side] + high * quad_rewards[i, 2 * side + 1]
            )


@kernel
def _draw(stream, scheme, quads, weight, n, a):
    if scheme == EXPONENTIAL:  # by itself: the loop that matters
        for i in range(a):
            for k in range(4):
                quads[i, k] = exponential(stream)
        for i in range(2 * a, n):
            weight[i] = exponential(stream)
    elif scheme == MULTINOMIAL:
        quads[:] = 0.0
        weight[2 * a : n] = 0.0
        examples = n + 2 * a
        for _ in range(examples):
            i = below(stream, examples)
            if i < 4 * a:
                quads[i >> 2, i & 3] += 1.0
            else:
                weight[i - 2 * a] += 1.0
    else:
        for i in range(a):
            for k in range(4):
                quads[i, k] = _one(stream, scheme)
        for i in range(2 * a, n):
            weight[i] = _one(stream, scheme)


@kernel
def weigh(stream, scheme, quads, quad_rewards, plain_rewards, rewards, weight, total):
    """Draw until some weight is not 0; return the total weight of all entries.

    `rewards` are those of the rows; `quads` is scratch.
    """
    a = quads.shape[0]
    pseudo = 2 * a + plain_rewards.size
    n = pseudo + rewards.size
    sum_of = 0.0
    while not sum_of > 0.0:
        _draw(stream, scheme, quads, weight, n, a)
        fold_axes(quads, quad_rewards, weight, total)
        for i in range(plain_rewards.size):
            total[2 * a + i] = weight[2 * a + i] * plain_rewards[i]
        for i in range(rewards.size):
            total[pseudo + i] = weight[pseudo + i] * rewards[i]
        sum_of = total_of(weight, n)
    return sum_of

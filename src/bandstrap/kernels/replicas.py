"""Many replicas of a model learning one example at a time, each with its own weight for it.

The parameters of an arm are an array (features + 1, replicas): replicas lie side by side, so that
one look at a feature serves all of them, and features that are zero are skipped. Their number is
padded to a multiple of four by replicas of no weight. The last row is the intercept.
"""

import numpy as np

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.exp import exp
from bandstrap.kernels.random import below

LINEAR, LOGISTIC = 0, 1
LANES = 4


@kernel
def _add_multiple(out, scale, row):
    # By fours, spelled out: a loop over ten replicas is too short to be vectorised otherwise.
    for q in range(0, row.size, LANES):
        out[q] += scale * row[q]
        out[q + 1] += scale * row[q + 1]
        out[q + 2] += scale * row[q + 2]
        out[q + 3] += scale * row[q + 3]


@kernel
def _gather(context, unit, places, values):
    """Where the features are that are not zero, what they are, and how many; the constant last."""
    n = 0
    for i in range(context.size):
        if context[i] != 0:
            places[n] = i
            values[n] = context[i] * unit
            n += 1
    places[n] = context.size
    values[n] = 1.0
    return n + 1


@kernel
def _residuals(link, theta, places, values, reward, weights, residuals):
    """Weighted reward minus prediction of each replica; returns their sum of squares."""
    residuals[:] = 0.0
    for j in range(places.size):
        _add_multiple(residuals, values[j], theta[places[j]])
    if link == LOGISTIC:
        for r in range(residuals.size):
            residuals[r] = 1.0 / (1.0 + exp(min(-residuals[r], 700.0)))
    square = 0.0
    for r in range(residuals.size):
        residuals[r] = weights[r] * (reward - residuals[r])
        square += residuals[r] * residuals[r]
    return square


@kernel
def _take_step(link, count, theta, squares, row, unit, reward, weights, scratch):
    """One AdaGrad step of all replicas; `sizes` is how far each feature's parameter may move."""
    sizes, residuals, places, values = scratch
    n = _gather(row, unit, places, values)
    places, values = places[:n], values[:n]
    square = _residuals(link, theta, places, values, reward, weights, residuals) / count
    for j in range(n):
        i, x = places[j], values[j]
        squares[i] += square * x * x
        if squares[i] > 0.0 and sizes[i] > 0.0:
            _add_multiple(theta[i], sizes[i] * x / np.sqrt(squares[i]), residuals)


@kernel
def _note_scales(context, unit, scales):
    """Sums of squares, and how many, of a row's features that are not zero."""
    last = context.size
    for i in range(last):
        if context[i] != 0:
            x = context[i] * unit
            scales[0, i] += x * x
            scales[1, i] += 1.0


@kernel
def _set_sizes(rate, scales, sizes):
    """How far each parameter may move: what changes a prediction by about `rate`.

    A feature that no context has shown yet has no scale, and its parameter stays where it is.
    """
    for i in range(sizes.size):
        sizes[i] = 0.0
        if scales[0, i] > 0.0:
            sizes[i] = rate * np.sqrt(scales[1, i] / scales[0, i])


@kernel
def replay(stream, link, rate, steps, replicas, arm, count, memory, unit, pseudo, learnt, scratch):
    """Steps on examples drawn at random from the history and the pseudo-examples of one arm."""
    contexts, rewards, weights = memory
    pseudo_contexts, pseudo_rewards, pseudo_weights = pseudo
    thetas, all_squares, scales = learnt
    theta, squares = thetas[arm], all_squares[arm]
    first = pseudo_rewards.size
    _set_sizes(rate, scales, scratch[0])
    for _ in range(steps):
        i = below(stream, first + count)
        if i < first:
            row, reward, weight = pseudo_contexts[i], pseudo_rewards[i], pseudo_weights[arm, i]
            _take_step(link, replicas, theta, squares, row, 1.0, reward, weight, scratch)
        else:
            i -= first
            row, reward, weight = contexts[i], rewards[i], weights[i]
            _take_step(link, replicas, theta, squares, row, unit, reward, weight, scratch)


@kernel
def learn(stream, link, rate, steps, replicas, arm, count, memory, unit, pseudo, learnt, scratch):
    """Learn the newest row of an arm, then replay."""
    contexts, rewards, weights = memory
    thetas, squares, scales = learnt
    row, reward, weight = contexts[count - 1], rewards[count - 1], weights[count - 1]
    _note_scales(row, unit, scales)
    _set_sizes(rate, scales, scratch[0])
    _take_step(link, replicas, thetas[arm], squares[arm], row, unit, reward, weight, scratch)
    replay(stream, link, rate, steps, replicas, arm, count, memory, unit, pseudo, learnt, scratch)


@kernel
def look(thetas, replica, context, unit, margins):
    """One replica's linear predictor for every arm."""
    last = context.size
    for arm in range(margins.size):
        total = thetas[arm, last, replica]
        for i in range(last):
            if context[i] != 0:
                total += context[i] * unit * thetas[arm, i, replica]
        margins[arm] = total


@kernel
def highest(margins, allowed):
    """The first of the highest allowed entries, and how many they are."""
    best, ties = -1, 0
    for arm in range(margins.size):
        if allowed[arm]:
            if best < 0 or margins[arm] > margins[best]:
                best, ties = arm, 1
            elif margins[arm] == margins[best]:
                ties += 1
    return best, ties

"""Many replicas of a model learning one example at a time, each with its own weight for it.

The parameters of an arm are an array (features + 1, replicas): replicas lie side by side, so that
one look at a feature serves all of them, and features that are zero are skipped. Their number is
padded to a multiple of `LANES` by replicas of no weight. The last row is the intercept.
"""

import numpy as np

from bandstrap.kernels.codes import LOGISTIC
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.intrinsics import LANES, add_lanes, prefetch
from bandstrap.kernels.random.exp import exp
from bandstrap.kernels.random.streams import below

SUMS = 4


@kernel
def _gather(context, unit, places, values):
    """Where the features are that are not zero, what they are, and how many; the constant last."""
    n = 0
    for i in range(context.size):  # without a branch, which would be guessed wrong at every edge
        places[n] = i
        n += context[i] != 0
    for j in range(n):
        values[j] = context[places[j]] * unit
    places[n] = context.size
    values[n] = 1.0
    return n + 1


@kernel
def _margins(theta, places, values, n, sums):
    """Each replica's linear predictor, in the first of some sums that do not wait for another."""
    sums[:] = 0.0
    for j in range(n):
        for q in range(0, sums.shape[1], LANES):
            add_lanes(sums, j % SUMS, q, values[j], theta, places[j])
    for r in range(sums.shape[1]):
        sums[0, r] = (sums[0, r] + sums[1, r]) + (sums[2, r] + sums[3, r])


@kernel
def _residuals(loss, theta, places, values, n, reward, weights, sums):
    """Weighted reward minus prediction of each replica; returns their sum of squares."""
    _margins(theta, places, values, n, sums)
    residuals = sums[0]
    if loss == LOGISTIC:
        for r in range(residuals.size):
            residuals[r] = 1.0 / (1.0 + exp(min(-residuals[r], 700.0)))
    square = 0.0
    for r in range(residuals.size):
        residuals[r] = weights[r] * (reward - residuals[r])
        square += residuals[r] * residuals[r]
    return square


@kernel
def _take_step(loss, count, theta, squares, row, unit, reward, weights, scratch):
    """One AdaGrad step of all replicas; `sizes` is how far each feature's parameter may move."""
    sizes, residuals, places, values, moves, roots = scratch
    n = _gather(row, unit, places, values)
    square = _residuals(loss, theta, places, values, n, reward, weights, residuals) / count
    for j in range(n):
        i, x = places[j], values[j]
        squares[i] += square * x * x
        roots[j] = squares[i] if squares[i] > 0.0 else np.inf
        moves[j] = sizes[i] * x
    for j in range(n):  # on its own: roots and quotients take longest, and go four at a time
        moves[j] /= np.sqrt(roots[j])
    for j in range(n):
        for q in range(0, theta.shape[1], LANES):
            add_lanes(theta, places[j], q, moves[j], residuals, 0)


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
        sizes[i] = rate * np.sqrt(scales[1, i] / (scales[0, i] if scales[0, i] > 0.0 else np.inf))


@kernel
def replay(stream, loss, rate, steps, replicas, arm, count, memory, unit, pseudo, learnt, scratch):
    """Steps on examples drawn at random from the history and the pseudo-examples of one arm."""
    contexts, rewards, weights = memory
    pseudo_contexts, pseudo_rewards, pseudo_weights = pseudo
    thetas, all_squares, scales = learnt
    theta, squares = thetas[arm], all_squares[arm]
    first = pseudo_rewards.size
    _set_sizes(rate, scales, scratch[0])
    upcoming = below(stream, first + count) if steps > 0 else 0
    for left in range(steps - 1, -1, -1):
        i = upcoming
        if left > 0:
            upcoming = below(stream, first + count)
            if upcoming >= first:  # while this step is taken the next one's row can come
                prefetch(contexts, upcoming - first)
                prefetch(weights, upcoming - first)
                prefetch(rewards, upcoming - first)
        if i < first:
            row, reward, weight = pseudo_contexts[i], pseudo_rewards[i], pseudo_weights[arm, i]
            _take_step(loss, replicas, theta, squares, row, 1.0, reward, weight, scratch)
        else:
            i -= first
            row, reward, weight = contexts[i], rewards[i], weights[i]
            _take_step(loss, replicas, theta, squares, row, unit, reward, weight, scratch)


@kernel
def learn(stream, loss, rate, steps, replicas, arm, count, memory, unit, pseudo, learnt, scratch):
    """Learn the newest row of an arm, then replay."""
    contexts, rewards, weights = memory
    thetas, squares, scales = learnt
    row, reward, weight = contexts[count - 1], rewards[count - 1], weights[count - 1]
    _note_scales(row, unit, scales)
    _set_sizes(rate, scales, scratch[0])
    _take_step(loss, replicas, thetas[arm], squares[arm], row, unit, reward, weight, scratch)
    replay(stream, loss, rate, steps, replicas, arm, count, memory, unit, pseudo, learnt, scratch)


@kernel
def look(thetas, first, context, unit, margins, scratch):
    """The linear predictors of replicas from `first` on for every arm, (replicas, arms)."""
    _, _, places, values, _, _ = scratch
    n = _gather(context, unit, places, values)
    for i in range(margins.shape[0]):
        replica = first + i
        for arm in range(margins.shape[1]):
            a = b = 0.0
            for j in range(0, n - 1, 2):
                a += values[j] * thetas[arm, places[j], replica]
                b += values[j + 1] * thetas[arm, places[j + 1], replica]
            if n % 2 == 1:
                a += values[n - 1] * thetas[arm, places[n - 1], replica]
            margins[i, arm] = a + b

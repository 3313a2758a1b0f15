"""What a network does with all its parameters or inputs, in one pass instead of NumPy's many."""

import numpy as np

from bandstrap.kernels.compile import kernel

_BETA1 = np.float32(0.9)
_BETA2 = np.float32(0.999)
_EPSILON = np.float32(1e-8)
_ONE = np.float32(1.0)


@kernel
def adam(parameters, gradient, first, second, average, rate, first_share, second_share, share):
    """One step of Adam in place, and `average` moved towards the new parameters by `share`.

    `first_share` and `second_share` undo the moments' start at zero. All are float32: NumPy needs
    ten passes for the same.
    """
    for i in range(parameters.size):
        slope = gradient[i]
        first[i] = _BETA1 * first[i] + (_ONE - _BETA1) * slope
        second[i] = _BETA2 * second[i] + (_ONE - _BETA2) * slope * slope
        step = rate * (first[i] * first_share)
        parameters[i] -= step / (np.sqrt(second[i] * second_share) + _EPSILON)
        average[i] += share * (parameters[i] - average[i])


@kernel
def pull_back(gradient, parameters, starts, share):
    """Add the slope of ½ share ‖parameters - starts‖² to the gradient."""
    for i in range(parameters.size):
        gradient[i] += share * (parameters[i] - starts[i])


@kernel
def outputs(context, hidden_weights, hidden_bias, output_weights, output_bias, hidden, out):
    """What one hidden layer makes of one context; features that are 0 cost nothing."""
    for j in range(hidden.size):
        hidden[j] = hidden_bias[j]
    for i in range(context.size):
        if context[i] != 0:
            for j in range(hidden.size):
                hidden[j] += context[i] * hidden_weights[i, j]
    for k in range(out.size):
        out[k] = output_bias[k]
    for j in range(hidden.size):
        if hidden[j] > 0:
            for k in range(out.size):
                out[k] += hidden[j] * output_weights[j, k]


@kernel
def langevin(parameters, gradient, second, noise, rate, second_share, decay, spread):
    """One step of preconditioned Langevin dynamics in place; `noise` is standard normal.

    A step of `rate` down the mean gradient of n examples, with `decay` the prior's share of it,
    and noise of variance 2 rate / n, all times the preconditioner; `spread` is √(2 rate / n).
    """
    for i in range(parameters.size):
        slope = gradient[i] + decay * parameters[i]
        second[i] = _BETA2 * second[i] + (_ONE - _BETA2) * gradient[i] * gradient[i]
        scale = _ONE / (np.sqrt(second[i] * second_share) + _FLOOR)
        parameters[i] += spread * np.sqrt(scale) * noise[i] - rate * scale * slope


_FLOOR = np.float32(1e-3)  # flat directions move no more than this allows


@kernel
def note_scale(context, unit, count, smallest, mean, squares, shares):
    """Take the context that makes `count` into Welford's sums; `shares` is 1 / spread.

    A spread below `smallest` is that of a constant, whose share is 0.
    """
    for i in range(context.size):
        x = context[i] * unit
        away = x - mean[i]
        mean[i] += away / count
        squares[i] += away * (x - mean[i])
        spread = np.sqrt(squares[i] / count)
        shares[i] = 1.0 / (spread if spread > smallest else np.inf)


@kernel
def standardise(contexts, unit, mean, shares, clip, out):
    """Contexts in units of spread from the mean, at most `clip` of them."""
    for row in range(contexts.shape[0]):
        for i in range(contexts.shape[1]):
            x = (contexts[row, i] * unit - mean[i]) * shares[i]
            out[row, i] = min(max(x, -clip), clip)


@kernel
def prioritise(candidates, errors, rows, floor, start, ends, picks, weights):
    """Pick evenly along the candidates' summed errors, from `start` in [0, 1) of a step on.

    Candidates beyond the rows are as wrong as can be. A weight is √(mean error / own error).
    """
    total, last = 0.0, candidates.size - 1
    for i in range(candidates.size):
        total += floor + (errors[candidates[i]] if candidates[i] < rows else 1.0)
        ends[i] = total
    step, i = total / picks.size, 0
    for k in range(picks.size):
        while i < last and ends[i] < (k + start) * step:
            i += 1
        error = floor + (errors[candidates[i]] if candidates[i] < rows else 1.0)
        picks[k] = candidates[i]
        weights[k] = np.sqrt(total / candidates.size / error)

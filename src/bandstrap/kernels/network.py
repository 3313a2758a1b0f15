"""Steps of a network's optimiser, in one pass over its parameters."""

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

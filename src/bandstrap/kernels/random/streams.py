"""Random variates for kernels: a xoshiro256++ stream and the samplers the bootstrap needs.

A stream is an array of four ``uint64``. NumPy's generators work inside Numba too, but cost 15 µs to
pass in and three times as much per draw, which is more than a whole decision here.
"""

import numpy as np
from numba import uint64

from bandstrap.kernels.compile import kernel

_TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53


def _ziggurat(
    right: float, area: float, density: object, inverse: object
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges of 256 layers of equal area under a decreasing density with density(0) = 1."""
    x = np.empty(257)
    x[0] = area / density(right)  # type: ignore[operator]
    x[1] = right
    for i in range(2, 256):
        x[i] = inverse(density(x[i - 1]) + area / x[i - 1])  # type: ignore[operator]
    x[256] = 0.0
    return x, x[1:] / x[:-1], density(x)  # type: ignore[operator]


_EXP_RIGHT = 7.69711747013104972
_EXP_X, _EXP_RATIO, _EXP_Y = _ziggurat(
    _EXP_RIGHT, 0.0039496598225815571993, lambda x: np.exp(-x), lambda y: -np.log(y)
)
_NORM_RIGHT = 3.6541528853610088
_NORM_X, _NORM_RATIO, _NORM_Y = _ziggurat(
    _NORM_RIGHT,
    0.00492867323399,
    lambda x: np.exp(-0.5 * x * x),
    lambda y: np.sqrt(-2.0 * np.log(y)),
)


@kernel
def next_bits(stream):
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    total = s0 + s3
    result = ((total << uint64(23)) | (total >> uint64(41))) + s0
    shifted = s1 << uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    stream[0] = s0
    stream[1] = s1
    stream[2] = s2
    stream[3] = (s3 << uint64(45)) | (s3 >> uint64(19))
    return result


@kernel
def uniform(stream):
    """Uniform on the open interval (0, 1)."""
    return (np.int64(next_bits(stream) >> uint64(11)) + 0.5) * _TO_UNIT


@kernel
def below(stream, n):
    """A uniform integer in [0, n)."""
    return min(int(uniform(stream) * n), n - 1)


@kernel
def _exponential_slow(stream, layer, x):
    """The one draw in fifty that the inlined fast path does not settle."""
    while True:
        if layer == uint64(0):
            return _EXP_RIGHT - np.log(uniform(stream))
        y = _EXP_Y[layer] + uniform(stream) * (_EXP_Y[layer + uint64(1)] - _EXP_Y[layer])
        if y < np.exp(-x):
            return x
        bits = next_bits(stream)
        layer = bits & uint64(255)
        u = np.int64(bits >> uint64(11)) * _TO_UNIT
        x = u * _EXP_X[layer]
        if u < _EXP_RATIO[layer]:
            return x


@kernel
def exponential(stream):
    bits = next_bits(stream)
    layer = bits & uint64(255)
    u = np.int64(bits >> uint64(11)) * _TO_UNIT
    x = u * _EXP_X[layer]
    if u < _EXP_RATIO[layer]:
        return x
    return _exponential_slow(stream, layer, x)


@kernel
def _normal_slow(stream, layer, x):
    while True:
        if layer == uint64(0):
            while True:
                tail = -np.log(uniform(stream)) / _NORM_RIGHT
                if -2.0 * np.log(uniform(stream)) > tail * tail:
                    return _NORM_RIGHT + tail
        y = _NORM_Y[layer] + uniform(stream) * (_NORM_Y[layer + uint64(1)] - _NORM_Y[layer])
        if y < np.exp(-0.5 * x * x):
            return x
        bits = next_bits(stream)
        layer = bits & uint64(255)
        u = np.int64(bits >> uint64(11)) * _TO_UNIT
        x = u * _NORM_X[layer]
        if u < _NORM_RATIO[layer]:
            return x


@kernel
def normal(stream):
    bits = next_bits(stream)
    layer = bits & uint64(255)
    sign = 1.0 - 2.0 * np.int64((bits >> uint64(8)) & uint64(1))
    u = np.int64(bits >> uint64(11)) * _TO_UNIT
    x = u * _NORM_X[layer]
    if u < _NORM_RATIO[layer]:
        return sign * x
    return sign * _normal_slow(stream, layer, x)


@kernel
def _marsaglia_tsang(stream, d, c):
    while True:
        x = normal(stream)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = uniform(stream)
        square = x * x
        if u < 1.0 - 0.0331 * square * square:
            return d * v
        if np.log(u) < 0.5 * square + d * (1.0 - v + np.log(v)):
            return d * v


@kernel
def gamma(stream, shape):
    """Gamma(shape, 1) by Marsaglia and Tsang; the total of `shape` unit exponentials."""
    if shape == 1.0:
        return exponential(stream)
    if shape <= 0.0:
        return 0.0
    boost = 1.0
    if shape < 1.0:
        boost = uniform(stream) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    return boost * _marsaglia_tsang(stream, d, 1.0 / np.sqrt(9.0 * d))


_GAMMA_C = 1.0 / np.sqrt(9.0 * (np.maximum(np.arange(1024), 1) - 1.0 / 3.0))


@kernel
def gamma_count(stream, count):
    """Gamma(count, 1) for a positive integer, without the square root where it is tabulated."""
    if count >= 1024:
        return gamma(stream, float(count))
    return _marsaglia_tsang(stream, count - 1.0 / 3.0, _GAMMA_C[uint64(count)])


@kernel
def _stirling(k):
    """log(k!) minus its leading Stirling terms."""
    if k < 10.0:
        return _STIRLING[int(k)]
    inverse = 1.0 / (k + 1.0)
    square = inverse * inverse
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 * square) * square) * inverse


_STIRLING = np.array(
    [
        0.0810614667953272,
        0.0413406959554092,
        0.0276779256849983,
        0.0207906721037650,
        0.0166446911898211,
        0.0138761288230707,
        0.0118967099458917,
        0.0104112652619720,
        0.00925546218271273,
        0.00833056343336287,
    ]
)


@kernel
def _binomial_inversion(stream, n, p):
    ratio = p / (1.0 - p)
    mass = np.exp(n * np.log1p(-p))
    u = uniform(stream)
    k = 0
    while u > mass:
        u -= mass
        k += 1
        if k > n:  # rounding left a sliver beyond the last mass: draw again
            mass = np.exp(n * np.log1p(-p))
            u = uniform(stream)
            k = 0
            continue
        mass *= ratio * (n - k + 1) / k
    return k


@kernel
def _binomial_rejection(stream, n, p):
    """Hörmann's transformed rejection (BTRS), for p <= 1/2 and n p >= 10."""
    q = 1.0 - p
    spread = np.sqrt(n * p * q)
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    center = n * p + 0.5
    v_r = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * spread
    mode = np.floor((n + 1) * p)
    odds = p / q
    while True:
        v = uniform(stream)
        u = uniform(stream) - 0.5
        us = 0.5 - abs(u)
        k = np.floor((2.0 * a / us + b) * u + center)
        if us >= 0.07 and v <= v_r:
            return int(k)
        if k < 0.0 or k > n:
            continue
        v = np.log(v * alpha / (a / (us * us) + b))
        bound = (
            (mode + 0.5) * np.log((mode + 1.0) / (odds * (n - mode + 1.0)))
            + (n + 1.0) * np.log((n - mode + 1.0) / (n - k + 1.0))
            + (k + 0.5) * np.log(odds * (n - k + 1.0) / (k + 1.0))
            + _stirling(mode)
            + _stirling(n - mode)
            - _stirling(k)
            - _stirling(n - k)
        )
        if v <= bound:
            return int(k)


@kernel
def binomial(stream, n, p):
    if n <= 0 or not p > 0.0:
        return 0
    if p >= 1.0:
        return int(n)
    small = min(p, 1.0 - p)
    if n * small < 10.0:
        k = _binomial_inversion(stream, n, small)
    else:
        k = _binomial_rejection(stream, n, small)
    return k if p <= 0.5 else int(n) - k


@kernel
def poisson(stream, mean):
    if mean <= 0.0:
        return 0
    if mean < 10.0:
        limit = np.exp(-mean)
        product = uniform(stream)
        k = 0
        while product > limit:
            product *= uniform(stream)
            k += 1
        return k
    return _poisson_rejection(stream, mean)


@kernel
def _poisson_rejection(stream, mean):
    """Hörmann's transformed rejection (PTRS)."""
    b = 0.931 + 2.53 * np.sqrt(mean)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2.0)
    log_mean = np.log(mean)
    while True:
        u = uniform(stream) - 0.5
        v = uniform(stream)
        us = 0.5 - abs(u)
        k = np.floor((2.0 * a / us + b) * u + mean + 0.43)
        if us >= 0.07 and v <= v_r:
            return int(k)
        if k < 0.0 or (us < 0.013 and v > us):
            continue
        log_k = (k + 0.5) * np.log(k + 1.0) - (k + 1.0) + 0.9189385332046727 + _stirling(k)
        if np.log(v * inverse_alpha / (a / (us * us) + b)) <= k * log_mean - mean - log_k:
            return int(k)

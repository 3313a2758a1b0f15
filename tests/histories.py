"""Rewards from the four distributions of Figure 1, in the shapes that a decision can meet."""

import numpy as np

from bandstrap import DoubleOrNothing, Exponential, Multinomial, Poisson, Support

SCHEMES = {
    "exponential": Exponential(),
    "multinomial": Multinomial(),
    "poisson": Poisson(),
    "double": DoubleOrNothing(),
}


def bernoulli(mean, n, rng):
    return (rng.random(n) < mean).astype(float)


def truncated_normal(mean, n, rng):
    return np.clip(mean + 1e-4 * rng.standard_normal(n), 0.0, 1.0)


def beta(mean, n, rng):
    return rng.beta(mean, 1 - mean, n)


def triangular(mean, n, rng):
    half_width = min(mean, 1 - mean)
    return mean + half_width * (rng.random(n) - rng.random(n))


DISTRIBUTIONS = {
    "bernoulli": bernoulli,
    "truncated-normal": truncated_normal,
    "beta": beta,
    "triangular": triangular,
}

# Means and lengths of each arm's rewards: what makes a decision hard, or hard to get right.
SHAPES = {
    # One reward, none, a few; chances of all sizes.
    "tiny": [(0.5, 1), (0.4, 0), (0.6, 3), (0.7, 2)],
    # Champion and challengers at one to four standard deviations; an arm never pulled.
    "mixed": [(0.55, 60), (0.45, 40), (0.62, 130), (0.25, 12), (0.5, 0), (0.3, 90)],
    # Draws that differ little: brackets have to be opened far.
    "equal": [(0.5, 150), (0.5, 160), (0.51, 140), (0.49, 150)],
    # More rewards than are walked one by one, and a short arm among them.
    "long": [(0.5, 2000), (0.505, 900), (0.47, 300), (0.4, 15)],
}


def history(distribution, shape, seed=0):
    rng = np.random.default_rng(seed)
    return [DISTRIBUTIONS[distribution](mean, n, rng) for mean, n in SHAPES[shape]]


def support_of(distribution):
    return Support.binary() if distribution == "bernoulli" else Support.interval()


# How often each category was met, by arm.
CATEGORIES = (-1.0, 0.1, 0.4, 2.0)
PEAKED = [(4, 3, 3, 1), (9, 10, 10, 3), (0, 1, 0, 0), (30, 10, 40, 9), (0, 0, 0, 0)]

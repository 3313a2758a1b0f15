"""Schemes that each break one rule, and the rule. They are wrong on purpose."""

import numpy as np

from bandstrap import Exponential
from bandstrap.resampling import Multinomial, Resampling


class Flat(Exponential):
    def weights(self, shape, rng):
        return rng.standard_exponential(shape[-1])


class Negative(Exponential):
    def weights(self, shape, rng):
        return 1.0 + rng.standard_normal(shape)


class Heavy(Exponential):
    def weights(self, shape, rng):
        return 1.1 * rng.standard_exponential(shape)


class Twice(Exponential):
    def weights(self, shape, rng):
        return 2.0 * rng.standard_exponential(shape)


class Spread(Resampling):
    """Its variance is 1/3, and it declares 1."""

    def weights(self, shape, rng):
        return 2.0 * rng.random(shape)


class Repeated(Exponential):
    def weights(self, shape, rng):
        return np.broadcast_to(rng.standard_exponential(shape[-1]), shape).copy()


class Wide(Exponential):
    def totals(self, counts, rng):
        return counts * rng.standard_exponential(counts.shape)


class Linked(Multinomial):
    independent = True


class Rounded(Exponential):
    """Declares that counts need not be whole, and cuts them."""

    totals = Resampling.totals


class Rough(Exponential):
    def means(self, values, counts, rng):
        return rng.random(counts.shape[0])


RESAMPLING = {
    Flat: r"weights for \(4, 7\) must be an array",
    Negative: "weights must not be negative",
    Heavy: "weights must be 1 on average",
    Twice: "weights must be 1 on average",
    Spread: "variance declares 1 for a weight; found 0.33",
    Repeated: "independent along all axes but the last",
    Wide: "totals must be distributed as sums of weights",
    Linked: "independent is True",
    Rounded: "whole_counts is False",
    Rough: "means must be distributed as means of what perturb",
}

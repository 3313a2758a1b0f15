"""Environments that each break one rule, and the rule. They are wrong on purpose."""

import numpy as np

from bandstrap import Problem, Support
from bandstrap.environments import Bernoulli, Environment, Round


class Beyond(Bernoulli):
    def pull(self, world, chosen, rng):
        return 2.0 * super().pull(world, chosen, rng)


class Between(Bernoulli):
    def pull(self, world, chosen, rng):
        return 0.5 * super().pull(world, chosen, rng)


class Biased(Bernoulli):
    def pull(self, world, chosen, rng):
        return np.maximum(super().pull(world, chosen, rng), rng.random(chosen.size) < 0.1)


class Second(Bernoulli):
    def look(self, world, played):
        return super().look(world, played)._replace(best=np.sort(world.means, axis=1)[:, -2])


class Several(Bernoulli):
    def pull(self, world, chosen, rng):
        return super().pull(world, chosen, rng)[:, None]


class Fickle(Bernoulli):
    def start(self, runs, rng):
        return super().start(runs, np.random.default_rng())


class Drifting(Bernoulli, in_kernels=True):
    def look(self, world, played):
        means = world.means * (1 - 1e-9 * played)
        return Round(None, means, means.max(axis=1))


class Unlawful(Bernoulli, in_kernels=True):
    """Rewards of 1 - mean, in kernels as the law says."""

    def look(self, world, played):
        return Round(None, world.means, world.means.max(axis=1))

    def start(self, runs, rng):
        world = super().start(runs, rng)
        return type(world)(1 - world.means, world.means)

    def pull(self, world, chosen, rng):
        return 1.0 - super().pull(world, chosen, rng)


class Counting(Bernoulli):
    """It keeps the round itself, for all worlds at once."""

    def look(self, world, played):
        object.__setattr__(self, "round", getattr(self, "round", 0) + 1)
        return super().look(world, played)


class Flat(Bernoulli):
    def look(self, world, played):
        return Round(None, world.means[0], world.means.max(axis=1))


class Missing(Bernoulli):
    def pull(self, world, chosen, rng):
        return np.where(rng.random(chosen.size) < 0.5, np.nan, 1.0)


class Mislabelled(Bernoulli):
    contextual = True


class Open:
    """A world that cannot be saved."""

    def __init__(self, means):
        self.means = means
        self.after = lambda: None


class Sealed(Environment):
    @property
    def problem(self):
        return Problem(2, support=Support.binary())

    def start(self, runs, rng):
        return Open(rng.random((runs, 2)))

    def look(self, world, played):
        return Round(None, world.means, world.means.max(axis=1))

    def pull(self, world, chosen, rng):
        return (rng.random(chosen.size) < world.means[np.arange(chosen.size), chosen]) * 1.0


ENVIRONMENTS = {
    Beyond: "declared support",
    Between: "among the declared values",
    Biased: r"arm \d must have the means that look returns",
    Second: "best must be the largest of means",
    Several: "what pull returns must be an array",
    Fickle: "same generator must give the same world",
    Drifting: "law says that arms stay as start drew them",
    Unlawful: "pull must draw from the law",
    Counting: "keep what changes in the world",
    Flat: r"the means must be an array of numbers of shape \(2, 10\)",
    Missing: "rewards must be finite",
    Mislabelled: "contextual must be False",
    Sealed: "so that it can be saved",
}

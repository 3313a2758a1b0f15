"""Classes that each break one rule, and the rule. They are wrong on purpose."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bandstrap import UCB1, BetaThompson, Exponential, Problem, Support
from bandstrap.environments import Bernoulli, Environment, Round
from bandstrap.models import WeightedModel
from bandstrap.policies.gaussian_thompson import GaussianThompson
from bandstrap.resampling import Multinomial, Resampling


class Narrow(GaussianThompson):
    def _scores(self, state, contexts, rng):
        return super()._scores(state, contexts, rng)[0]


class NotANumber(GaussianThompson):
    def _scores(self, state, contexts, rng):
        return super()._scores(state, contexts, rng) * np.nan


class Floating(GaussianThompson):
    def select(self, state, contexts, rng, allowed=None):
        return super().select(state, contexts, rng, allowed).astype(float)


class Deaf(GaussianThompson):
    def _select(self, state, contexts, rng, allowed):
        return super()._select(state, contexts, rng, np.ones_like(allowed))


class Moody(GaussianThompson):
    def _scores(self, state, contexts, rng):
        return super()._scores(state, contexts, np.random.default_rng())


class Hoarder(GaussianThompson):
    seen: ClassVar[list[int]] = []

    def _start(self, problem, runs):
        state = super()._start(problem, runs)
        state.seen = self.seen
        return state

    def _update(self, state, contexts, arms, rewards, rng):
        super()._update(state, contexts, arms, rewards, rng)
        state.seen.append(int(arms[0]))


@dataclass(frozen=True)
class Changing(GaussianThompson):
    learnt: list[int] = field(default_factory=list, compare=False)

    def _update(self, state, contexts, arms, rewards, rng):
        super()._update(state, contexts, arms, rewards, rng)
        self.learnt.append(1)


class Credulous(GaussianThompson):
    def update(self, state, contexts, arms, rewards, rng=None, weights=None):
        self._update(state, contexts, arms, np.nan_to_num(rewards), rng)


class Hasty(GaussianThompson):
    """Learns before it checks."""

    def update(self, state, contexts, arms, rewards, rng=None, weights=None):
        state.count += 1.0
        super().update(state, contexts, arms, rewards, rng)


class Unsavable(GaussianThompson):
    def _start(self, problem, runs):
        state = super()._start(problem, runs)
        state.after = lambda: None
        return state


class Forgetful(GaussianThompson):
    """Keeps what it has learnt where it is not saved."""

    memory: ClassVar[dict[int, int]] = {}

    def _update(self, state, contexts, arms, rewards, rng):
        super()._update(state, contexts, arms, rewards, rng)
        self.memory[id(state)] = 50

    def _scores(self, state, contexts, rng):
        favoured = np.zeros(state.count.shape[1])
        favoured[0] = self.memory.get(id(state), 0)
        return super()._scores(state, contexts, rng) + favoured


class Swerving(BetaThompson):
    """Chooses otherwise than it scores."""

    def _select(self, state, contexts, rng, allowed):
        return np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1)


class Partial(GaussianThompson):
    """Every decision makes it fonder of the first arm."""

    def _select(self, state, contexts, rng, allowed):
        state.mean[:, 0] += 0.1
        return super()._select(state, contexts, rng, allowed)


class Boasting(GaussianThompson):
    def _probabilities(self, state, contexts, allowed):
        return allowed[0] / allowed[0].sum()


class Sure(UCB1):
    """Forgets that an arm which was never tried comes first."""

    def _probabilities(self, state, contexts, allowed):
        told = super()._probabilities(state, contexts, allowed)
        return allowed[0] / allowed[0].sum() if told.max() == 1 else told


class Unnormed(GaussianThompson):
    def _probabilities(self, state, contexts, allowed):
        return np.ones(allowed.shape[1])


class Idle(GaussianThompson):
    def _update(self, state, contexts, arms, rewards, rng):
        pass


class Mixing(GaussianThompson):
    """What one run learns the others learn too."""

    def _update(self, state, contexts, arms, rewards, rng):
        for shift in range(state.runs):
            state.observe(np.roll(arms, shift), np.roll(rewards, shift))


POLICIES = {
    Narrow: r"scores must be an array of numbers of shape \(4, 3\)",
    NotANumber: "scores must not be NaN",
    Floating: "select must return whole numbers",
    Deaf: "only arms that are allowed",
    Moody: "same generator must give the same decisions",
    Hoarder: "what one state learns must change no other",
    Changing: "a policy must not change",
    Credulous: "update must refuse a reward like nan",
    Hasty: "must leave the state as it was",
    Unsavable: "so that it can be saved",
    Forgetful: "saved and loaded must go on",
    Swerving: "select must choose the largest of scores",
    Partial: "select must not change later decisions",
    Boasting: "select must choose as probabilities tell",
    Sure: "select must choose as probabilities tell",
    Unnormed: "probabilities must sum to 1",
    Idle: "mostly choose the better of two arms",
    Mixing: "mostly choose the better of two arms",
}


class Flat(Exponential):
    def weights(self, shape, rng):
        return rng.standard_exponential(shape[-1])


class Negative(Exponential):
    def weights(self, shape, rng):
        return 1.0 + rng.standard_normal(shape)


class Heavy(Exponential):
    def weights(self, shape, rng):
        return 1.1 * rng.standard_exponential(shape)


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
    Spread: "variance declares 1 for a weight; found 0.33",
    Repeated: "independent along all axes but the last",
    Wide: "totals must be distributed as sums of weights",
    Linked: "independent is True",
    Rounded: "whole_counts is False",
    Rough: "means must be distributed as means of what perturb",
}


class Least(WeightedModel[np.ndarray]):
    """Least squares, a right one; the others are made from it."""

    def fit(self, contexts, rewards, weights, start, rng):
        some = np.column_stack([contexts, np.ones(len(contexts))])
        matrix = (some * weights[:, None]).T @ some + 1e-3 * np.eye(some.shape[1])
        return np.linalg.solve(matrix, some.T @ (weights * rewards))

    def predict(self, fit, contexts):
        return contexts @ fit[:-1] + fit[-1]


class Weightless(Least):
    def fit(self, contexts, rewards, weights, start, rng):
        return super().fit(contexts, rewards, np.ones(len(rewards)), start, rng)


class Present(Least):
    """A row of weight 0 counts half."""

    def fit(self, contexts, rewards, weights, start, rng):
        return super().fit(contexts, rewards, np.maximum(weights, 0.5), start, rng)


class Column(Least):
    def predict(self, fit, contexts):
        return super().predict(fit, contexts)[:, None]


class Infinite(Least):
    def predict(self, fit, contexts):
        return super().predict(fit, contexts) / 0.0 if len(contexts) else contexts


class Whimsical(Least):
    def fit(self, *given):
        return super().fit(*given) + np.random.default_rng().normal(size=3)


class Constant(Least):
    def predict(self, fit, contexts):
        return np.full(len(contexts), 0.5)


class Stuck(Least):
    def fit(self, contexts, rewards, weights, start, rng):
        return super().fit(contexts, rewards, weights, start, rng) if start is None else start


class Overwriting(Least):
    def fit(self, contexts, rewards, weights, start, rng):
        fit = super().fit(contexts, rewards, weights, start, rng)
        if start is None:
            return fit
        start[:] = fit
        return start


class Unpredictive(Least):
    def fit(self, contexts, rewards, weights, start, rng):
        return super().fit(contexts, 1.0 - rewards, weights, start, rng)


MODELS = {
    Weightless: "a row of weight 3 must count as 3 rows",
    Present: "a row of weight 0 must count as no row",
    Column: "what predict returns must be an array",
    Infinite: "predictions must be finite",
    Whimsical: "the same generator must give the same fit",
    Constant: "better than chance",
    Unpredictive: "better than chance",
    Stuck: "must end where a fit from nothing does",
    Overwriting: "must leave the fit that it starts from",
}


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


class Drifting(Bernoulli):
    def look(self, world, played):
        means = world.means * (1 - 1e-9 * played)
        return Round(None, means, means.max(axis=1))


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
    Biased: r"arm \d must have the means that look tells",
    Second: "best must be the largest of means",
    Several: "what pull returns must be an array",
    Fickle: "same generator must give the same world",
    Drifting: "all rounds must look alike",
    Mislabelled: "contextual must be False",
    Sealed: "so that it can be saved",
}

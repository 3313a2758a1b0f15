"""Models that each break one rule, and the rule. They are wrong on purpose."""

import numpy as np

from bandstrap.models import WeightedModel


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

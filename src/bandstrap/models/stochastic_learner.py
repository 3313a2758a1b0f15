"""Every arm refit by stochastic descent at every draw, without copying its history."""

import numpy as np

from bandstrap.models.base import Learner
from bandstrap.models.features import Rows, as_numbers
from bandstrap.models.stochastic import StochasticModel
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling


class StochasticLearner(Learner):
    """What `RefitLearner` does, on contexts as they are stored: bytes stay bytes."""

    def __init__(
        self,
        model: StochasticModel,
        problem: Problem,
        resampling: Resampling,
        prior: ExamplePrior,
    ) -> None:
        self.model = model
        self.resampling = resampling
        self.rows = [Rows(problem.n_features) for _ in range(problem.n_arms)]
        self.pseudo = prior.start(problem)
        self.fits: list[np.ndarray | None] = [None] * problem.n_arms

    def learn(
        self, context: np.ndarray, arm: int, reward: float, rng: np.random.Generator | None
    ) -> None:
        self.pseudo.see(context)
        self.rows[arm].add(context, reward)

    def scores(self, context: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.model.expected(self._margins(context, rng))

    def best(self, context: np.ndarray, rng: np.random.Generator, allowed: np.ndarray) -> int:
        # By margins: probabilities near 1 would tie.
        margins = np.where(allowed, self._margins(context, rng), -np.inf)
        top = np.flatnonzero(margins == margins.max())
        return int(top[0] if top.size == 1 else rng.choice(top))

    def _margins(self, context: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        x = as_numbers(context)
        margins = np.full(len(self.rows), np.inf)  # an arm without any example is tried first
        for arm, rows in enumerate(self.rows):
            if self.pseudo.count + rows.count > 0:
                fit = self._refit(rows, self.fits[arm], rng)
                margins[arm] = x @ fit[:-1] + fit[-1]
                self.fits[arm] = fit
        return margins

    def _refit(self, rows: Rows, start: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
        rewards = np.concatenate([self.pseudo.rewards, rows.rewards])
        rewards, weights = self.resampling.perturb(rewards, rng)
        return self.model.descend(self.pseudo.contexts, rows.contexts, rewards, weights, start, rng)

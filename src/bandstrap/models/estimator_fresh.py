"""The bootstrap itself for an estimator: every arm fit afresh at every decision."""

import numpy as np

from bandstrap.models.estimator_fit import Fit
from bandstrap.models.estimator_learner import STATES, EstimatorLearner
from bandstrap.models.estimator_weights import drawn


class FreshLearner(EstimatorLearner):
    """Keeps no fits."""

    def scores(self, context: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.expected([self._fit(arm, rng) for arm in range(len(self.rows))], context)

    def best(self, context: np.ndarray, rng: np.random.Generator, allowed: np.ndarray) -> int:
        arms = np.flatnonzero(allowed)  # others need no fit
        scores = self.expected([self._fit(int(arm), rng) for arm in arms], context)
        top = arms[scores == scores.max()]
        return int(top[0] if top.size == 1 else rng.choice(top))

    def _fit(self, arm: int, rng: np.random.Generator) -> Fit | None:
        contexts, rewards = self.examples(arm)
        if not rewards.size:
            return None
        rewards, weights = drawn(self.resampling, rewards, rng)
        seed = int(rng.integers(STATES))
        return self.fitter.fit(self.model.estimator, (contexts, rewards, weights), seed)

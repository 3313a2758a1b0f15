"""The bootstrap itself for an estimator: every arm fit afresh at every decision."""

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import one_of
from bandstrap.models.sklearn.fit import Fit
from bandstrap.models.sklearn.learner import EstimatorLearner


class FreshLearner(EstimatorLearner):
    """Keeps no fits."""

    def discount(self, factor: float) -> None:
        super().discount(factor)
        for arm in range(len(self.rows)):
            self.forget(arm)

    def scores(self, context: Array, rng: Rng) -> Array:
        fits = [self._fit(arm, rng) for arm in range(len(self.rows))]
        return self.expected(fits, self.table(context))

    def best(self, context: Array, rng: Rng, allowed: Array) -> int:
        arms = np.flatnonzero(allowed)  # others need no fit
        fits = [self._fit(int(arm), rng) for arm in arms]
        scores = self.expected(fits, self.table(context), arms.tolist())
        return one_of(arms[scores == scores.max()], rng)

    def scores_of(self, contexts: Array, rng: Rng) -> Array:
        return self.expected_of(self._fit(0, rng), contexts)

    def _fit(self, arm: int, rng: Rng) -> Fit | None:
        return self.fitted(arm, self.examples(arm, self.moment(arm)), rng)

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

    def margins(self, contexts: Array, rng: Rng) -> Array:
        fits = [self._fit(arm, rng) for arm in range(len(self.rows))]
        return self.means(fits, self.table(contexts))

    def best(self, contexts: Array, rng: Rng, allowed: Array) -> int:
        if contexts.ndim > 1:
            return super().best(contexts, rng, allowed)
        arms = np.flatnonzero(allowed)  # others need no fit
        fits = [self._fit(int(arm), rng) for arm in arms]
        means = self.means(fits, self.table(contexts), arms.tolist())
        return one_of(arms[means == means.max()], rng)

    def _fit(self, arm: int, rng: Rng) -> Fit | None:
        return self.fitted(arm, self.examples(arm, self.moment(arm)), rng)

"""Every arm refit by stochastic descent at every draw, without copying its history."""

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import highest
from bandstrap.models.features import Rows, as_numbers
from bandstrap.models.online.stochastic import StochasticModel
from bandstrap.models.refit import RefitLearner


class StochasticLearner(RefitLearner):
    """What `RefitLearner` does, on contexts as they are stored: bytes stay bytes."""

    model: StochasticModel

    def verify_saved(self) -> None:
        super().verify_saved()
        self.model.check_rewards(self.pseudo.rewards)
        for rows in self.rows:
            self.model.check_rewards(rows.rewards)

    def scores(self, context: Array, rng: Rng) -> Array:
        return self.model.expected(self._margins(context, rng))

    def best(self, context: Array, rng: Rng, allowed: Array) -> int:
        # By margins: probabilities near 1 would tie.
        return highest(self._margins(context, rng), allowed, rng)

    def choose(self, context: Array, rng: Rng, allowed: Array) -> tuple[int, Array]:
        margins = self._margins(context, rng)  # as `best` does, which votes beside it
        return highest(margins, allowed, rng), self.model.expected(margins)

    def choose_of(self, contexts: Array, rng: Rng, allowed: Array) -> tuple[int, Array]:
        rows, margins = self.rows[0], np.full(len(contexts), np.inf)
        if self.pseudo.count + rows.count > 0:
            fit = self.fits[0] = self._refit(rows, self.fits[0], rng)
            margins = as_numbers(contexts) @ fit[:-1] + fit[-1]
        return highest(margins, allowed, rng), self.model.expected(margins)

    def _margins(self, context: Array, rng: Rng) -> Array:
        x = as_numbers(context)
        margins = np.full(len(self.rows), np.inf)  # an arm without any example is tried first
        for arm, rows in enumerate(self.rows):
            if self.pseudo.count + rows.count > 0:
                fit = self._refit(rows, self.fits[arm], rng)
                margins[arm] = x @ fit[:-1] + fit[-1]
                self.fits[arm] = fit
        return margins

    def _refit(self, rows: Rows, start: Array | None, rng: Rng) -> Array:
        rewards, weights = self._drawn(rows, rng)
        return self.model.descend(self.pseudo.contexts, rows.contexts, rewards, weights, start, rng)

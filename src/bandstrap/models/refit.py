"""The bootstrap as the paper defines it, for any model: weigh everything afresh, refit, predict."""

from typing import Any

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models.base import Learner, WeightedModel
from bandstrap.models.cost import tell_cost, unused
from bandstrap.models.features import Rows, as_numbers, verify_rows
from bandstrap.models.redraw import drawn
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped_list
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import Anything, Fixed, ListOf, Of, Schema, require


class RefitLearner(Learner):
    """Refits every arm to its whole history and pseudo-examples at every draw."""

    schema = Schema(
        model=Fixed(Of(WeightedModel)),
        resampling=Fixed(Of(Resampling)),
        rows=ListOf(Of(Rows), "arms"),
        pseudo=Of(PseudoExamples),
        fits=ListOf(Anything(), "arms"),  # the model says
    )

    def verify_saved(self) -> None:
        for rows, fit in zip(self.rows, self.fits, strict=True):
            width = self.pseudo.contexts.shape[1]
            require(rows.n_features == width, "rows are of another width than examples")
            if fit is not None:
                self.model.verify_fit(fit, rows.n_features)

    def verify_problem(self, problem: Problem) -> None:
        verify_rows(self.rows, problem)

    def __init__(
        self,
        model: WeightedModel[Any],
        problem: Problem,
        resampling: Resampling,
        prior: ExamplePrior,
    ) -> None:
        self.model = model
        self.resampling = resampling
        self.rows = [Rows(problem.n_features) for _ in range(problem.n_arms)]
        self.pseudo = prior.start(problem)
        self.fits: list[Any] = [None] * problem.n_arms
        tell_cost(type(model).__name__, self._fit_some, self.pseudo, problem.n_arms)

    def _fit_some(self, n: int) -> Any:
        """A fit to some pseudo-examples alone, by weights that the scheme knows nothing of."""
        contexts, rewards, rng = self.pseudo.contexts[:n], self.pseudo.rewards[:n], unused()
        return self.model.fit(contexts, rewards, rng.poisson(size=n) + 0.0, None, rng)

    def learn(self, context: Array, arm: int, reward: float, rng: Rng | None) -> None:
        self._weigh_in(context, arm, reward, rng, 1.0)

    def _weigh_in(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float
    ) -> None:
        self.pseudo.see(context)
        self.rows[arm].add(context, reward, weight)

    def check_context(self, contexts: Array) -> None:
        self.model.check_context(as_numbers(contexts))

    def discount(self, factor: float) -> None:
        for arm, rows in enumerate(self.rows):
            rows.keep(rows.fade(factor))
            if rows.count == 0:
                self.fits[arm] = None

    def remap_arms(self, fresh: "RefitLearner", before: ArmMap) -> None:
        self.rows = remapped_list(self.rows, fresh.rows, before)
        self.fits = remapped_list(self.fits, fresh.fits, before)

    def scores(self, context: Array, rng: Rng) -> Array:
        contexts = as_numbers(context)[None]
        scores = np.full(len(self.rows), np.inf)  # an arm without any example is tried first
        for arm, rows in enumerate(self.rows):
            if self.pseudo.count + rows.count > 0:
                self.fits[arm] = self._refit(rows, self.fits[arm], rng)
                scores[arm] = self.model.predict(self.fits[arm], contexts)[0]
        return scores

    def scores_of(self, contexts: Array, rng: Rng) -> Array:
        rows = self.rows[0]
        if self.pseudo.count + rows.count == 0:
            return np.full(len(contexts), np.inf)
        self.fits[0] = self._refit(rows, self.fits[0], rng)
        return self.model.predict(self.fits[0], as_numbers(contexts))

    def _refit(self, rows: Rows, start: Any, rng: Rng) -> Any:
        contexts = np.concatenate([self.pseudo.contexts, as_numbers(rows.contexts)])
        rewards, weights = self._drawn(rows, rng)
        return self.model.fit(contexts, rewards, weights, start, rng)

    def _drawn(self, rows: Rows, rng: Rng) -> tuple[Array, Array]:
        """Rewards and weights of the pseudo-examples, then of an arm's rows."""
        rewards = np.concatenate([self.pseudo.rewards, rows.rewards])
        rewards, weights = drawn(self.resampling, rewards, rng)
        if not rows.plain:
            weights = weights * np.concatenate([np.ones(self.pseudo.count), rows.weights])
        return rewards, weights

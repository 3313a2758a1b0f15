"""The bootstrap as the paper defines it, for any model: weigh everything afresh, refit, predict."""

from abc import abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models.base import Learner, Model
from bandstrap.models.cost import unused, warn_of_cost
from bandstrap.models.features import Examples, as_numbers, perturbed, verify_rows
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped_list
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import Anything, Fixed, ListOf, Of, Schema, require

F = TypeVar("F")


class WeightedModel(Model, Generic[F]):
    """A model that can be fit to weighted examples: all that a bootstrap needs.

    A fit is whatever `fit` returns. Every draw weighs the whole history afresh and refits every
    arm, starting from the arm's last draw.

    >>> class Mean(WeightedModel[float]):
    ...     def fit(self, contexts, rewards, weights, start, rng):
    ...         return float(weights @ rewards / weights.sum())
    ...     def predict(self, fit, contexts):
    ...         return np.full(len(contexts), fit)
    >>> from bandstrap import ContextualBootstrap, Exponential, GaussianExamples
    >>> policy = ContextualBootstrap(Exponential(), Mean(), GaussianExamples())
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    def check_context(self, contexts: Array) -> None:
        """Refuse numbers that `fit` or `predict` would refuse."""

    def verify_fit(self, fit: Any, n_features: int) -> None:
        """Refuse, in a file, anything but a fit of this model to `n_features` features."""

    @abstractmethod
    def fit(self, contexts: Array, rewards: Array, weights: Array, start: F | None, rng: Rng) -> F:
        """Fit to examples (n, features) with weights (n,), from `start` if there is one."""

    @abstractmethod
    def predict(self, fit: F, contexts: Array) -> Array:
        """The expected reward in each context, (n,)."""

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return RefitLearner(self, problem, resampling, prior)


class RefitLearner(Learner):
    """Refits every arm to its whole history and pseudo-examples at every draw."""

    one_for_all: ClassVar[bool] = True
    schema = Schema(
        model=Fixed(Of(WeightedModel)),
        resampling=Fixed(Of(Resampling)),
        rows=ListOf(Of(Examples), "arms"),
        pseudo=Of(PseudoExamples),
        fits=ListOf(Anything(), "arms"),  # checked by the model
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
        self.rows = [Examples(problem.n_features) for _ in range(problem.n_arms)]
        self.pseudo = prior.start(problem)
        self.fits: list[Any] = [None] * problem.n_arms
        warn_of_cost(type(model).__name__, self._fit_some, self.pseudo, problem.n_arms)

    def _fit_some(self, n: int) -> Any:
        """A fit to the first n pseudo-examples, by weights that do not depend on the scheme."""
        contexts, rewards, rng = self.pseudo.contexts[:n], self.pseudo.rewards[:n], unused()
        return self.model.fit(contexts, rewards, rng.poisson(size=n) + 0.0, None, rng)

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.pseudo.see(context, reward)
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

    def margins(self, contexts: Array, rng: Rng) -> Array:
        contexts = as_numbers(contexts)
        n = 1 if contexts.ndim == 1 else len(contexts)
        margins = np.full((len(self.rows), n), np.inf)  # an arm without examples is tried first
        for arm, rows in enumerate(self.rows):
            if self.pseudo.count + rows.count > 0:
                self.fits[arm] = self._refit(rows, self.fits[arm], rng)
                margins[arm] = self._margin(self.fits[arm], contexts)
        return margins.ravel()

    def _margin(self, fit: Any, contexts: Array) -> Array:
        return self.model.predict(fit, np.atleast_2d(contexts))

    def _refit(self, rows: Examples, start: Any, rng: Rng) -> Any:
        contexts = np.concatenate([self.pseudo.contexts, as_numbers(rows.contexts)])
        rewards, weights = self._perturbed(rows, rng)
        return self.model.fit(contexts, rewards, weights, start, rng)

    def _perturbed(self, rows: Examples, rng: Rng) -> tuple[Array, Array]:
        """Rewards and weights of the pseudo-examples, then of an arm's rows."""
        rewards = np.concatenate([self.pseudo.rewards, rows.rewards])
        if rows.plain:
            return perturbed(self.resampling, rewards, rng)
        counts = np.concatenate([np.ones(self.pseudo.count), rows.weights])
        return perturbed(self.resampling, rewards, rng, counts)

"""Linear regression on rewards with Gaussian noise: N(θ̂, Σ), from second moments alone."""

from collections.abc import Sequence

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import normal_probabilities
from bandstrap.history.fractions import FORGOTTEN
from bandstrap.kernels.convex import moments
from bandstrap.models.base import Learner
from bandstrap.models.convex.examples import ConvexExamples
from bandstrap.models.convex.factor import (
    inverse_factor,
    least_own,
    qr_factor,
    span_of,
    warn_of_rounding,
)
from bandstrap.models.convex.regression import ConvexModel
from bandstrap.models.features import Examples, as_numbers
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped, remapped_list
from bandstrap.resampling import Resampling
from bandstrap.seeding import kernel_stream
from bandstrap.storage.schema import (
    ArrayOf,
    Fixed,
    Flag,
    ListOf,
    Maybe,
    Of,
    Real,
    Schema,
    Whole,
    require,
)

ROUGH = 3e-7  # a column whose own share is below this is lost in squares of contexts
GROWTH = 1.1  # recompute the inverse when the examples have grown this much
MOST = 1e150  # sums of products of contexts, weights and rewards are less

PER_ARM = (
    "own_gram", "own_moment", "own_count", "gram", "moment", "count", "theta", "inverse",
    "inverted", "drawn",
)  # fmt: skip


class AdditiveLearner(Learner):
    """θ̂ = H⁻¹ Xᵀy and Σ = noise² H⁻¹ XᵀX H⁻¹, where H is XᵀX and the penalty.

    That is the distribution of the fit to rewards with fresh noise on each, and a score in one
    context is one normal number. No history is kept: XᵀX and Xᵀy say it all. H⁻¹ is kept up by
    rank-one updates and solves of H start from it, so that growth of the penalty is exact too.
    While an arm has fewer examples than features, squares cannot tell apart the directions that
    they span; until then the examples are kept, and H⁻¹ is computed from them within their span.
    """

    warned = False  # that rounding may spoil the spread
    rows: Sequence[Examples | None] = ()  # of arms with few; empty in early files

    schema = Schema(
        model=Fixed(Of(ConvexModel)),
        noise=Fixed(Real(low=0.0)),
        pseudo=Of(PseudoExamples),
        version=Whole(-1),
        own_gram=ArrayOf(np.float64, "arms", "parameters", "parameters", low=-MOST, high=MOST),
        own_moment=ArrayOf(np.float64, "arms", "parameters", low=-MOST, high=MOST),
        own_count=ArrayOf(np.float64, "arms", low=0.0, high=MOST),
        gram=ArrayOf(np.float64, "arms", "parameters", "parameters", low=-MOST, high=MOST),
        moment=ArrayOf(np.float64, "arms", "parameters", low=-MOST, high=MOST),
        count=ArrayOf(np.float64, "arms", low=0.0, high=MOST),
        theta=ArrayOf(np.float64, "arms", "parameters", low=-MOST, high=MOST),
        inverse=ArrayOf(np.float64, "arms", "parameters", "parameters"),
        inverted=ArrayOf(np.float64, "arms", low=0.0, high=MOST),
        rows=ListOf(Maybe(Of(Examples))),
        work=ArrayOf(np.float64, 5, "parameters", finite=False),
        drawn=ArrayOf(np.float64, "arms", finite=False),
        warned=Flag(),
    )

    def verify_saved(self) -> None:
        self.model.check_rewards(self.pseudo.rewards)
        arms, size = self.theta.shape
        require(len(self.rows) in (0, arms), "rows are of other arms")
        kept = [rows.n_features for rows in self.rows if rows is not None]
        require(all(width == size - 1 for width in kept), "rows are of another width")

    def restore(self) -> None:
        self.rows = self.rows or [None] * len(self.theta)

    def verify_problem(self, problem: Problem) -> None:
        own = problem.n_arms, problem.n_features + 1
        require(self.theta.shape == own, "moments are of another problem")

    def __init__(
        self, model: ConvexModel, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        arms, d = problem.n_arms, problem.n_features + 1
        self.model = model
        self.noise = float(resampling.noise)
        self.pseudo = prior.start(problem)
        self.version = -1
        # The own moments are without pseudo-examples, `inverted` the count at the last inverse.
        self.own_gram, self.gram, self.inverse = np.zeros((3, arms, d, d))
        self.own_moment, self.moment, self.theta = np.zeros((3, arms, d))
        self.own_count, self.count, self.inverted, self.drawn = np.zeros((4, arms))
        self.rows = [Examples(problem.n_features) for _ in range(arms)]
        self.work = np.zeros((5, d))

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.model.check_reward(reward)
        self.pseudo.see(context, reward)
        x = self._augmented(context)
        self.own_gram[arm] += weight * np.outer(x, x)
        self.own_moment[arm] += weight * reward * x
        self.own_count[arm] += weight
        rows = self.rows[arm]
        if rows is not None:
            rows.add(context, reward, weight)
        if self._notice_prior():
            return
        self.count[arm] += weight
        if rows is not None:
            self.gram[arm] += weight * np.outer(x, x)
            self.moment[arm] += weight * reward * x
            self._invert(arm)
            return
        moments.absorb_additive(
            self.gram[arm], self.moment[arm], self.theta[arm], self.inverse[arm],
            self.model.penalty * self.count[arm], x, reward, self.work, weight,
        )  # fmt: skip
        if self.count[arm] > GROWTH * self.inverted[arm]:
            self._invert(arm)

    def discount(self, factor: float) -> None:
        kept = np.where(factor * self.own_count >= FORGOTTEN, factor, 0.0)
        self.own_gram *= kept[:, None, None]
        self.own_moment *= kept[:, None]
        self.own_count *= kept
        for arm, rows in enumerate(self.rows):
            if rows is not None:
                rows.fade(factor)
                rows.keep(np.full(rows.count, kept[arm] > 0))
        self.version = -1  # recompute all sums

    def remap_arms(self, fresh: "AdditiveLearner", before: ArmMap) -> None:
        for name in PER_ARM:
            setattr(self, name, remapped(getattr(self, name), getattr(fresh, name), before))
        self.rows = remapped_list(list(self.rows), list(fresh.rows), before)
        self.version = -1  # new arms have no pseudo-examples yet

    def margins(self, contexts: Array, rng: Rng) -> Array:
        self._draw(contexts, kernel_stream(rng))
        return self.drawn.copy()

    def best(self, contexts: Array, rng: Rng, allowed: Array) -> int:
        stream = kernel_stream(rng)
        self._draw(contexts, stream)
        return int(moments.best_of(stream, self.drawn, allowed))

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        self._notice_prior()
        means, spreads = np.empty((2, self.drawn.size))
        moments.additive_law(
            self.noise, self.gram, self.theta, self.inverse, self.model.penalty * self.count,
            self._few(), self.count > 0, self._augmented(contexts), means, spreads, self.work,
        )  # fmt: skip
        return normal_probabilities(means, spreads, allowed)

    def _draw(self, context: Array, stream: Array) -> None:
        self._notice_prior()
        moments.additive_margins(
            stream, self.noise, self.gram, self.theta, self.inverse,
            self.model.penalty * self.count, self._few(), self.count > 0,
            self._augmented(context), self.drawn, self.work,
        )  # fmt: skip

    def _augmented(self, context: Array) -> Array:
        return np.append(as_numbers(context).astype(np.float64), float(self.model.intercept))

    def _notice_prior(self) -> bool:
        """Take in new pseudo-examples, if there are any; returns whether there were."""
        if self.version == self.pseudo.version:
            return False
        self.model.check_rewards(self.pseudo.rewards)
        self.version = self.pseudo.version
        prior = self._examples(Examples(self.work.shape[1] - 1))
        moment = self.pseudo.rewards @ as_numbers(self.pseudo.contexts)
        total = self.model.intercept * self.pseudo.rewards.sum()
        self.gram[:] = self.own_gram + prior.gram(_weights(prior))
        self.moment[:] = self.own_moment + np.append(moment, total)
        self.count[:] = self.own_count + self.pseudo.count
        for arm in np.flatnonzero(self.count > 0):
            self._invert(int(arm))
        return True

    def _examples(self, rows: Examples) -> ConvexExamples:
        examples = ConvexExamples(rows, self.model.intercept)
        examples.set_prior(self.pseudo)
        return examples

    def _few(self) -> Array:
        """Which arms have so few examples that they are kept."""
        return np.array([rows is not None for rows in self.rows])

    def _invert(self, arm: int) -> None:
        ridge = self.model.penalty * self.count[arm]
        rows = self.rows[arm]
        examples = None if rows is None else self._examples(rows)
        self.inverted[arm] = self.count[arm]
        if examples is not None and examples.few:
            contexts, weights = examples.contexts(), _weights(examples)
            contexts, weights = contexts[weights > 0], weights[weights > 0]
            span = span_of(contexts, examples.bias > 0)
            factor = qr_factor(contexts, weights, ridge, examples.bias, span)[0]
            self.inverse[arm] = factor.T @ factor
            self.theta[arm] = factor.T @ (factor @ self.moment[arm])
            return
        self.rows = [None if i == arm else kept for i, kept in enumerate(self.rows)]
        hessian = self.gram[arm].copy()
        hessian.flat[: -1 : len(hessian) + 1] += ridge
        factor = inverse_factor(hessian)
        if not self.warned and least_own(hessian, factor) < ROUGH:
            self.warned = True
            warn_of_rounding("GaussianNoise with LinearRegression")
        self.inverse[arm] = factor.T @ factor
        moments.settle(
            self.gram[arm], self.moment[arm], self.theta[arm], self.inverse[arm], ridge, self.work
        )


def _weights(examples: ConvexExamples) -> Array:
    """What entries count: those of axes stand for two examples each."""
    return np.concatenate(
        [np.full(2 * len(examples.axes), 2.0), np.ones(len(examples.plain)), examples.rows.weights]
    )

"""One step towards the solved draw: one pass over the history, or sums over groups of it."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.convex.groups import group_pseudo, group_rows
from bandstrap.models.base import Learner, Model
from bandstrap.models.convex.learner import ArmsLearner
from bandstrap.models.convex.regression import ConvexModel
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import ArrayOf, Schema, require
from bandstrap.validation import require_within

MOST_GROUPS = 100_000  # each has a weight in every draw, and a gradient in memory


@dataclass(frozen=True)
class OneStep(Model):
    """θ̂ - M⁻¹ Σ wᵢ rᵢ xᵢ: one Newton step with fresh weights and the unweighted Hessian M.

    One pass over the history a round. θ̂ lags behind by at most 2% of the examples, M by 10%; the
    step itself takes in every example.

    >>> from bandstrap import ContextualBootstrap, EigenExamples, Exponential, LogisticRegression
    >>> model = OneStep(LogisticRegression())
    >>> policy = ContextualBootstrap(Exponential(), model, EigenExamples())
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    model: ConvexModel

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return OneStepLearner(self.model, problem, resampling, prior)


class OneStepLearner(ArmsLearner):
    """The first step that solved draws begin with, and no more."""

    def margins(self, contexts: Array, rng: Rng) -> Array:
        margins, x, known = self._look(contexts)
        for index in self.all.begin(rng, known):
            draw = self.arms[index].draw
            margins[index] = x @ (draw.theta + draw.step)
        return margins


@dataclass(frozen=True)
class Grouped(Model):
    """`OneStep` with one weight for each of a fixed number of groups, not for each example.

    Examples fall into the groups in turn as they come. An arm keeps the sum of the gradients at θ̂
    of each group, so a round costs O(d² + groups d) an arm; keeping θ̂ and the sums up costs O(d²)
    an example on average. Few groups make the draw's spread itself random, by 1 / √groups or so;
    there are 100,000 at most.

    >>> from bandstrap import ContextualBootstrap, EigenExamples, Exponential, LogisticRegression
    >>> model = Grouped(LogisticRegression(), groups=50)
    >>> policy = ContextualBootstrap(Exponential(), model, EigenExamples())
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    model: ConvexModel
    groups: int = 100

    def __post_init__(self) -> None:
        require_within(2, MOST_GROUPS, groups=self.groups)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        if resampling.noise > 0:
            raise InvalidInput("resampling", resampling, "Grouped needs weights; try Exponential")
        return GroupedLearner(self, problem, resampling, prior)


class GroupedLearner(ArmsLearner):
    """Sums of gradients by arm and group, (arms, groups, features + 1)."""

    schema = Schema(
        sums=ArrayOf(np.float64, "arms", "groups", "parameters"),
        known_rows=ArrayOf(np.int64, "arms", low=0),
        known_fits=ArrayOf(np.int64, "arms", low=0),
    )

    def verify_saved(self) -> None:
        own = [arm.theta.size for arm in self.arms]
        require(own == [self.sums.shape[2]] * len(self.sums), "sums are of other arms")
        for arm, rows, fits in zip(self.arms, self.known_rows, self.known_fits, strict=True):
            require(fits <= arm.fits, "sums are of a future fit")
            # Margins that are unknown will be those of another fit, with other sums.
            known = arm.known_rows < 0 or rows <= arm.examples.rows.count
            require(known, "sums are of rows that do not exist")

    def __init__(
        self, grouped: Grouped, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        super().__init__(grouped.model, problem, resampling, prior)
        self.sums = np.zeros((problem.n_arms, grouped.groups, problem.n_features + 1))
        self.known_rows, self.known_fits = np.zeros((2, problem.n_arms), dtype=np.int64)

    def remap_arms(self, fresh: "GroupedLearner", before: ArmMap) -> None:  # type: ignore[override]
        super().remap_arms(fresh, before)
        for name in ("sums", "known_rows", "known_fits"):
            setattr(self, name, remapped(getattr(self, name), getattr(fresh, name), before))

    def margins(self, contexts: Array, rng: Rng) -> Array:
        margins, x, known = self._look(contexts)
        weights = self.all.resampling.weights(self.sums.shape[:2], rng)
        for index in known:
            self._catch_up(index)
            arm = self.arms[index]
            gradient = weights[index] @ self.sums[index]
            gradient[:-1] += arm.draw.strength * arm.theta[:-1]
            sway = (arm.factor @ x) @ (arm.factor @ gradient)
            margins[index] = x @ arm.theta - sway
        return margins

    def _catch_up(self, index: int) -> None:
        """Add new rows, or everything again if θ̂ has moved."""
        arm, sums = self.arms[index], self.sums[index]
        e, bias = arm.examples, arm.examples.bias
        if self.known_fits[index] != arm.fits:
            sums[:] = self.known_rows[index] = 0
            self.known_fits[index] = arm.fits
            group_pseudo(e.axes, e.axis_rewards, e.plain, e.plain_rewards, bias, arm.means, sums)
        begin, rows = int(self.known_rows[index]), e.rows
        weights = np.ones(rows.count - begin) if rows.plain else rows.weights[begin:]
        group_rows(
            rows.contexts, rows.rewards, weights, begin, rows.count, e.unit, bias,
            e.count - rows.count, arm.means[e.n_pseudo :], sums,
        )  # fmt: skip
        self.known_rows[index] = e.rows.count

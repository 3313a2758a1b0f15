"""Exact bootstrap draws of convex models: of all arms, or of as many as a decision needs."""

from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import check_score, highest, one_of, replica_probabilities
from bandstrap.errors import InvalidInput
from bandstrap.kernels.convex.solve import triangle_norm
from bandstrap.models.base import Learner
from bandstrap.models.convex.arm import ConvexArm, ConvexArms
from bandstrap.models.convex.draw import PATIENCE, WIDE
from bandstrap.models.convex.regression import ConvexModel
from bandstrap.models.features import as_numbers
from bandstrap.models.link import Link
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import Of, Schema

BOUND = 6.0  # a margin moves by less than this many times what is expected
SMALL = 300_000  # with no more numbers than this in all entries, solving every arm is as cheap
# Rows for each feature in the average arm below which every arm is solved too: weights then change
# the curvature so much that bounds were seen to fail, in 3 of 1,000 rounds, and it costs no more.
FEW = 0.5
CHECKED = 2_000_000  # entries × features² up to which a draw is checked by its own Hessian
ABSURD = 1e4  # a larger gap only means that the loss is flat where the draw begins
MOST = 10 * PATIENCE  # iterations of a draw, after which it will never be solved


class ArmsLearner(Learner):
    """A learner that keeps the examples and fits of its arms in `all`."""

    schema = Schema(all=Of(ConvexArms))

    def verify_problem(self, problem: Problem) -> None:
        self.all.verify_problem(problem)

    def __init__(
        self, model: ConvexModel, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        self.all = ConvexArms(model, problem, resampling, prior)

    @property
    def link(self) -> Link:  # type: ignore[override]
        return self.all.model.link

    @property
    def arms(self) -> list[ConvexArm]:
        return self.all.arms

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.all.learn(context, arm, reward, weight)

    def discount(self, factor: float) -> None:
        for arm in self.arms:
            arm.fade(factor)

    def remap_arms(self, fresh: "ArmsLearner", before: ArmMap) -> None:
        self.all.remap_arms(fresh.all, before)

    def _look(self, context: Array) -> tuple[Array, Array, list[int]]:
        """Margins to fill in, a context with its intercept, and the arms that have examples."""
        margins = np.full(len(self.arms), np.inf)  # an arm without any example is tried first
        return margins, self.all.augmented(context), self.all.refresh()


class ConvexLearner(ArmsLearner):
    """Keeps each arm's examples and fit, and solves the weighted problem at every draw."""

    one_for_all: ClassVar[bool] = True

    def best(self, contexts: Array, rng: Rng, allowed: Array) -> int:
        """Refine the arm that may be highest until it is solved: then the others are lower.

        Where features are many and iterations cost, until it must be highest.
        """
        known = self.all.refresh()
        solve_all = contexts.ndim > 1 or len(known) < len(self.arms) or self._young(contexts.size)
        # Perturbed rewards take draws far from the fits that bounds on contenders start from.
        if solve_all or not self.all.random or self.all.resampling.perturbs:
            return highest(self.margins(contexts, rng), allowed, rng)
        x = self.all.augmented(contexts)
        begun = self.all.begin(rng, [index for index in known if allowed[index]])
        upper = np.full(len(self.arms), -np.inf)
        solved = np.zeros(len(self.arms), dtype=np.bool_)
        widths = {}
        for index in begun:
            arm = self.arms[index]
            if arm.draw.unbounded:
                upper[index], solved[index] = self._solved_margin(arm, x), True
            else:
                widths[index] = self._width(arm, x)
                upper[index] = self._bounds(arm, x, widths[index])[1]
        for _ in range(MOST * len(self.arms)):
            top = int(upper.argmax())
            check_score(upper[top])
            if solved[top]:
                return one_of(np.flatnonzero(solved & (upper == upper[top])), rng)
            arm = self.arms[top]
            solved[top] = self._refine(arm)
            if solved[top]:
                upper[top] = x @ arm.draw.theta
                continue
            low, upper[top] = self._bounds(arm, x, widths[top])
            others = np.delete(upper, top)
            if x.size > WIDE and low > others.max(initial=-np.inf) and not arm.draw.collapsed:
                return top
        raise self._unsolved()

    def _young(self, n_features: int) -> bool:
        """Whether the history is too short for finding contenders to work or to pay."""
        entries = sum(arm.examples.n_entries for arm in self.arms)
        rows = sum(arm.examples.rows.count for arm in self.arms)
        return entries * n_features <= SMALL or rows < FEW * n_features * len(self.arms)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        if contexts.ndim > 1:
            return self._margins_by_row(contexts, rng)
        if not self.all.random:
            return self._fits(contexts)
        margins, x, known = self._look(contexts)
        for arm in self.all.begin(rng, known):
            margins[arm] = self._solved_margin(self.arms[arm], x)
        return margins

    def _margins_by_row(self, contexts: Array, rng: Rng) -> Array:
        """A draw of the one model, in each of several contexts."""
        if not self.all.refresh():
            return np.full(len(contexts), np.inf)
        theta = self.arms[0].theta
        if self.all.random:
            self.all.begin(rng, [0])
            self._solve(self.arms[0])
            theta = self.arms[0].draw.theta
        bias = theta[-1] if self.all.model.intercept else 0.0
        margins: Array = as_numbers(contexts) @ theta[:-1] + bias
        return margins

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        if self.all.random or contexts.ndim > 1:
            return None
        return replica_probabilities(self._fits(contexts)[None], allowed)

    def _fits(self, context: Array) -> Array:
        """Margins of the unweighted fits."""
        margins, x, known = self._look(context)
        margins[known] = [x @ self.arms[arm].theta for arm in known]
        return margins

    def _solved_margin(self, arm: ConvexArm, x: Array) -> float:
        self._solve(arm)
        return float(x @ arm.draw.theta)

    def _solve(self, arm: ConvexArm) -> None:
        """Refine a draw until it is solved, where that cannot be had at once."""
        if arm.draw.direct:
            arm.draw.settle(self.all.model.tolerance)
            return
        for _ in range(MOST):
            if self._refine(arm):
                return
        raise self._unsolved()

    def _unsolved(self) -> InvalidInput:
        remedy = "draws do not get there; scale contexts and rewards or raise the tolerance"
        return InvalidInput("tolerance", self.all.model.tolerance, remedy)

    def _refine(self, arm: ConvexArm) -> bool:
        """Take one iteration; returns whether the draw is solved."""
        draw, tolerance = arm.draw, self.all.model.tolerance
        bad = draw.gap > ABSURD or not draw.advance(arm.factor) or draw.n_pairs >= PATIENCE
        if not bad and draw.gap <= tolerance:
            # A factor of the weighted Hessian is cheap, or needed because rows are few.
            small = arm.examples.few or arm.examples.n_entries * arm.theta.size**2 <= CHECKED
            bad = small or draw.collapsed
        if bad:
            draw.settle(tolerance)
        return draw.gap <= tolerance

    def _width(self, arm: ConvexArm, x: Array) -> float:
        """About a draw's standard deviation in a context."""
        if x.size > WIDE and len(arm.factor) == x.size:
            return float(triangle_norm(arm.factor, x, np.flatnonzero(x)))
        return float(np.linalg.norm(arm.factor @ x))

    def _bounds(self, arm: ConvexArm, x: Array, width: float) -> tuple[float, float]:
        """Bounds of the solved margin.

        The decrement tells how far the optimum is, and its direction has little to do with the
        context: the margin moves by about width times distance over √dimension.
        """
        draw = arm.draw
        expected = width * np.sqrt(draw.decrement / draw.theta.size)
        now = x @ draw.theta
        ahead = now + x @ draw.step
        beyond = BOUND * expected
        return float(min(now, ahead) - beyond), float(max(now, ahead) + beyond)

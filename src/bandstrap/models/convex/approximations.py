"""Approximations of solved draws: one step, by weights of examples or groups, and its limit."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import check_score, normal_probabilities
from bandstrap.errors import InvalidInput
from bandstrap.kernels.codes import LINEAR, LOGISTIC
from bandstrap.kernels.convex import sandwich
from bandstrap.kernels.convex.groups import group_pseudo, group_rows
from bandstrap.models.base import Learner, Model
from bandstrap.models.convex.arm import MOST
from bandstrap.models.convex.factor import least_own, warn_of_rounding
from bandstrap.models.convex.learner import ArmsLearner
from bandstrap.models.convex.regression import ConvexModel
from bandstrap.models.features import as_numbers
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped, remapped_list
from bandstrap.resampling import Resampling
from bandstrap.seeding import kernel_stream
from bandstrap.storage.schema import ArrayOf, Choice, Fixed, Flag, ListOf, Real, Schema, require
from bandstrap.validation import require_within

MOST_GROUPS = 100_000  # each has a weight in every draw, and a gradient in memory
ROUGH = 3e-7  # a column whose own share is below this is lost in rounding
GROWTH = 1.2  # recompute everything when the rows, or M, have grown this much


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
        if resampling.noise > 0 or resampling.perturbs:
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


@dataclass(frozen=True)
class GaussianLimit(Model):
    """What `OneStep` draws when there are many examples: N(θ̂, M⁻¹ G M⁻¹).

    M is the Hessian at θ̂ and G the covariance of the weighted gradient there, Σ rᵢ² xᵢxᵢᵀ times a
    weight's variance. A score is a number, so only a number is drawn, from the rows of features
    that are not zero. Each example takes one Newton step and an update of low rank. When the rows
    have grown by a fifth, or M by as much in the mean over its directions, or one example
    outweighs all others, θ̂ and both matrices are computed from all of them. That makes O(d²) an
    example on average, unless features keep growing; there θ̂ also lags, by about a spread where
    they grow a millionfold over a million rounds (`make endurance`).

    >>> from bandstrap import ContextualBootstrap, EigenExamples, Exponential, LogisticRegression
    >>> model = GaussianLimit(LogisticRegression())
    >>> policy = ContextualBootstrap(Exponential(), model, EigenExamples())
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    model: ConvexModel

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        if resampling.perturbs:
            remedy = "GaussianLimit needs weights or noise; try Exponential"
            raise InvalidInput("resampling", resampling, remedy)
        return GaussianLimitLearner(self.model, problem, resampling, prior)


class GaussianLimitLearner(ArmsLearner):
    """Second moments of all arms, side by side."""

    warned = False  # that rounding may spoil them

    schema = Schema(
        loss=Fixed(Choice(LOGISTIC, LINEAR)),
        variance=Fixed(Real(low=0.0)),
        noise=Fixed(Real(low=0.0)),
        theta=ArrayOf(np.float64, "arms", "parameters", low=-MOST, high=MOST),
        inverse=ArrayOf(np.float64, "arms", "parameters", "parameters"),
        covariance=ArrayOf(np.float64, "arms", "parameters", "parameters"),
        ready=ArrayOf(np.bool_, "arms"),
        due=ListOf(Real(low=0.0), "arms"),
        gained=ListOf(Real(), "arms"),
        drawn=ArrayOf(np.float64, "arms", finite=False),
        laws=ArrayOf(np.float64, 4, "arms", finite=False),
        context=ArrayOf(np.float64, "parameters"),
        work=ArrayOf(np.float64, 3, "parameters", finite=False),
        places=ArrayOf(np.int64, "parameters"),
        warned=Flag(),
    )

    def verify_saved(self) -> None:
        own = [arm.theta.size for arm in self.arms]
        require(own == [self.theta.shape[1]] * len(self.theta), "moments are of other arms")
        require(self.context[-1] == float(self.all.model.intercept), "an intercept is no feature")

    def __init__(
        self, model: ConvexModel, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        super().__init__(model, problem, resampling, prior)
        arms, d = problem.n_arms, problem.n_features + 1
        self.loss = model.loss
        self.variance = float(resampling.variance)
        self.noise = float(resampling.noise)
        self.theta = np.zeros((arms, d))
        self.inverse, self.covariance = np.zeros((2, arms, d, d))
        self.ready = np.zeros(arms, dtype=np.bool_)
        self.due = [0.0] * arms  # rows beyond which to recompute
        self.gained = [0.0] * arms  # growth of log det M since M was computed
        self.drawn = np.zeros(arms)
        self.laws = np.zeros((4, arms))  # scratch for means and spreads
        self.context = np.full(d, float(model.intercept))  # the current one, intercept last
        self.work = np.zeros((3, d))
        self.places = np.zeros(d, dtype=np.int64)

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.all.learn(context, arm, reward, weight)
        if self._notice(context):
            return  # computed from all rows, this one included
        if self.arms[arm].examples.rows.count > self.due[arm]:
            self._renew(arm)
            return
        gain = sandwich.absorb_step(
            self.loss, self.theta, self.inverse, self.covariance, arm, self.context, reward,
            self.variance, self.noise, self.work, self.places, weight,
        )  # fmt: skip
        self.gained[arm] += gain
        if gain == sandwich.UNCHANGED or self.gained[arm] > self.context.size * np.log(GROWTH):
            self._renew(arm)

    def discount(self, factor: float) -> None:
        super().discount(factor)
        for index, arm in enumerate(self.arms):
            self.ready[index] &= arm.examples.count > 0
            self.theta[index] *= self.ready[index]
        self._renew_all(range(len(self.arms)))

    def remap_arms(  # type: ignore[override]
        self, fresh: "GaussianLimitLearner", before: ArmMap
    ) -> None:
        super().remap_arms(fresh, before)
        for name in ("theta", "inverse", "covariance", "ready", "drawn"):
            setattr(self, name, remapped(getattr(self, name), getattr(fresh, name), before))
        self.laws = np.zeros((4, len(before)))
        self.due = remapped_list(self.due, fresh.due, before)
        self.gained = remapped_list(self.gained, fresh.gained, before)
        self._renew_all(index for index, earlier in enumerate(before) if earlier is None)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        self._notice(contexts)
        sandwich.sandwich_scores(
            kernel_stream(rng), self.theta, self.covariance, self.ready, self.context, self.drawn,
            self.work, self.places,
        )  # fmt: skip
        return self.drawn.copy()

    def best(self, contexts: Array, rng: Rng, allowed: Array) -> int:
        self._notice(contexts)
        arm: int = sandwich.sandwich_best(
            kernel_stream(rng), self.theta, self.covariance, self.ready, self.context, self.drawn,
            self.work, self.places, allowed,
        )  # fmt: skip
        check_score(self.drawn.sum())  # scores may be infinite, but not minus infinity
        return arm

    def decide(self, contexts: Array, rng: Rng, allowed: Array) -> tuple[int, Array, Array | None]:
        self._notice(contexts)
        scores, probabilities = np.empty(self.drawn.size), np.empty(self.drawn.size)
        arm: int = sandwich.sandwich_decide(
            kernel_stream(rng), self.loss, self.theta, self.covariance, self.ready, self.context,
            allowed, self.drawn, scores, probabilities, self.laws, self.work, self.places,
        )  # fmt: skip
        check_score(probabilities[arm])
        return arm, scores, probabilities

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        self._notice(contexts)
        means, spreads = np.empty((2, self.drawn.size))
        sandwich.sandwich_law(
            self.theta, self.covariance, self.ready, self.context, means, spreads, self.work,
            self.places,
        )  # fmt: skip
        return normal_probabilities(means, spreads, allowed)

    def _notice(self, context: Array) -> bool:
        """Take in a context; returns whether there were new pseudo-examples, and takes them in."""
        self.context[:-1] = context if context.dtype.kind == "f" else as_numbers(context)
        new = self.all.notice_prior()
        if new:
            self._renew_all(range(len(self.arms)))
        return new

    def _renew_all(self, indices: Iterable[int]) -> None:
        for index in indices:
            if self.arms[index].examples.count > 0:
                self._renew(index)

    def _renew(self, index: int) -> None:
        """θ̂, M⁻¹ and V from all examples."""
        arm = self.arms[index]
        arm.fit(self.all.fit_tolerance(arm))
        factor, usual = arm.draw.factor()
        spread = self.variance * arm.squares()
        spread += self.noise**2 * arm.draw.entries[0, : arm.examples.n_entries]
        self.inverse[index] = factor.T @ factor
        if usual:
            half = arm.examples.gram(spread) @ self.inverse[index]
            self.covariance[index] = self.inverse[index] @ half
            arm.set_factor(factor.astype(np.float32))
        else:  # a product with M⁻¹ twice would lose what matters
            images = arm.examples.contexts() @ factor[:, :-1].T + arm.examples.bias * factor[:, -1]
            middle = np.sqrt(spread)[:, None] * images @ factor
            self.covariance[index] = middle.T @ middle
            arm.set_factor(factor)
            if not (self.warned or arm.examples.few):
                self.warned = least_own(arm.draw.hessian(), factor) < ROUGH
                if self.warned:  # updates of the inverse are spoilt
                    warn_of_rounding("GaussianLimit")
        self.theta[index] = arm.theta
        self.ready[index] = True
        # While rows are few, each may add a direction that the inverse lacks.
        lacking = len(factor) < len(arm.theta)
        self.due[index] = (1.0 if lacking else GROWTH) * arm.examples.rows.count
        self.gained[index] = 0.0

"""What a convex model keeps of its arms: examples, unweighted fits, and factors there."""

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.kernels.codes import LINEAR, LOGISTIC
from bandstrap.kernels.convex.loss import means
from bandstrap.models.convex.draw import ConvexDraw
from bandstrap.models.convex.examples import ConvexExamples
from bandstrap.models.convex.regression import ConvexModel
from bandstrap.models.features import Examples, as_numbers, verify_rows
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped_list
from bandstrap.resampling import Resampling
from bandstrap.seeding import kernel_streams
from bandstrap.storage.schema import (
    FLOATS,
    ArrayOf,
    Choice,
    Fixed,
    Grows,
    ListOf,
    Of,
    Schema,
    Whole,
    require,
)

FACTOR_GROWTH = 1.1  # recompute the factor when the examples have grown this much
MOST = 1e150  # a parameter can be
FIT_GROWTH = 1.02  # draws start from a fit to at least 1 / FIT_GROWTH of the examples
PRECISION = 1e-3  # of a draw's distance from the fit, to which the fit is solved


class ConvexArm:
    """An arm's examples with the fit θ̂ to them, margins and means there, and a factor G.

    GᵀG is about the inverse Hessian at θ̂. The fit is updated when the examples have grown by a
    factor `growth`: draws start there but do not depend on how good it is. While there are fewer
    examples than features, each one adds a direction, and everything is recomputed; unless there
    are so many features that a factor of all directions, by the penalty, is cheaper.
    """

    schema = Schema(
        loss=Fixed(Choice(LOGISTIC, LINEAR)),
        examples=Of(ConvexExamples, shared=True),
        draw=Of(ConvexDraw),
        theta=ArrayOf(np.float64, "parameters", low=-MOST, high=MOST),
        factor=ArrayOf(FLOATS, Grows("directions"), "parameters"),
        margins=ArrayOf(np.float64, Grows("entries")),
        means=ArrayOf(np.float64, Grows("entries")),
        known_rows=Whole(-1),
        fitted_rows=Whole(),
        factored_rows=Whole(-1),
        fits=Whole(),
    )

    def verify_saved(self) -> None:
        rows, size = self.examples.rows, self.theta.size
        require(self.draw.examples is self.examples, "a draw is from other examples")
        require(size == rows.n_features + 1, "parameters are of another width than rows")
        require(len(self.factor) <= size, "a factor has more directions than there are")
        require(self.known_rows <= rows.count, "margins are of rows that do not exist")
        known = self.examples.n_pseudo + self.known_rows
        require(self.known_rows < 0 or known <= self.margins.size, "margins are missing")

    def __init__(self, loss: int, rows: Examples, intercept: bool, penalty: float) -> None:
        d = rows.n_features + 1
        self.loss = loss
        self.examples = ConvexExamples(rows, intercept)
        self.draw = ConvexDraw(loss, self.examples, penalty)
        self.theta = np.zeros(d)
        self.factor = np.zeros((d, d), dtype=np.float32)
        self.margins, self.means = np.zeros((2, 0))
        self.known_rows = -1  # with margins; -1: none, as the prior is new
        self.fitted_rows = 0  # at the last fit
        self.factored_rows = -1  # at the last factor; -1: none yet for this prior
        self.fits = 0  # updates of θ̂ so far

    def set_prior(self, pseudo: PseudoExamples) -> None:
        self.examples.set_prior(pseudo)
        self.known_rows = self.factored_rows = -1

    def fade(self, factor: float) -> None:
        """Let rows count `factor` as much; the next fit starts anew."""
        rows = self.examples.rows
        if rows.count > 0:
            rows.keep(rows.fade(factor))
            self.known_rows = self.factored_rows = -1
            self.theta *= rows.count > 0

    def refresh(self, growth: float, tolerance: float) -> None:
        """Update whatever has fallen behind.

        Growth is that of the rows alone: with many features there are many pseudo-examples, next
        to which the first hundreds of rows would look like nothing new.
        """
        growth = growth if self._usable_factor() is not None else 1.0
        if self.known_rows < 0 or self.examples.rows.count > growth * self.fitted_rows:
            self.fit(tolerance)
            grown = self.fitted_rows > FACTOR_GROWTH * self.factored_rows
            if self._usable_factor() is None or grown:
                self.set_factor(self.draw.weighted_factor())
        else:
            self._learn_rows()

    def fit(self, tolerance: float) -> None:
        """Update θ̂; leaves the draw there, with weights 1."""
        draw = self.draw
        draw.set_weights(self.examples.rewards(), self.examples.counts())
        factor = self._usable_factor()
        if self.known_rows < 0 or factor is None:
            factor = draw.begin_at(self.theta, factor)
        else:
            self._learn_rows()
            self.begin()
        draw.solve(factor, tolerance)
        self.theta[:] = draw.theta
        self.fitted_rows = self.examples.rows.count
        self.fits += 1
        n = self.examples.n_entries
        self._reserve(n)
        self.margins[:n] = draw.entries[2, :n]
        means(self.loss, self.margins, n, self.means)
        self.known_rows = self.examples.rows.count

    def set_factor(self, factor: Array) -> None:
        self.factor = factor
        self.factored_rows = self.examples.rows.count

    def _usable_factor(self) -> Array | None:
        """The factor, unless there is none or it lacks directions that newer rows have."""
        lacking = len(self.factor) < self.theta.size
        behind = self.factored_rows < self.examples.rows.count
        return None if self.factored_rows < 0 or (lacking and behind) else self.factor

    def begin(self) -> None:
        """Start a draw, whose weights are set, at θ̂."""
        self.draw.begin(self.theta, self.margins, self.means, self.factor)

    def squares(self) -> Array:
        """Squared weighted residuals at θ̂, summed over the examples of each entry."""
        e, a = self.examples, len(self.examples.axes)
        means = self.means[: e.n_entries]
        single = np.concatenate([np.zeros(2 * a), e.plain_rewards, e.rows.rewards])
        squares: Array = (means - single) ** 2
        for side in range(2):
            rewards = e.axis_rewards[:, 2 * side : 2 * side + 2]
            here = slice(side * a, (side + 1) * a)
            squares[here] = ((means[here, None] - rewards) ** 2).sum(axis=1)
        if not e.rows.plain:
            squares[e.n_pseudo :] *= e.rows.weights**2
        return squares

    def _learn_rows(self) -> None:
        """Margins of new rows, if there are any."""
        if self.known_rows == self.examples.rows.count:
            return
        n = self.examples.n_entries
        self._reserve(n)
        self.examples.margins_from(self.known_rows, self.theta, self.margins)
        begin = self.examples.n_pseudo + self.known_rows
        means(self.loss, self.margins[begin:], n - begin, self.means[begin:])
        self.known_rows = self.examples.rows.count

    def _reserve(self, size: int) -> None:
        if self.margins.size < size:
            room = np.zeros((2, size + max(64, self.examples.rows.count)))
            room[:, : self.margins.size] = self.margins, self.means
            self.margins, self.means = room


class ConvexArms:
    """Examples and fits of all arms; the prior's pseudo-examples are the same for each."""

    schema = Schema(
        model=Fixed(Of(ConvexModel)),
        resampling=Fixed(Of(Resampling)),
        pseudo=Of(PseudoExamples),
        version=Whole(-1),
        arms=ListOf(Of(ConvexArm), "arms"),
    )

    def verify_saved(self) -> None:
        examples = [arm.examples for arm in self.arms]
        require(len({*map(id, examples)}) == len(examples), "arms share their examples")
        self.model.check_rewards(self.pseudo.rewards)
        for each in examples:
            self.model.check_rewards(each.rewards())
            require((each.rows.weights > 0).all(), "a row has no weight")

    def verify_problem(self, problem: Problem) -> None:
        """Refuse a file with other arms or features."""
        verify_rows([arm.examples.rows for arm in self.arms], problem)

    def __init__(
        self, model: ConvexModel, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        model.check_scheme(resampling)
        self.model = model
        self.resampling = resampling
        self.pseudo = prior.start(problem)
        self.version = -1  # of the pseudo-examples that the arms have
        self.arms = [
            ConvexArm(model.loss, Examples(problem.n_features), model.intercept, model.penalty)
            for _ in range(problem.n_arms)
        ]

    @property
    def random(self) -> bool:
        return self.resampling.random

    def learn(self, context: Array, arm: int, reward: float, weight: float) -> None:
        self.model.check_reward(reward)
        self.pseudo.see(context, reward)
        self.arms[arm].examples.rows.add(context, reward, weight)

    def augmented(self, context: Array) -> Array:
        """A context as doubles, with a 1 behind it for the intercept if there is one."""
        x = np.empty(context.size + 1)
        x[:-1] = as_numbers(context)
        x[-1] = self.model.intercept
        return x

    def refresh(self) -> list[int]:
        """Update all arms; returns those that have any example."""
        self.notice_prior()
        growth = FIT_GROWTH if self.random else 1.0
        known = [index for index, arm in enumerate(self.arms) if arm.examples.count > 0]
        for index in known:
            self.arms[index].refresh(growth, self.fit_tolerance(self.arms[index]))
        return known

    def fit_tolerance(self, arm: ConvexArm) -> float:
        """How precisely to fit an arm: a draw is about dimension / examples away from the fit.

        Without randomness the fit itself decides, and moves as far with each example.
        """
        most = 0.1 * self.model.tolerance if self.random else self.model.tolerance
        return min(most, PRECISION * arm.theta.size / arm.examples.count)

    def begin(self, rng: Rng, indices: list[int]) -> list[int]:
        """Draw weights for some arms and start at their fits; each arm has its own stream."""
        streams = kernel_streams(rng, len(self.arms))
        for index in indices:
            self.arms[index].draw.weigh(self.resampling, streams[index], rng)
            self.arms[index].begin()
        return indices

    def remap_arms(self, fresh: "ConvexArms", before: ArmMap) -> None:
        """Go on with other arms; new ones take in the pseudo-examples that the others have."""
        self.arms = remapped_list(self.arms, fresh.arms, before)
        for arm, earlier in zip(self.arms, before, strict=True):
            if earlier is None and self.version >= 0:
                arm.set_prior(self.pseudo)

    def notice_prior(self) -> bool:
        """Take in new pseudo-examples, if there are any; returns whether there were."""
        if self.version == self.pseudo.version:
            return False
        self.model.check_rewards(self.pseudo.rewards)
        self.version = self.pseudo.version
        for arm in self.arms:
            arm.set_prior(self.pseudo)
        return True

"""What a convex model keeps of one arm: its examples, its unweighted fit and a factor there."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.kernels.convex.loss import LINEAR, LOGISTIC, means
from bandstrap.models.convex.draw import ConvexDraw
from bandstrap.models.convex.examples import ConvexExamples
from bandstrap.models.features import Rows
from bandstrap.priors import PseudoExamples
from bandstrap.storage.schema import (
    FLOATS,
    ArrayOf,
    Choice,
    Fixed,
    Grows,
    Of,
    Schema,
    Whole,
    require,
)

FACTOR_GROWTH = 1.1  # the factor is made anew when the examples have grown this much
MOST = 1e150  # that a parameter can be


class ConvexArm:
    """An arm's examples with the fit θ̂ to them, margins and means there, and a factor G.

    GᵀG is about the inverse Hessian at θ̂. The fit is brought up to date when the examples have
    grown by a factor `growth`: draws start there but do not depend on how good it is. While there
    are fewer of them than features, each one adds a direction, and everything is made anew.
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
        require(self.known_rows <= rows.count, "margins are of rows that are not there")
        known = self.examples.n_pseudo + self.known_rows
        require(self.known_rows < 0 or known <= self.margins.size, "margins are missing")

    def __init__(self, loss: int, rows: Rows, intercept: bool, penalty: float) -> None:
        d = rows.n_features + 1
        self.loss = loss
        self.examples = ConvexExamples(rows, intercept)
        self.draw = ConvexDraw(loss, self.examples, penalty)
        self.theta = np.zeros(d)
        self.factor = np.zeros((d, d), dtype=np.float32)
        self.margins = np.zeros(0)
        self.means = np.zeros(0)
        self.known_rows = -1  # whose margins are there; -1: nobody's, as the prior is new
        self.fitted_rows = 0  # when it was fit
        self.factored_rows = -1  # when the factor was made; -1: there is none for this prior
        self.fits = 0  # how often θ̂ has been brought up to date

    def set_prior(self, pseudo: PseudoExamples) -> None:
        self.examples.set_prior(pseudo)
        self.known_rows = -1
        self.factored_rows = -1

    def fade(self, factor: float) -> None:
        """Let rows count `factor` as much, and fit anew."""
        rows = self.examples.rows
        if rows.count > 0:
            rows.keep(rows.fade(factor))
            self.known_rows = -1
            self.factored_rows = -1
            self.theta *= rows.count > 0

    def refresh(self, growth: float, tolerance: float) -> None:
        """Bring everything up to date that has fallen behind.

        Growth is that of the rows alone: pseudo-examples are many where there are many features,
        and would make the first hundreds of rows look like nothing new.
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
        """Bring θ̂ up to date; leaves the draw there, with weights 1."""
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
        self._know(draw.entries[2, : self.examples.n_entries])

    def set_factor(self, factor: Array) -> None:
        self.factor = factor
        self.factored_rows = self.examples.rows.count

    def _usable_factor(self) -> Array | None:
        """The factor, unless there is none or it knows less of directions than the rows do."""
        lacking = len(self.factor) < self.theta.size
        behind = self.factored_rows < self.examples.rows.count
        return None if self.factored_rows < 0 or (lacking and behind) else self.factor

    def begin(self) -> None:
        """Start a draw, whose weights are there, at θ̂."""
        self.draw.begin(self.theta, self.margins, self.means, self.factor)

    def width(self, context: Array) -> float:
        """About the standard deviation of a draw's margin in a context (with its intercept)."""
        return float(np.linalg.norm(self.factor @ context))

    def squares(self) -> Array:
        """Squared residuals at θ̂, times what counts, summed over the examples of each entry."""
        e, a = self.examples, len(self.examples.axes)
        means = self.means[: e.n_entries]
        squares: Array = (
            means - np.concatenate([np.zeros(2 * a), e.plain_rewards, e.rows.rewards])
        ) ** 2
        for side in range(2):
            rewards = e.axis_rewards[:, 2 * side : 2 * side + 2]
            here = slice(side * a, (side + 1) * a)
            squares[here] = ((means[here, None] - rewards) ** 2).sum(axis=1)
        if not e.rows.plain:
            squares[e.n_pseudo :] *= e.rows.weights**2
        return squares

    def _learn_rows(self) -> None:
        """Margins of rows that have come since, if any have."""
        if self.known_rows == self.examples.rows.count:
            return
        n = self.examples.n_entries
        self._reserve(n)
        self.examples.margins_from(self.known_rows, self.theta, self.margins)
        begin = self.examples.n_pseudo + self.known_rows
        means(self.loss, self.margins[begin:], n - begin, self.means[begin:])
        self.known_rows = self.examples.rows.count

    def _know(self, margins: Array) -> None:
        n = margins.size
        self._reserve(n)
        self.margins[:n] = margins
        means(self.loss, self.margins, n, self.means)
        self.known_rows = self.examples.rows.count

    def _reserve(self, size: int) -> None:
        if self.margins.size < size:
            room = np.zeros((2, size + max(64, self.examples.rows.count)))
            room[0, : self.margins.size] = self.margins
            room[1, : self.means.size] = self.means
            self.margins, self.means = room[0], room[1]

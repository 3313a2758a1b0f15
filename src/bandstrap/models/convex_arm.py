"""What a convex model keeps of one arm: its examples, its unweighted fit and a factor there."""

import numpy as np

from bandstrap.kernels.convex_loss import means
from bandstrap.models.convex_draw import ConvexDraw
from bandstrap.models.convex_examples import ConvexExamples
from bandstrap.models.features import Rows
from bandstrap.priors import PseudoExamples

FACTOR_GROWTH = 1.1  # the factor is made anew when the examples have grown this much


class ConvexArm:
    """An arm's examples with the fit θ̂ to them, margins and means there, and a factor G.

    GᵀG is about the inverse Hessian at θ̂. The fit is brought up to date when the examples have
    grown by a factor `growth`: draws start there but do not depend on how good it is.
    """

    def __init__(self, loss: int, rows: Rows, intercept: bool, penalty: float) -> None:
        d = rows.n_features + 1
        self.loss = loss
        self.examples = ConvexExamples(rows, intercept)
        self.draw = ConvexDraw(loss, self.examples, penalty)
        self.theta = np.zeros(d)
        self.factor = np.zeros((d, d), dtype=np.float32)
        self.margins = np.zeros(0)
        self.means = np.zeros(0)
        self.known_rows = 0  # whose margins are there
        self.fitted = 0  # examples when it was fit
        self.factored = 0
        self.fits = 0  # times that θ̂ has moved

    def set_prior(self, pseudo: PseudoExamples) -> None:
        self.examples.set_prior(pseudo)
        self.fitted = 0

    def refresh(self, growth: float, tolerance: float) -> None:
        """Bring everything up to date that has fallen behind."""
        count = self.examples.count
        if count > growth * self.fitted or self.fitted == 0:
            self._fit(tolerance)
        else:
            self._learn_rows()

    def begin(self) -> None:
        """Start a draw, whose weights are there, at θ̂."""
        self.draw.begin(self.theta, self.margins, self.means, self.factor)

    def width(self, context: np.ndarray) -> float:
        """About the standard deviation of a draw's margin in a context (with its intercept)."""
        return float(np.linalg.norm(self.factor @ context))

    def _fit(self, tolerance: float) -> None:
        draw, count = self.draw, self.examples.count
        draw.set_weights(self.examples.rewards(), np.ones(count))
        stale = count > FACTOR_GROWTH * self.factored or self.factored == 0
        draw.begin_at(self.theta, None if stale else self.factor)
        if stale:
            self._set_factor(count)
        draw.solve(self.factor, tolerance)
        if stale and draw.n_pairs:  # the factor belongs to where the fit has come to
            self._set_factor(count)
        self.theta[:] = draw.theta
        self.fitted = count
        self.fits += 1
        self._know(draw.entries[2, : self.examples.n_entries])

    def _set_factor(self, count: int) -> None:
        self.factor[:] = self.draw.weighted_factor()
        self.factored = count

    def _learn_rows(self) -> None:
        """Margins of rows that have come since."""
        n = self.examples.n_entries
        self._reserve(n)
        self.examples.margins_from(self.known_rows, self.theta, self.margins)
        begin = self.examples.n_pseudo + self.known_rows
        means(self.loss, self.margins[begin:], n - begin, self.means[begin:])
        self.known_rows = self.examples.rows.count

    def _know(self, margins: np.ndarray) -> None:
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

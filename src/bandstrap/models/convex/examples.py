"""The examples of one arm as compiled passes take them."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.kernels.checks import LARGEST
from bandstrap.kernels.convex.passes import gradient, margins, row_margins
from bandstrap.models.features import Examples, as_numbers, unit_of
from bandstrap.priors import PseudoExamples
from bandstrap.priors.pseudo_examples import WIDEST
from bandstrap.storage.schema import ArrayOf, Choice, Fixed, Grows, Of, Schema, require

CHUNK = 2048  # rows that are converted at a time


class ConvexExamples:
    """Entries of an arm: axes of the prior, their negatives, other pseudo-examples, rows.

    An axis has two entries for its four examples, because the two at one margin share it.
    """

    # `axes` is the prior's own array, which is never written to; `plain` is the same empty array
    # before there is a prior.
    schema = Schema(
        rows=Of(Examples),
        bias=Fixed(Choice(0.0, 1.0)),
        axes=ArrayOf(np.float64, Grows("axes"), "features", low=-WIDEST, high=WIDEST, shared=True),
        plain=ArrayOf(
            np.float64, Grows("plain"), "features", low=-WIDEST, high=WIDEST, shared=True
        ),
        axis_rewards=ArrayOf(np.float64, Grows("axes"), 4, low=-LARGEST, high=LARGEST),
        plain_rewards=ArrayOf(np.float64, Grows("plain"), low=-LARGEST, high=LARGEST),
    )

    def verify_saved(self) -> None:
        require(self.rows.n_features == self.axes.shape[1], "rows are of another width")

    def __init__(self, rows: Examples, intercept: bool) -> None:
        self.rows = rows
        self.bias = float(intercept)
        self.axes = self.plain = np.zeros((0, rows.n_features))
        self.axis_rewards = np.zeros((0, 4))
        self.plain_rewards = np.zeros(0)

    def set_prior(self, pseudo: PseudoExamples) -> None:
        """Replace the pseudo-examples."""
        axes = np.ascontiguousarray(pseudo.axes, dtype=np.float64)
        many = 4 * len(axes)
        if not np.array_equal(pseudo.contexts[:many:4], axes):  # not in the order of axes
            axes, many = axes[:0], 0
        self.axes = axes
        self.axis_rewards = np.array(pseudo.rewards[:many], dtype=np.float64).reshape(-1, 4)
        self.plain = np.array(as_numbers(pseudo.contexts[many:]), dtype=np.float64, order="C")
        self.plain_rewards = np.array(pseudo.rewards[many:], dtype=np.float64)

    @property
    def n_pseudo(self) -> int:
        """Entries before the rows."""
        return 2 * len(self.axes) + len(self.plain)

    @property
    def n_entries(self) -> int:
        return self.n_pseudo + self.rows.count

    @property
    def count(self) -> int:
        """Number of examples; an axis stands for four."""
        return self.n_entries + 2 * len(self.axes)

    @property
    def few(self) -> bool:
        """Whether they are too few to span all directions; with an intercept it takes one more."""
        return self.n_entries < self.rows.n_features + self.bias

    def contexts(self) -> Array:
        """Contexts of all entries, in double precision as passes read them."""
        rows = self.unit * self.rows.contexts.astype(np.float64)
        return np.concatenate([self.axes, -self.axes, self.plain, rows])

    @property
    def mass(self) -> float:
        """The total weight of all examples."""
        rows = self.rows
        return self.count if rows.plain else self.count - rows.count + float(rows.weights.sum())

    def counts(self) -> Array:
        """The weight of each example, those of the axes first."""
        return np.concatenate([np.ones(self.count - self.rows.count), self.rows.weights])

    @property
    def unit(self) -> float:
        """The factor that turns rows into numbers."""
        return unit_of(self.rows.contexts)

    @property
    def scratch_size(self) -> int:
        return max(self.rows.n_features + 1, len(self.axes), 16)

    def rewards(self) -> Array:
        """Rewards of all examples, those of the axes first."""
        return np.concatenate([self.axis_rewards.ravel(), self.plain_rewards, self.rows.rewards])

    def margins(self, theta: Array, out: Array) -> None:
        x, n, scratch = self.rows.contexts, self.rows.count, np.empty((2, self.scratch_size))
        margins(self.axes, self.plain, x, n, self.unit, theta, out, *scratch)

    def margins_from(self, begin: int, theta: Array, out: Array) -> None:
        """Margins of rows from `begin` on alone."""
        x, n, scratch = self.rows.contexts, self.rows.count, np.empty((2, self.scratch_size))
        row_margins(x, begin, n, self.unit, theta, out[self.n_pseudo :], *scratch)

    def gradient(self, residuals: Array) -> Array:
        """The sum of all entries' contexts, each times its residual; the intercept's last."""
        out, scratch = np.empty(self.rows.n_features + 1), np.empty(self.scratch_size)
        x, n = self.rows.contexts, self.rows.count
        gradient(self.axes, self.plain, x, n, self.unit, self.bias, residuals, out, scratch)
        return out

    def gram(self, weights: Array) -> Array:
        """Σ weights_i x_i x_iᵀ over all entries, with the intercept as the last feature."""
        d, a, pseudo = self.rows.n_features, len(self.axes), self.n_pseudo
        gram = np.zeros((d + 1, d + 1))
        inside = gram[:d, :d]
        _add_gram(inside, self.axes, weights[:a] + weights[a : 2 * a])
        _add_gram(inside, self.plain, weights[2 * a : pseudo])
        _add_gram(inside, self.rows.contexts, weights[pseudo : self.n_entries])
        edge = self.gradient(weights)
        gram[d, :d] = gram[:d, d] = self.bias * edge[:d]
        gram[d, d] = edge[d]
        return gram


def _add_gram(gram: Array, contexts: Array, weights: Array) -> None:
    """gram += Σ weights_i x_i x_iᵀ, for weights that are not negative."""
    for begin in range(0, len(contexts), CHUNK):
        chunk = slice(begin, begin + CHUNK)
        scaled = as_numbers(contexts[chunk]) * np.sqrt(weights[chunk])[:, None]
        gram += scaled.T @ scaled

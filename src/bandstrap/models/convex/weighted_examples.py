"""The examples of one arm with weights of their own, and how much their loss bends."""

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.convex.loss import LINEAR, LOGISTIC, bends, means
from bandstrap.kernels.convex.weights import fold_axes, weigh
from bandstrap.models.convex.examples import ConvexExamples, variance_of
from bandstrap.models.redraw import drawn
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import ArrayOf, Choice, Fixed, Grows, Of, Real, Schema

FLATTEST = 1e-20  # where the loss bends less than this, a factor takes it to bend so much
FINEST, COARSEST = 5e-324, 1e100  # variances of rewards are between these


class WeightedExamples:
    """Weights and weighted rewards by entry, beside what a draw computes from them."""

    scale = 1.0  # of the loss: what a gap is told in; bandits saved earlier do not say

    schema = Schema(
        loss=Fixed(Choice(LOGISTIC, LINEAR)),
        examples=Of(ConvexExamples, shared=True),
        penalty=Fixed(Real(low=0.0)),
        entries=ArrayOf(np.float64, 6, Grows("entries"), finite=False),
        weight=Real(finite=False),
        scale=Real(FINEST, COARSEST),
    )

    def __init__(self, loss: int, examples: ConvexExamples, penalty: float) -> None:
        self.loss = loss
        self.examples = examples
        self.penalty = penalty  # per example
        self.entries = np.zeros((6, 0))  # weight, total, margin, residual, and two for a search
        self.weight = 0.0  # of all examples

    @property
    def strength(self) -> float:
        """Of the penalty on the squared parameters."""
        return self.penalty * self.examples.mass

    def weigh(self, resampling: Resampling, stream: Array, rng: Rng) -> None:
        """Fresh weights; schemes that kernels do not know draw by `rng`."""
        self._reserve()
        e = self.examples
        quads = np.empty(e.axis_rewards.shape)
        weight, total = self.entries[0], self.entries[1]
        if resampling.code is not None:
            self.weight = weigh(
                stream, resampling.code, quads, e.axis_rewards, e.plain_rewards, e.rows.rewards,
                weight, total,
            )  # fmt: skip
            if not e.rows.plain:
                self._scale_rows(e.rows.weights)
            self._check_weight()
            return
        noisy, weights = drawn(resampling, e.rewards(), rng)
        self.set_weights(noisy, weights if e.rows.plain else weights * e.counts())

    def _scale_rows(self, counts: Array) -> None:
        e = self.examples
        self.entries[:2, e.n_pseudo : e.n_entries] *= counts
        self.weight = float(self.entries[0, : e.n_entries].sum())

    def set_weights(self, rewards: Array, weights: Array) -> None:
        """Given rewards and weights of all examples, those of the axes first."""
        self._reserve()
        if self.loss == LINEAR:  # a squared loss has the unit of squared rewards
            self.scale = variance_of(rewards, weights)
        e = self.examples
        a, n = len(e.axes), e.n_entries
        quads = np.ascontiguousarray(weights[: 4 * a]).reshape(-1, 4)
        quad_rewards = np.ascontiguousarray(rewards[: 4 * a]).reshape(-1, 4)
        fold_axes(quads, quad_rewards, self.entries[0], self.entries[1])
        self.entries[0, 2 * a : n] = weights[4 * a :]
        self.entries[1, 2 * a : n] = weights[4 * a :] * rewards[4 * a :]
        self.weight = float(weights.sum())
        self._check_weight()

    def _check_weight(self) -> None:
        """Refuse examples of which none counts: rounding has left nothing of their weights."""
        if not self.weight > 0.0:
            raise InvalidInput("weights", self.weight, "examples count too little: give more")

    def hessian(self) -> Array:
        """The weighted Hessian where the draw stands now."""
        hessian = self.examples.gram(self._bends())
        hessian.flat[: -1 : len(hessian) + 1] += self.strength
        return hessian

    def _bends(self) -> Array:
        n = self.examples.n_entries
        weight, margin = self.entries[0], self.entries[2]
        expected, bend = np.empty(n), np.empty(n)
        means(self.loss, margin, n, expected)
        bends(self.loss, expected, weight, n, bend)
        np.maximum(bend, FLATTEST * weight[:n], out=bend)
        return bend

    def _reserve(self) -> None:
        if self.entries.shape[1] < self.examples.n_entries:
            room = self.examples.n_entries + max(64, self.examples.rows.count)
            self.entries = np.zeros((6, room))

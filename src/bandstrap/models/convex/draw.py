"""One draw of one arm: weights for all examples, and the parameters that they lead to."""

from math import inf
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.codes import LINEAR, LOGISTIC
from bandstrap.kernels.convex.loss import bends, means, residuals
from bandstrap.kernels.convex.solve import MEMORY, advance, direction, full_gradient, total_bend
from bandstrap.kernels.convex.weights import fold_axes, weigh
from bandstrap.models.convex.dual import dual_solution
from bandstrap.models.convex.examples import ConvexExamples
from bandstrap.models.convex.factor import (
    Span,
    inverse_factor,
    least_own,
    qr_factor,
    span_of,
    warn_of_rounding,
)
from bandstrap.models.features import perturbed
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import (
    ArrayOf,
    Choice,
    Fixed,
    Flag,
    Grows,
    Of,
    Real,
    Schema,
    Whole,
    require,
)

SAFETY = 3.0  # times the estimated distance to the optimum, in case curvature is less than it seems
COLLAPSE = 2.0  # a loss that has become this much flatter is not where its factor belongs
PATIENCE = 40  # iterations with one factor
FACTORS = 25  # attempts with a new factor of the weighted Hessian
ROUGH = 1e-3  # a column whose own share is below this needs double precision
EXACT = 1e-6  # standard deviations of rewards that a margin found directly may be off
BESIDE = 1e-13  # parameters nearer than this to a span are in it
FLATTEST = 1e-20  # factors take the loss to bend at least this much
FINEST, COARSEST = 5e-324, 1e100  # variances of rewards are between these
WIDE = 200  # features from which few rows need not be factored in their span
SHORT, SHORTER = 2, 8  # features for each row beyond which they are, if used once and if kept
NEAR = 1.0  # a step that moves a margin further leaves the parabola it was computed for


class ConvexDraw:
    """Weights and weighted rewards by entry, and the progress of a draw by them.

    The distance to the optimum is estimated by half the decrement gᵀB g, with g the gradient and B
    the inverse Hessian as L-BFGS knows it: a factor of the unweighted Hessian, corrected along the
    steps taken by the weighted one, and in proportion where the loss has become flatter. SAFETY
    times that must be within the tolerance. Weights that are zero take away curvature which the
    factor still has, so where that may matter and a factor of the weighted Hessian costs little,
    `settle` has the last word.
    """

    scale = 1.0  # of the loss, the unit of gaps; early files lack it
    warned = False  # that rounding may spoil it
    unsaved: ClassVar[tuple[str, ...]] = ("_spanned", "_weighed")  # found again when needed
    _weighed = False  # whether `_spanned` belongs to the current weights
    _spanned: tuple[Array, Span] | None = None  # examples with weight, and their span

    # Numbers here may be left over from a draw that failed; the next one begins anew.
    schema = Schema(
        loss=Fixed(Choice(LOGISTIC, LINEAR)),
        examples=Of(ConvexExamples, shared=True),
        penalty=Fixed(Real(low=0.0)),
        entries=ArrayOf(np.float64, 6, Grows("entries"), finite=False),
        weight=Real(finite=False),
        scale=Real(FINEST, COARSEST),
        theta=ArrayOf(np.float64, "parameters", finite=False),
        gradient=ArrayOf(np.float64, "parameters", finite=False),
        step=ArrayOf(np.float64, "parameters", finite=False),
        pairs=ArrayOf(np.float64, 2, MEMORY, "parameters", finite=False),
        work=ArrayOf(np.float64, 5, Grows("room"), finite=False),
        n_pairs=Whole(),
        decrement=Real(finite=False),
        bend=Real(finite=False),
        warned=Flag(),
    )

    def verify_saved(self) -> None:
        own = self.examples.rows.n_features + 1
        require(self.theta.size == own, "parameters are of another width than rows")

    def __init__(self, loss: int, examples: ConvexExamples, penalty: float) -> None:
        self.loss = loss
        self.examples = examples
        self.penalty = penalty  # per example
        self.entries = np.zeros((6, 0))  # weight, total, margin, residual, and two for a search
        self.weight = 0.0  # of all examples
        d = examples.rows.n_features + 1
        self.theta, self.gradient, self.step = np.zeros((3, d))
        self.pairs = np.zeros((2, MEMORY, d))
        self.work = np.zeros((5, 0))
        self.n_pairs = 0
        self.decrement = 0.0
        self.bend = 0.0  # of the loss in all examples, where the draw started

    @property
    def strength(self) -> float:
        """Of the penalty on the squared parameters."""
        return self.penalty * self.examples.mass

    def weigh(self, resampling: Resampling, stream: Array, rng: Rng) -> None:
        """Draw fresh weights, by `rng` for schemes that kernels do not know."""
        self._reserve()
        e = self.examples
        quads = np.empty(e.axis_rewards.shape)
        weight, total = self.entries[:2]
        if resampling.code is not None:
            self.weight = weigh(
                stream, resampling.code, quads, e.axis_rewards, e.plain_rewards, e.rows.rewards,
                weight, total,
            )  # fmt: skip
            if not e.rows.plain:
                self.entries[:2, e.n_pseudo : e.n_entries] *= e.rows.weights
                self.weight = float(weight[: e.n_entries].sum())
            self._check_weight()
            return
        rewards, weights = perturbed(resampling, e.rewards(), rng)
        self.set_weights(rewards, weights if e.rows.plain else weights * e.counts())

    def set_weights(self, rewards: Array, weights: Array) -> None:
        """Set rewards and weights of all examples, those of the axes first."""
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
        """Refuse weights that rounding has left nothing of."""
        if not self.weight > 0.0:
            raise InvalidInput("weights", self.weight, "weights are too small: give larger ones")

    def hessian(self) -> Array:
        """The weighted Hessian where the draw stands."""
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

    @property
    def gap(self) -> float:
        """How far the objective is from its optimum at most, per unit of weight and scale."""
        unit = self.weight * self.scale
        return SAFETY * 0.5 * self.decrement / unit if unit > 0.0 else inf

    def begin(self, theta: Array, margins: Array, expected: Array, factor: Array) -> None:
        """Start at parameters whose margins and means are known: one pass for the gradient."""
        n = self.examples.n_entries
        weight, total, margin, residual = self.entries[:4]
        self.theta[:] = theta
        margin[:n] = margins[:n]
        np.multiply(weight[:n], expected[:n], out=residual[:n])
        residual[:n] -= total[:n]
        self.look_around(factor)

    def begin_at(self, theta: Array, factor: Array | None, once: bool = False) -> Array:
        """Start at any parameters; without a factor, by one of the weighted Hessian there.

        A factor that is used but `once` is the one that is cheapest to make.
        """
        self._stand_at(theta)
        if factor is None:
            factor = self.weighted_factor(once)
            if self._spanned is not None and self.examples.few:
                inside = self._spanned[1].project(self.theta)  # steps stay in the span
                if np.abs(inside - self.theta).max() > BESIDE * np.abs(inside).max():
                    self._stand_at(inside)
        self.look_around(factor)
        return factor

    def _stand_at(self, theta: Array) -> None:
        n = self.examples.n_entries
        weight, total, margin, residual = self.entries[:4]
        self.theta[:] = theta
        self.examples.margins(theta, margin)
        residuals(self.loss, margin, margin, 0.0, weight, total, n, residual)

    def advance(self, factor: Array) -> bool:
        """One iteration: two passes. False if there is no way down within rounding."""
        e = self.examples
        weight, total, margin, residual, move, trial = self.entries
        found, self.n_pairs = advance(
            self.loss, e.axes, e.plain, e.rows.contexts, e.rows.count, e.unit, e.bias,
            self.strength, factor, weight, total, self.theta, margin, residual, self.gradient,
            self.step, -self.decrement, self.bend, self.pairs, self.n_pairs, self.work, move, trial,
        )  # fmt: skip
        if found < 0:
            return False
        self.decrement = found
        return True

    def settle(self, tolerance: float) -> None:
        """Solve from here, until a factor computed where the draw ends agrees."""
        if self.direct and self._solve_directly(tolerance):
            return
        factor = self.begin_at(self.theta, None, once=True)
        for _ in range(FACTORS):
            if self.gap <= tolerance:
                break
            self.solve(factor, tolerance)
            factor = self.begin_at(self.theta, None, once=True)
        self.check_gap(tolerance)
        if self.direct:
            found = self.decrement
            self.advance(factor)  # to the optimum: contexts lie elsewhere, where margins move more
            self.decrement = min(found, self.decrement)  # squares of the smallest steps are 0
        for _ in range(FACTORS):
            if self.near or not self._improve(factor):
                return
            factor = self.begin_at(self.theta, None, once=True)

    @property
    def direct(self) -> bool:
        """Whether the optimum solves a system that is smaller than a Hessian."""
        return self.loss == LINEAR and self.examples.few

    def _solve_directly(self, tolerance: float) -> bool:
        """Solve that system; if rounding spoils it, False, and the draw stays where it is.

        The penalty alone bounds how far the optimum is: the gradient's length over it, once the
        intercept is the best. That bounds margins as far away as examples are.
        """
        e, before = self.examples, self.theta.copy()
        counting = np.flatnonzero(self.entries[0, : e.n_entries])
        weight, total = self.entries[:2, counting]
        contexts = e.contexts()[counting]
        with np.errstate(all="ignore"):  # what is out of range shows in the bound
            ridges = self.strength / weight
            self._stand_at(dual_solution(contexts, total / weight, ridges, e.bias > 0))
            self._set_gradient()
            mean = weight @ contexts / self.weight
            slope = self.gradient[-1]
            off = self.gradient[:-1] - slope * mean
            self.decrement = float(off @ off / self.strength + slope**2 / self.weight)
            reach = np.abs(contexts - e.bias * mean).max(axis=0)
            furthest = np.sqrt(reach @ reach * self.decrement / self.strength)
            if furthest <= EXACT * np.sqrt(self.scale) and self.gap <= tolerance:
                return True
        self.theta[:] = before
        return False

    def _improve(self, factor: Array) -> bool:
        """One more step although the gap is within the tolerance; undone if it does not go down."""
        before, theta = self.objective(), self.theta.copy()
        if self.advance(factor):
            self.examples.margins(self.theta, self.entries[2])
            if self.objective() < before:
                return True
        self.begin_at(theta, factor)
        return False

    def objective(self) -> float:
        """The logistic objective where the draw stands."""
        n = self.examples.n_entries
        weight, total, margin = self.entries[:3, :n]
        loss = float(weight @ np.logaddexp(0.0, margin) - total @ margin)
        return loss + 0.5 * self.strength * float(self.theta[:-1] @ self.theta[:-1])

    @property
    def near(self) -> bool:
        """Whether the loss is a parabola all the way to the optimum."""
        if self.loss == LINEAR:
            return True
        n = self.examples.n_entries
        moves = self.entries[4]
        self.examples.margins(self.step, moves)
        return bool(np.abs(moves[:n][self.entries[0, :n] > 0]).max(initial=0.0) <= NEAR)

    @property
    def collapsed(self) -> bool:
        """Whether the loss is much flatter than where the draw began, and its factor misleads."""
        weight, total, _, residual = self.entries[:4]
        n = self.examples.n_entries
        return bool(COLLAPSE * total_bend(self.loss, residual, weight, total, n) < self.bend)

    @property
    def unbounded(self) -> bool:
        """Whether no bound of a margin is of use before the draw is solved.

        Bounds take the weighted loss to bend about as the factor says, that is as with weights 1.
        Where all examples in some direction have weight 0 the penalty alone bends it, and all that
        holds is |x| times the gradient's length over the penalty: too much until the gradient is
        almost 0. The optimum of squared loss is indeed that far away; logistic draws, which end
        far apart, have never been seen to leave their bounds so that it mattered.
        """
        return self.loss == LINEAR and not self.entries[0, : self.examples.n_entries].all()

    def solve(self, factor: Array, tolerance: float) -> None:
        """Advance until the gap is within the tolerance, with better factors if need be.

        Long steps leave margins inexact, so they are recomputed before the gap is trusted.
        """
        for _ in range(FACTORS):
            for _ in range(PATIENCE):
                if self.gap <= tolerance and self.n_pairs > 0:
                    self.begin_at(self.theta, factor)
                if self.gap <= tolerance:
                    return
                if not self.advance(factor):
                    break
            factor = self.begin_at(self.theta, None)
        self.check_gap(tolerance)

    def check_gap(self, tolerance: float) -> None:
        """Refuse a draw that is not solved."""
        if not self.gap <= tolerance:
            remedy = f"rounding leaves {self.gap:.1e}; rescale contexts and rewards or raise it"
            raise InvalidInput("tolerance", tolerance, remedy)

    def weighted_factor(self, once: bool = False) -> Array:
        """A factor of the weighted Hessian where the draw stands, as precise as it needs to be."""
        factor, usual = self.factor(once)
        return factor.astype(np.float32) if usual else factor

    def factor(self, once: bool = False) -> tuple[Array, bool]:
        """The same in double precision, and whether single precision would do."""
        if self._in_their_span(once):
            return self._qr_factor()[0], False
        hessian = self.hessian()
        factor = inverse_factor(hessian)
        if least_own(hessian, factor) >= ROUGH:
            self._spanned = None  # steps may leave it
            return factor, True
        precise, lost = self._qr_factor()
        if not lost:
            return precise, False
        if not self.warned:
            self.warned = True
            warn_of_rounding("a draw")
        return factor, True

    def _in_their_span(self, once: bool) -> bool:
        """Whether few examples are to be factored in their span.

        That costs rows² × features with each new row. A factor of all directions, by the penalty,
        costs features³ but goes on serving as rows come.
        """
        e = self.examples
        short = (SHORT if once else SHORTER) * e.n_entries < e.rows.n_features
        return e.few and (e.rows.n_features < WIDE or short)

    def _qr_factor(self) -> tuple[Array, bool]:
        e = self.examples
        counting = self.entries[0, : e.n_entries] > 0
        if not e.few:
            contexts, span = e.contexts()[counting], None
        elif self._weighed and self._spanned is not None:  # by the same weights as before
            contexts, span = self._spanned
        else:
            contexts = e.contexts()[counting]
            if self._spanned is None or not np.array_equal(self._spanned[0], contexts):
                self._spanned = contexts, span_of(contexts, e.bias > 0)
            span, self._weighed = self._spanned[1], True
        return qr_factor(contexts, self._bends()[counting], self.strength, e.bias, span)

    def look_around(self, factor: Array) -> None:
        """Gradient and direction where the draw stands, from its residuals."""
        e = self.examples
        self._set_gradient()
        self.n_pairs = 0
        weight, total, _, residual = self.entries[:4]
        self.bend = total_bend(self.loss, residual, weight, total, e.n_entries)
        self.decrement = direction(factor, 1.0, self.gradient, self.pairs, 0, self.step, self.work)

    def _set_gradient(self) -> None:
        """The gradient where the draw stands, from its residuals."""
        e = self.examples
        full_gradient(
            e.axes, e.plain, e.rows.contexts, e.rows.count, e.unit, e.bias, self.entries[3],
            self.theta, self.strength, self.gradient, self.work[3],
        )  # fmt: skip

    def _reserve(self) -> None:
        e = self.examples
        self._weighed = False
        if self.entries.shape[1] < e.n_entries:
            self.entries = np.zeros((6, e.n_entries + max(64, e.rows.count)))
        if self.work.shape[1] < e.scratch_size:
            self.work = np.zeros((5, e.scratch_size))


def variance_of(rewards: Array, weights: Array) -> float:
    """The variance of rewards; by their square if they are all the same, 1 if all zero."""
    total = weights.sum()
    mean = float(weights @ rewards / total)
    variance = float(weights @ (rewards - mean) ** 2 / total)
    return max(variance, 1e-12 * mean**2) or 1.0

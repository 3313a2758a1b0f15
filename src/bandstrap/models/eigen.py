"""Refits in the eigenbasis of the contexts, where a pseudo-example is one coordinate.

Steps of plain gradient descent commute with a rotation: contexts and parameters are rotated, and
margins stay what they are.
"""

from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models.cost import unused
from bandstrap.models.features import Examples, as_numbers
from bandstrap.models.link import Link
from bandstrap.models.refit import RefitLearner
from bandstrap.one_thread import ONE_BLAS_THREAD
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.priors.pseudo_examples import WIDEST
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import ArrayOf, Grows, Maybe, Of, Schema, Whole, require

ROUNDING = 1e-9  # cosines of axes that are orthogonal


class RotatedExamples(NamedTuple):
    """What a refit sees: pseudo-examples along axes, other pseudo-examples, and contexts.

    Of the first, four lie on each coordinate: two at its length and two at its negative. `rewards`
    and `weights` are those of all three, in this order.
    """

    lengths: Array  # (axes,)
    pseudo: Array
    contexts: Array
    rewards: Array
    weights: Array


class Rotatable(Protocol):
    """A weighted model that is fit by plain gradient steps."""

    link: ClassVar[Link]
    precision: ClassVar[type[np.floating[Any]]]  # rotated contexts are kept in it

    def check_context(self, contexts: Array) -> None: ...

    def check_rewards(self, rewards: Array) -> None: ...

    def start(self, n_features: int, rng: Rng) -> Any:
        """The parameters before the first step."""

    def rotated(self, fit: Any, rotation: Array) -> Any:
        """The fit that makes of `contexts @ rotation` what `fit` makes of contexts."""

    def descend(self, examples: "RotatedExamples", start: Any, rng: Rng) -> Any:
        """A fit to the examples from `start`."""

    def margins(self, fit: Any, contexts: Array) -> Array:
        """The margin in each context, (n,)."""


class Eigenbasis:
    """Coordinates in which each axis of the pseudo-examples is a coordinate.

    `lengths` are those of the axes, and the columns of `matrix` their directions, followed by any
    that complete the basis; without a matrix the coordinates are the contexts' own. Axes that are
    not orthogonal, or do not make up all pseudo-examples, have neither.

    >>> from bandstrap.priors import EigenExamples
    >>> basis = Eigenbasis()
    >>> covariance = np.array([[5.0, 4.0], [4.0, 5.0]])
    >>> rotation = basis.follow(EigenExamples(covariance).start(Problem(2, n_features=2)))
    >>> basis.lengths.round(9).tolist()
    [3.0, 1.0]
    >>> np.abs(basis.rotated(np.array([1.0, 1.0]), np.float64)).round(2).tolist()
    [1.41, 0.0]
    """

    schema = Schema(
        matrix=Maybe(ArrayOf(np.float64, "features", "features", low=-2.0, high=2.0)),
        lengths=ArrayOf(np.float64, Grows("axes"), low=0.0, high=WIDEST),
        version=Whole(-1),
    )

    def __init__(self) -> None:
        self.matrix: Array | None = None
        self.lengths = np.zeros(0)
        self.version = -1  # of the pseudo-examples that it follows

    def rotated(self, contexts: Array, dtype: type[np.floating[Any]]) -> Array:
        """Contexts in these coordinates; the same array where they are the contexts' own."""
        return contexts if self.matrix is None else _turned(contexts, self.matrix, dtype)

    def follow(self, pseudo: PseudoExamples) -> Array | None:
        """Take over the axes of today; returns the rotation from the coordinates before, if any."""
        before = self.matrix
        self.matrix, self.lengths = _eigenbasis(pseudo)
        self.version = pseudo.version
        if before is None or self.matrix is None:
            return self.matrix if before is None else before.T
        with ONE_BLAS_THREAD:
            rotation: Array = before.T @ self.matrix
        return rotation


def _turned(contexts: Array, rotation: Array, dtype: type[np.floating[Any]]) -> Array:
    with ONE_BLAS_THREAD:
        turned: Array = as_numbers(contexts) @ rotation
    return turned.astype(dtype, copy=False)


def _eigenbasis(pseudo: PseudoExamples) -> tuple[Array | None, Array]:
    axes = pseudo.axes
    many, features = axes.shape
    complete = 4 * many == pseudo.count and np.array_equal(pseudo.contexts[::4], axes)
    if not complete or many > features:
        return None, np.zeros(0)
    lengths = np.sqrt((axes * axes).sum(axis=1))
    if many == 0 or (many == features and np.array_equal(axes, np.diag(lengths))):
        return None, lengths
    wide = lengths > 0  # the others are the origin, whatever their direction
    directions = (axes[wide] / lengths[wide, None]).T
    with ONE_BLAS_THREAD:
        cosines = directions.T @ directions
        if np.abs(cosines - np.eye(len(cosines))).max(initial=0.0) > ROUNDING:
            return None, np.zeros(0)
        rest = np.linalg.qr(directions, mode="complete")[0][:, directions.shape[1] :]
    matrix = np.empty((features, features))
    own = np.flatnonzero(wide)
    matrix[:, own] = directions
    matrix[:, np.setdiff1d(np.arange(features), own)] = rest
    return matrix, lengths


class EigenLearner(RefitLearner):
    """Refits as `RefitLearner` does, in the coordinates that pseudo-examples lie along.

    Rows and fits are kept in these coordinates.
    """

    formerly = RefitLearner  # of networks, in files: their coordinates are the contexts' own
    basis: Eigenbasis | None = None
    model: Rotatable  # type: ignore[assignment]
    schema = Schema(basis=Maybe(Of(Eigenbasis)))

    def __init__(
        self, model: Any, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        self.basis = Eigenbasis()
        super().__init__(model, problem, resampling, prior)

    def verify_saved(self) -> None:
        super().verify_saved()
        for rewards in (self.pseudo.rewards, *(rows.rewards for rows in self.rows)):
            self.model.check_rewards(rewards)
        basis, width = self.basis, self.pseudo.contexts.shape[1]
        if basis is not None:
            known = basis.matrix is None or len(basis.matrix) == width
            require(known and basis.lengths.size <= width, "a basis is of other contexts")
            axes = (0, self.pseudo.count) if basis.version == self.pseudo.version else None
            require(axes is None or 4 * basis.lengths.size in axes, "a basis is of other axes")

    @property
    def link(self) -> Link:  # type: ignore[override]
        return self.model.link

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.pseudo.see(context, reward)
        self.rows[arm].add(self._own(context), reward, weight)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        with ONE_BLAS_THREAD:  # once for all arms
            self._follow()
            return super().margins(self._own(contexts), rng)

    def _own(self, contexts: Array) -> Array:
        basis = self.basis
        return contexts if basis is None else basis.rotated(contexts, self.model.precision)

    def _follow(self) -> Eigenbasis:
        """Rotate everything if the axes have changed."""
        basis = self.basis = self.basis or Eigenbasis()
        if basis.version != self.pseudo.version:
            self.model.check_context(self.pseudo.contexts)
            rotation = basis.follow(self.pseudo)
            if rotation is not None:
                for rows in self.rows:
                    rows.replace(_turned(rows.contexts, rotation, self.model.precision))
                turn = self.model.rotated
                self.fits = [None if fit is None else turn(fit, rotation) for fit in self.fits]
        return basis

    def _fit_some(self, n: int) -> Any:
        basis, pseudo, rng = self._follow(), self.pseudo, unused()
        weights = rng.poisson(size=n) + 0.0
        along = basis.lengths.size > 0
        rest = np.zeros((0, pseudo.contexts.shape[1]))
        others = rest if along else pseudo.contexts[:n]
        lengths, rewards = basis.lengths[: n // 4], pseudo.rewards[:n]
        examples = RotatedExamples(lengths, others, rest, rewards, weights)
        return self.model.descend(examples, self._start(rng), rng)

    def _refit(self, rows: Examples, start: Any, rng: Rng) -> Any:
        basis = self._follow()
        rewards, weights = self._perturbed(rows, rng)
        start = self._start(rng) if start is None else start
        rest = self.pseudo.contexts[4 * basis.lengths.size :]
        examples = RotatedExamples(basis.lengths, rest, rows.contexts, rewards, weights)
        return self.model.descend(examples, start, rng)

    def _start(self, rng: Rng) -> Any:
        basis = self._follow()
        start = self.model.start(self.pseudo.contexts.shape[1], rng)
        return start if basis.matrix is None else self.model.rotated(start, basis.matrix)

    def _margin(self, fit: Any, contexts: Array) -> Array:
        return self.model.margins(fit, contexts)

"""The paper's pseudo-examples: one standard deviation each way along every axis of the contexts."""

from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from bandstrap.arrays import Array
from bandstrap.contexts import as_numbers
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import LARGEST
from bandstrap.priors.pseudo_examples import ExamplePrior, PseudoExamples, both_rewards
from bandstrap.problem import Problem
from bandstrap.storage.schema import ArrayOf, Fixed, Maybe, Real, Row, Schema, Whole, require

NOTHING = 1e-10  # an eigenvalue below this share of the largest is rounding
CONSTANT = 1e-22  # a variance below this share of the largest may be that of a constant, rounded
BLOCK = 256  # contexts that enter an estimate at once
MOST = 1e100  # sums of squares of contexts are less
DIGITS = 7  # of variances and correlations that name a matrix


def _told(covariance: Array) -> Array:
    """Some digits of the variances and correlations, which any processor finds alike."""
    variances = np.abs(covariance.diagonal())
    scale = np.sqrt(np.maximum(variances, CONSTANT * np.abs(covariance).max(initial=0.0)))
    scale[scale == 0] = 1.0
    correlations = np.round(covariance / scale[:, None] / scale, DIGITS)
    told = [float(f"{each:.{DIGITS}g}") for each in variances]
    joined: Array = np.vstack((told, correlations)) + 0.0  # no -0.0
    return joined


@dataclass(frozen=True, eq=False, repr=False)
class EigenExamples(ExamplePrior):
    """±λᵢvᵢ with the lowest and the highest reward, vᵢ the eigenvectors of contexts' covariance.

    λᵢ² is the eigenvalue of vᵢ, so that λᵢ is the contexts' standard deviation along it: 4d
    examples in d dimensions. Those of a direction in which contexts do not vary lie at 0, where
    they pull the intercept towards the middle of the rewards. Without a covariance it is estimated
    as contexts arrive, see `EstimatedExamples`.

    >>> EigenExamples(np.diag([4.0, 0.0])).start(Problem(3, n_features=2)).axes.tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """

    covariance: Array | None = None

    schema = Schema(covariance=Maybe(ArrayOf(np.float64, "features", "features", loose=True)))

    def __post_init__(self) -> None:
        if self.covariance is None:
            return
        given = np.array(self.covariance, dtype=np.float64)
        if given.ndim != 2 or given.shape[0] != given.shape[1]:
            raise InvalidInput("covariance", given.shape, "give a square matrix")
        if not np.isfinite(given).all() or not np.allclose(given, given.T):
            remedy = "give a symmetric matrix of finite numbers"
            raise InvalidInput("covariance", given.shape, remedy)
        most = float(np.abs(given).max(initial=0.0))
        if most > LARGEST**2:
            remedy = f"contexts are taken up to {LARGEST:g}; use another unit"
            raise InvalidInput("covariance", most, remedy)
        given.flags.writeable = False
        object.__setattr__(self, "covariance", given)

    def __repr__(self) -> str:
        """Short, and the same for the same matrix: it names what is computed from it.

        The last bits of a covariance depend on the processor. They do not count, or results that
        were kept on one machine would not be found on another.
        """
        if self.covariance is None:
            return "EigenExamples()"
        digest = sha256(_told(self.covariance).tobytes()).hexdigest()[:12]
        return f"EigenExamples(covariance={self.covariance.shape[0]}x{digest})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not EigenExamples:
            return NotImplemented
        one, two = self.covariance, other.covariance
        return one is two if one is None or two is None else np.array_equal(one, two)

    def __hash__(self) -> int:
        return hash(repr(self))

    def start(self, problem: Problem) -> PseudoExamples:
        if self.covariance is None:
            return EstimatedExamples(problem)
        if self.covariance.shape[0] != problem.n_features:
            remedy = f"contexts have {problem.n_features} features"
            raise InvalidInput("covariance", self.covariance.shape, remedy)
        return AxisExamples(problem, axes_of(self.covariance))


def axes_of(covariance: Array) -> Array:
    """λᵢvᵢ as rows, widest first."""
    try:
        wide = _wide_axes(covariance)
    except np.linalg.LinAlgError as error:
        remedy = "its eigenvalues cannot be computed; use another unit"
        raise InvalidInput("covariance", covariance.shape, remedy) from error
    axes = np.zeros(covariance.shape)
    axes[: len(wide)] = wide
    return axes


def _wide_axes(covariance: Array) -> Array:
    """Those that have a width."""
    values, vectors = np.linalg.eigh(covariance)
    if values[0] < -1e-6 * abs(values[-1]):
        raise InvalidInput("covariance", float(values[0]), "no eigenvalue may be negative")
    wide = values > NOTHING * max(values[-1], 0.0)
    axes: Array = (vectors[:, wide] * np.sqrt(values[wide])).T[::-1]
    variances = np.diagonal(covariance)
    vary = variances > CONSTANT * variances.max(initial=0.0)
    if (variances[vary] < NOTHING * values[-1]).any():  # columns that would be taken for rounding
        axes = _graded_axes(covariance, vary)
    return axes


def _graded_axes(covariance: Array, vary: Array) -> Array:
    """The same where sizes of columns differ so much that the small ones look like rounding.

    Correlations, which do not depend on sizes, show what is rounding.
    """
    sizes = np.sqrt(np.diagonal(covariance)[vary])
    values, vectors = np.linalg.eigh(covariance[np.ix_(vary, vary)] / np.outer(sizes, sizes))
    wide = values > NOTHING * values[-1]
    root = np.zeros((len(covariance), int(wide.sum())))
    root[vary] = sizes[:, None] * vectors[:, wide] * np.sqrt(values[wide])
    left, lengths, _ = np.linalg.svd(root, full_matrices=False)
    axes: Array = (left * lengths).T
    return axes


class AxisExamples(PseudoExamples):
    """Pseudo-examples at both ends of some axes, with both rewards at each."""

    schema = Schema(ends=Fixed(Row(Real(), Real())))

    def verify_saved(self) -> None:
        super().verify_saved()
        require(self.count == 4 * len(self.axes), "an axis has four examples")

    def __init__(self, problem: Problem, axes: Array) -> None:
        self.ends = both_rewards(problem)
        super().__init__(*self._examples(axes), axes)

    def _examples(self, axes: Array) -> tuple[Array, Array]:
        signs = np.array([1.0, 1.0, -1.0, -1.0])
        contexts = (signs[:, None] * axes[:, None, :]).reshape(-1, axes.shape[1])
        return contexts, np.tile(np.array(self.ends), 2 * axes.shape[0])


class EstimatedExamples(AxisExamples):
    """Axes estimated from the contexts seen so far, anew whenever these have doubled in number.

    Fewer than 2d contexts say little about d directions. Until then the columns are the directions,
    each as wide as it was seen to be, or as the median column if it has not varied yet. Before the
    first context the width is 1, that of standardised features.
    """

    schema = Schema(
        seen=Whole(),
        shift=ArrayOf(np.float64, "features", low=-LARGEST, high=LARGEST),
        total=ArrayOf(np.float64, "features", low=-MOST, high=MOST),
        products=ArrayOf(np.float64, "features", "features", low=-MOST, high=MOST),
        block=ArrayOf(np.float64, BLOCK, "features", low=-2 * LARGEST, high=2 * LARGEST),
        pending=Whole(0, BLOCK - 1),
    )

    def verify_saved(self) -> None:
        super().verify_saved()
        require(self.pending <= self.seen, "more contexts are pending than were seen")

    def __init__(self, problem: Problem) -> None:
        d = problem.n_features
        super().__init__(problem, np.eye(d))
        self.seen = 0
        self.shift = np.zeros(d)  # the first context; sums relative to it do not cancel
        self.total = np.zeros(d)
        self.products = np.zeros((d, d))
        self.block = np.zeros((BLOCK, d))
        self.pending = 0  # rows of the block not yet in the sums

    def see(self, context: Array, reward: float) -> None:
        numbers = as_numbers(context)
        if self.seen == 0:
            self.shift = numbers.astype(np.float64)
        self.block[self.pending] = numbers - self.shift
        self.pending += 1
        self.seen += 1
        doubled = self.seen > 1 and self.seen & (self.seen - 1) == 0
        if doubled or self.pending == BLOCK:
            rows = self.block[: self.pending]
            self.total += rows.sum(axis=0)
            self.products += rows.T @ rows
            self.pending = 0
        if doubled:
            self.axes = self._estimated()
            self.contexts, self.rewards = self._examples(self.axes)
            self.version += 1

    def _estimated(self) -> Array:
        d = self.total.size
        mean = self.total / self.seen
        covariance = (self.products - self.seen * np.outer(mean, mean)) / (self.seen - 1)
        if self.seen >= 2 * d:
            return axes_of(covariance)
        variances = np.maximum(np.diagonal(covariance), 0.0)
        if not variances.any():
            return self.axes
        usual = np.median(variances[variances > 0])
        return np.diag(np.sqrt(np.where(variances > 0, variances, usual)))

"""Factors of Hessians that may be nearly singular or scaled by many orders of magnitude.

With fewer examples than features, or columns that are far from 0 for how little they vary, the
flattest direction of an objective depends on the penalty alone or on differences of large numbers.
Squares of contexts lose it, and a step along it is then as long as rounding makes it. There
`qr_factor` factors the contexts themselves, in the span of the examples.
"""

import warnings
from math import inf
from typing import NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput

FIRST_RIDGE = 1e-13
LAST_RIDGE = 1.0
SAME = 1e-10  # examples that differ by less, relatively, are the same
ALIKE = 1e-7  # a direction that differs by less from others adds nothing
LOST = 1e-12  # a column whose own share is below this cannot be told from rounding


def inverse_factor(matrix: Array) -> Array:
    """A lower triangular G with GᵀG the inverse of a positive semi-definite matrix.

    The matrix is scaled to a unit diagonal first. Where rounding leaves it no factor, the diagonal
    grows a little: as a preconditioner G stays good.

    >>> g = inverse_factor(np.array([[4.0, 2.0], [2.0, 3.0]]))
    >>> np.round(g.T @ g, 3).tolist()
    [[0.375, -0.25], [-0.25, 0.5]]
    """
    from scipy.linalg import lapack  # here: it takes longer to import than everything else

    diagonal = np.diagonal(matrix)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled = matrix * scale[:, None] * scale[None, :]
    ridge = 0.0
    while True:
        scaled.flat[:: len(scaled) + 1] = 1.0 + ridge
        lower, failed = lapack.dpotrf(scaled, lower=1, clean=1)
        if not failed and np.diagonal(lower).min() > 1e-9:
            inverse, failed = lapack.dtrtri(lower, lower=1)
            if not failed and np.isfinite(inverse).all():
                return np.ascontiguousarray(inverse * scale[None, :])
        ridge = max(10 * ridge, FIRST_RIDGE)
        if ridge > LAST_RIDGE:
            raise no_factor()


def least_own(matrix: Array, factor: Array) -> float:
    """The least share of a column, as a length, that columns before it leave unexplained.

    Squared it is what rounding is divided by, in the inverse that the factor makes.
    """
    most = float((np.abs(np.diagonal(factor)) * np.sqrt(np.diagonal(matrix))).max())
    return 1.0 / most if most != 0.0 else inf


class Span(NamedTuple):
    """Where parameters of an optimum lie: they are combinations of examples' differences.

    A free intercept makes the residuals add up to zero, so that it is differences from any one
    example which count; without one it is the examples themselves, and the centre is 0.
    """

    basis: Array  # (features, k), orthonormal
    centre: Array  # (features,)

    def project(self, theta: Array) -> Array:
        """The nearest parameters in the span, of the same margin at its centre."""
        inside = self.basis @ (self.basis.T @ theta[:-1])
        return np.append(inside, theta[-1] + self.centre @ (theta[:-1] - inside))


def span_of(contexts: Array, intercept: bool) -> Span:
    """The span of examples (n, features), whatever the sizes of columns and rows.

    >>> abs(span_of(np.array([[1.0, 5.0], [3.0, 5.0]]), True).basis.ravel()).tolist()
    [1.0, 0.0]
    """
    from scipy.linalg import qr  # here: it takes longer to import than everything else

    centre = np.zeros(contexts.shape[1])
    if intercept:
        sizes = np.abs(contexts).max(axis=0)
        scaled = contexts / np.where(sizes > 0, sizes, 1.0)
        centre = contexts[np.square(scaled).sum(axis=1).argmin()]
    away = contexts - centre
    large = np.maximum(np.abs(contexts), np.abs(centre))
    away = away[(np.abs(away) > SAME * large).any(axis=1)]
    if len(away) == 0:
        return Span(np.zeros((contexts.shape[1], 0)), centre)
    sizes = np.abs(away).max(axis=0)
    scaled = away / np.where(sizes > 0, sizes, 1.0)
    scaled /= np.linalg.norm(scaled, axis=1)[:, None]
    triangle, order = qr(scaled.T, mode="r", pivoting=True, check_finite=False)
    independent = order[: int((np.abs(np.diagonal(triangle)) > ALIKE).sum())]
    # Householder's steps keep small columns exact if large ones come first, and pivots choose.
    falling = np.argsort(-sizes, kind="stable")
    chosen = away[independent] / np.linalg.norm(away[independent], axis=1)[:, None]
    basis = np.empty((contexts.shape[1], len(independent)))
    tall = chosen[:, falling].T
    basis[falling] = qr(tall, mode="economic", pivoting=True, check_finite=False)[0]
    return Span(basis * np.where(basis.sum(axis=0) < 0, -1.0, 1.0), centre)


def qr_factor(
    contexts: Array, bends: Array, strength: float, bias: float, span: Span | None
) -> tuple[Array, bool]:
    """G with GᵀG the inverse of Σ bendᵢ xᵢxᵢᵀ and the penalty; and whether rounding has spoilt it.

    The intercept is last.
    Lower triangular; in a span (k + 1, features + 1) and dense, and GᵀG leads nowhere else.
    """
    from scipy.linalg import lapack

    inside = contexts if span is None else (contexts - span.centre) @ span.basis
    n, k = inside.shape
    roots = np.sqrt(bends)
    tall = np.zeros((n + k + 1, k + 1), order="F")
    tall[:n, :k] = roots[:, None] * inside
    tall[:n, k] = bias * roots
    np.fill_diagonal(tall[n : n + k, :k], np.sqrt(strength))
    tall[-1, k] = 1.0 - bias  # an intercept that is not there stays where it is
    sizes = np.sqrt(np.einsum("ij,ij->j", tall, tall))
    tall /= sizes
    triangle = lapack.dgeqrf(tall, overwrite_a=1)[0][: k + 1]
    inverse, failed = lapack.dtrtri(np.triu(triangle))
    if failed or not np.isfinite(inverse).all():
        raise no_factor()
    factor = np.ascontiguousarray((inverse / sizes[:, None]).T)
    if span is None:
        return factor, bool(np.abs(np.diagonal(triangle)).min() < LOST)
    moved = np.zeros((k + 1, contexts.shape[1] + 1))
    moved[:k, :-1] = span.basis.T
    moved[:k, -1] = -(span.centre @ span.basis)
    moved[k, -1] = 1.0
    return factor @ moved, False


def no_factor() -> InvalidInput:
    """The error if numbers are too large or too small for a Hessian to have a factor."""
    remedy = "they lead to a Hessian that is not finite; use another unit"
    return InvalidInput("contexts", "too large or too small", remedy)


def warn_of_rounding(model: str) -> None:
    """Warn that columns are too nearly the same to compute with."""
    warnings.warn(
        "columns of contexts are far from 0 for how little they vary, or nearly the same, or of "
        f"sizes unknown to the prior: {model} may be wrong; standardise "
        "columns, subtract typical values, or use EigenExamples()",
        RuntimeWarning,
        stacklevel=3,
    )

"""Factors of Hessians that may be nearly singular or scaled by many orders of magnitude."""

import warnings
from math import inf

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput

FIRST_RIDGE = 1e-13
LAST_RIDGE = 1.0


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


def no_factor() -> InvalidInput:
    """The error where numbers are too large, or too small, for a Hessian to have a factor."""
    remedy = "they lead to a Hessian that is not finite; use another unit"
    return InvalidInput("contexts", "too large or too small", remedy)


def warn_of_rounding(model: str) -> None:
    """Say that columns are too nearly the same for what is made from them."""
    warnings.warn(
        "columns of contexts are far from 0 for how little they vary, or nearly the same, or of "
        f"sizes that the prior knows nothing of: what {model} says may be wrong; standardise "
        "columns, subtract typical values, or use EigenExamples()",
        RuntimeWarning,
        stacklevel=3,
    )

"""Factors of Hessians that rounding would spoil: by orthogonal steps, in the span of the examples.

With fewer examples than features, or columns that are far from 0 for how little they vary, the
flattest direction of an objective is told by the penalty alone or by differences of large numbers.
Squares of contexts lose it, and a step along it is then as long as rounding makes it.
"""

from typing import NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.models.convex.factor import no_factor

SAME = 1e-10  # examples that differ by less, relative to their numbers, are the same
ALIKE = 1e-7  # a direction that differs less from others is theirs
LOST = 1e-12  # share of a column that is its own, below which nothing can tell it from rounding


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


def careful_factor(
    contexts: Array, bends: Array, strength: float, bias: float, span: Span | None
) -> tuple[Array, bool]:
    """G with GᵀG the inverse of Σ bendᵢ xᵢxᵢᵀ and the penalty, the intercept last; if it is lost.

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

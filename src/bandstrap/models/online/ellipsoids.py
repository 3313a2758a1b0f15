"""Linear and logistic models of every arm, by their estimates and the ellipsoids around them."""

from collections.abc import Callable

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.kernels.convex.ridge import add_row, learn_linear, learn_logistic, look, solve
from bandstrap.models.features import as_numbers
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import ArrayOf, Fixed, Real, Schema, require

TINY = 5e-324  # the least number above 0
UNIT = 1e-6  # how far rounding may take a diagonal from 1


class Ellipsoids:
    """θ and A⁻¹ of every arm in one run, A = penalty I + Σ w x xᵀ; the last feature is constant.

    `log_dets` holds log det(A / penalty). A decision and an update each cost O(d²) per arm they
    touch, less where contexts have zeros.
    """

    schema = Schema(
        factors=ArrayOf(np.float64, "arms", "packed"),
        diagonals=ArrayOf(np.float64, "arms", "parameters", low=TINY),
        centres=ArrayOf(np.float64, "arms", "parameters"),
        log_dets=ArrayOf(np.float64, "arms", low=-1.0),
        counts=ArrayOf(np.float64, "arms", low=0.0),
        penalty=Fixed(Real(low=0.0)),
        _context=ArrayOf(np.float64, "parameters"),
        _scratch=ArrayOf(np.float64, 4, "parameters", finite=False),
    )

    def verify_saved(self) -> None:
        size = self.size
        require(self.factors.shape[1] == size * (size + 1) // 2, "factors are not triangles")
        corners = self.factors[:, corners_of(size)]
        require((abs(corners - 1.0) <= UNIT).all(), "factors have other diagonals than 1")
        require(self._context[-1] == 1.0, "the constant is not 1")

    def __init__(self, n_arms: int, n_features: int, penalty: float) -> None:
        size = n_features + 1
        self.factors = np.zeros((n_arms, size * (size + 1) // 2))
        self.factors[:, corners_of(size)] = 1.0
        self.diagonals = np.full((n_arms, size), 1.0 / penalty)
        self.centres = np.zeros((n_arms, size))
        self.log_dets = np.zeros(n_arms)
        self.counts = np.zeros(n_arms)
        self.penalty = penalty
        self._context = np.ones(size)
        self._scratch = np.zeros((4, size))

    @property
    def size(self) -> int:
        """Parameters of one arm."""
        return self._context.size

    def look(self, context: Array) -> tuple[Array, Array]:
        """Every arm's mean xᵀθ and squared width xᵀA⁻¹x."""
        means, squares = np.empty(self.counts.size), np.empty(self.counts.size)
        x = self._with_constant(context)
        look(self.factors, self.diagonals, self.centres, x, self._scratch[0], means, squares)
        return means, squares

    def means(self, context: Array) -> Array:
        """Every arm's mean alone, which costs less than `look`."""
        means: Array = self.centres @ self._with_constant(context)
        return means

    def learn_linear(self, context: Array, arm: int, reward: float, weight: float = 1.0) -> None:
        """Least squares: θ stays the ridge estimate."""
        self._learn(learn_linear, context, arm, reward, weight)

    def learn_logistic(self, context: Array, arm: int, reward: float, weight: float = 1.0) -> None:
        """Logistic regression; earlier rewards are summarised by a Gaussian."""
        self._learn(learn_logistic, context, arm, reward, weight)

    def add(self, context: Array, arm: int, weight: float) -> tuple[Array, Array]:
        """A gains weight x xᵀ and θ stays; returns x, the constant last, and A⁻¹x of the new A."""
        x = self._with_constant(context)
        growth = add_row(self.factors[arm], self.diagonals[arm], x, self._scratch, weight)
        self._grow(arm, growth, weight)
        return x, self._scratch[3].copy()

    def solve(self, arm: int, vector: Array) -> Array:
        """A⁻¹ times a vector (parameters,)."""
        out = np.empty(self.size)
        solve(self.factors[arm], self.diagonals[arm], vector, self._scratch[0], out)
        return out

    def set_matrix(self, arm: int, matrix: Array) -> None:
        """Let an arm's A be this one; θ stays."""
        self._set_root(arm, np.linalg.cholesky(matrix).T)

    def inverse(self, arm: int) -> Array:
        """A⁻¹ itself, (parameters, parameters)."""
        upper = self._upper(arm)
        inverse: Array = (upper * self.diagonals[arm]) @ upper.T
        return inverse

    def remap_arms(self, fresh: "Ellipsoids", before: ArmMap) -> None:
        """Go on with other arms; new ones are as in `fresh`."""
        for name in ("factors", "diagonals", "centres", "log_dets", "counts"):
            setattr(self, name, remapped(getattr(self, name), getattr(fresh, name), before))

    def discount(self, factor: float, *followers: Array) -> None:
        """A becomes factor (A - penalty I) + penalty I, and θ the estimate that goes with it.

        So do `followers`, (arms, n, parameters) each: other estimates from the same contexts.
        """
        try:
            for arm in np.flatnonzero(self.counts > 0):
                self._discount_arm(int(arm), factor, [each[arm] for each in followers])
        except np.linalg.LinAlgError as error:
            remedy = "their scales differ too much for discounting; use another unit"
            raise InvalidInput("contexts", "too large", remedy) from error
        self.counts *= factor

    def _discount_arm(self, arm: int, factor: float, followers: list[Array]) -> None:
        # A = WᵀW, by triangles alone: forming A would lose the precision of the factors.
        root = np.linalg.inv(self._upper(arm)) / np.sqrt(self.diagonals[arm])[:, None]
        prior = np.sqrt((1 - factor) * self.penalty) * np.eye(self.size)
        new = np.linalg.qr(np.concatenate([np.sqrt(factor) * root, prior]), mode="r")
        inverse = self._set_root(arm, np.asarray(new))
        for estimate in (self.centres[arm], *(row for rows in followers for row in rows)):
            pull = factor * (root.T @ (root @ estimate))
            estimate[:] = inverse @ (inverse.T @ pull)

    def _upper(self, arm: int) -> Array:
        """U, where A⁻¹ = U D Uᵀ."""
        upper = np.zeros((self.size, self.size))
        upper[np.triu_indices(self.size)] = self.factors[arm]
        return upper

    def _set_root(self, arm: int, root: Array) -> Array:
        """A = WᵀW with this upper triangle W; returns its inverse."""
        inverse, edge = np.linalg.inv(root), np.diagonal(root)
        self.factors[arm] = (inverse * edge)[np.triu_indices(self.size)]
        self.diagonals[arm] = edge**-2.0
        self.log_dets[arm] = 2 * np.log(np.abs(edge)).sum() - self.size * np.log(self.penalty)
        return inverse

    def _learn(
        self, learn: Callable[..., float], context: Array, arm: int, reward: float, weight: float
    ) -> None:
        own = self.factors[arm], self.diagonals[arm], self.centres[arm]
        growth = learn(*own, self._with_constant(context), reward, self._scratch, weight)
        self._grow(arm, growth, weight)

    def _grow(self, arm: int, growth: float, weight: float) -> None:
        self.log_dets[arm] += np.log(growth)
        self.counts[arm] += weight

    def _with_constant(self, context: Array) -> Array:
        self._context[:-1] = as_numbers(context)
        return self._context


def corners_of(size: int) -> Array:
    """The positions of the diagonal in a triangle stored row by row."""
    lengths = np.arange(size, 0, -1)
    corners: Array = np.cumsum(lengths) - lengths
    return corners

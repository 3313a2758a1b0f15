"""Every arm's linear or logistic model: its estimate and a confidence ellipsoid around it."""

from typing import Protocol

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.kernels.convex.ridge import learn_linear, learn_logistic, look
from bandstrap.models.features import as_numbers
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import ArrayOf, Fixed, Real, Schema, require

TINY = 5e-324  # the least number above 0
UNIT = 1e-6  # how far rounding may take a diagonal from 1


class LearnKernel(Protocol):
    def __call__(
        self,
        factor: Array,
        diagonal: Array,
        centre: Array,
        x: Array,
        reward: float,
        scratch: Array,
        weight: float,
        /,
    ) -> float: ...


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

    def learn_linear(self, context: Array, arm: int, reward: float, weight: float = 1.0) -> None:
        """Least squares: θ stays the ridge estimate."""
        self._learn(learn_linear, context, arm, reward, weight)

    def learn_logistic(self, context: Array, arm: int, reward: float, weight: float = 1.0) -> None:
        """Logistic regression; earlier rewards are summarised by a Gaussian."""
        self._learn(learn_logistic, context, arm, reward, weight)

    def remap_arms(self, fresh: "Ellipsoids", before: ArmMap) -> None:
        """Go on with other arms; new ones are as in `fresh`."""
        for name in ("factors", "diagonals", "centres", "log_dets", "counts"):
            setattr(self, name, remapped(getattr(self, name), getattr(fresh, name), before))

    def discount(self, factor: float) -> None:
        """A becomes factor (A - penalty I) + penalty I, and θ the estimate that goes with it."""
        try:
            for arm in np.flatnonzero(self.counts > 0):
                self._discount_arm(int(arm), factor)
        except np.linalg.LinAlgError as error:
            remedy = "their scales differ too much for discounting; use another unit"
            raise InvalidInput("contexts", "too large", remedy) from error
        self.counts *= factor

    def _discount_arm(self, arm: int, factor: float) -> None:
        # A = WᵀW, by triangles alone: forming A would lose the precision of the factors.
        upper = np.zeros((self.size, self.size))
        places = np.triu_indices(self.size)
        upper[places] = self.factors[arm]
        root = np.linalg.inv(upper) / np.sqrt(self.diagonals[arm])[:, None]
        prior = np.sqrt((1 - factor) * self.penalty) * np.eye(self.size)
        new = np.linalg.qr(np.concatenate([np.sqrt(factor) * root, prior]), mode="r")
        inverse, edge = np.linalg.inv(new), np.diagonal(new)
        pull = factor * (root.T @ (root @ self.centres[arm]))
        self.centres[arm] = inverse @ (inverse.T @ pull)
        self.factors[arm] = (inverse * edge)[places]
        self.diagonals[arm] = edge**-2.0
        self.log_dets[arm] = 2 * np.log(np.abs(edge)).sum() - self.size * np.log(self.penalty)

    def _learn(
        self, learn: LearnKernel, context: Array, arm: int, reward: float, weight: float
    ) -> None:
        growth = learn(
            self.factors[arm],
            self.diagonals[arm],
            self.centres[arm],
            self._with_constant(context),
            reward,
            self._scratch,
            weight,
        )
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

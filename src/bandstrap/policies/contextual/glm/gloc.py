"""GLOC: an online learner's predictions become a confidence set (Jun et al., 2017)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models import Learner
from bandstrap.models.checks import check_unit_support
from bandstrap.models.link import sigmoid
from bandstrap.policies.contextual.ellipsoids import EllipsoidLearner
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import ArrayOf, Fixed, Of, Real, Schema, require
from bandstrap.validation import require_positive, require_share

MOST = 100  # steps to the nearest parameters within a ball
SOLVED = 1e-13  # relatively, how much longer than its radius they may be before they are scaled
TINY = 1e-100  # the least variance of a parameter
OUTSIDE = 1e-9  # how far rounding may take parameters out of their ball, relatively


class Radius(ABC):
    """How far above its centre to look, in widths of a confidence set."""

    @abstractmethod
    def radii(self, learner: "GLOCLearner") -> Array:
        """One radius for each arm."""


@dataclass(frozen=True)
class FixedRadius(Radius):
    """The same number always.

    >>> FixedRadius(0.5).alpha
    0.5
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        require_positive(alpha=self.alpha)

    def radii(self, learner: "GLOCLearner") -> Array:
        return np.full(learner.problem.n_arms, self.alpha)


@dataclass(frozen=True)
class OnlineToConfidence(Radius):
    """The radius that follows from the online learner's regret: wide, for comparison.

    √(a + penalty norm² - s), a = 1 + 4 B / κ + 8 (noise / κ)² log((2 K / delta) √(1 + 2 B / κ +
    4 (noise / κ)⁴ (K / delta)²)): B bounds the learner's regret so far, κ is `GLOC.flattest`, and s
    the least of what the predictions leave unexplained. `noise` is the sub-Gaussian scale of
    rewards. K, which is ours, lets the sets of K arms hold all at once: theirs has one θ.

    >>> OnlineToConfidence(delta=0.05).noise
    0.5
    """

    delta: float = 0.1
    noise: float = 0.5

    def __post_init__(self) -> None:
        require_share(delta=self.delta)
        require_positive(noise=self.noise)

    def radii(self, learner: "GLOCLearner") -> Array:
        each = learner.problem.n_arms / self.delta
        regret, ratio = learner.regrets / learner.flattest, self.noise / learner.flattest
        root = np.sqrt(1 + 2 * regret + 4 * ratio**4 * each**2)
        square = 1 + 4 * regret + 8 * ratio**2 * np.log(2 * each * root)
        square += learner.arms.penalty * learner.norm**2 - learner.surpluses
        return np.sqrt(np.maximum(square, 0.0))


class GLOCLearner(EllipsoidLearner):
    """For each arm a least-squares fit to what an online Newton step predicted, in `arms`.

    `steps` has the parameters of that online learner, `regrets` the bound B on its regret, and
    `surpluses` the least of Σ (z - x·θ)² + penalty ‖θ‖² over its predictions z.
    """

    schema = Schema(
        radius=Fixed(Of(Radius)),
        norm=Fixed(Real(low=0.0)),
        flattest=Fixed(Real(low=0.0)),
        steps=ArrayOf(np.float64, "arms", "parameters"),
        regrets=ArrayOf(np.float64, "arms", low=0.0),
        surpluses=ArrayOf(np.float64, "arms", low=0.0),
    )

    def verify_saved(self) -> None:
        lengths = np.sqrt(np.square(self.steps).sum(axis=1))
        require((lengths <= self.norm * (1 + OUTSIDE)).all(), "parameters are out of their ball")

    def verify_problem(self, problem: Problem) -> None:
        super().verify_problem(problem)
        require(self.steps.shape == self.arms.centres.shape, "parameters are of another problem")

    def __init__(
        self, problem: Problem, radius: Radius, norm: float, flattest: float, penalty: float
    ) -> None:
        super().__init__(problem, penalty)
        self.radius = radius
        self.norm = norm
        self.flattest = flattest
        self.steps = np.zeros(self.arms.centres.shape)
        self.regrets = np.full(problem.n_arms, 2 * flattest * norm**2 * penalty)
        self.surpluses = np.zeros(problem.n_arms)

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        x, solved = self.arms.add(context, arm, weight)
        step, centre = self.steps[arm], self.arms.centres[arm]
        predicted = x @ step
        surprise = predicted - x @ centre
        slope = weight * (float(sigmoid(predicted)) - reward)
        square = float(x @ solved)  # weight x'A⁻¹x is below 1, rounding apart
        self.regrets[arm] += slope**2 * square / (2 * self.flattest)
        self.surpluses[arm] += weight * surprise**2 * max(0.0, 1 - weight * square)
        centre += weight * surprise * solved
        step -= slope / self.flattest * solved
        if np.linalg.norm(step) > self.norm:
            step[:] = nearest_within(self.norm, step, self.arms.inverse(arm))

    def discount(self, factor: float) -> None:
        self.arms.discount(factor, self.steps[:, None])
        prior = 2 * self.flattest * self.norm**2 * self.arms.penalty
        self.regrets += (1 - factor) * (prior - self.regrets)
        self.surpluses *= factor

    def remap_arms(self, fresh: "GLOCLearner", before: ArmMap) -> None:  # type: ignore[override]
        super().remap_arms(fresh, before)
        for name in ("steps", "regrets", "surpluses"):
            setattr(self, name, remapped(getattr(self, name), getattr(fresh, name), before))

    def _scores(self, means: Array, widths: Array) -> tuple[Array, Array | None]:
        return np.asarray(means + self.radius.radii(self) * widths), None


def nearest_within(norm: float, theta: Array, inverse: Array) -> Array:
    """The θ' of length `norm` with the least (θ' - θ)ᵀA(θ' - θ), for a θ that is longer.

    It is (I + m A⁻¹)⁻¹θ for the m that gives it this length; A is known by its inverse.

    >>> nearest_within(1.0, np.array([3.0, 4.0]), np.eye(2)).round(9).tolist()
    [0.6, 0.8]
    """
    values, axes = np.linalg.eigh(inverse)
    values = np.maximum(values, TINY)  # rounding may leave less
    along, shift = axes.T @ theta, 0.0
    for _ in range(MOST):
        scale = 1 + shift * values
        within = along / scale
        length = np.linalg.norm(within)
        if length <= norm * (1 + SOLVED):
            break
        # Newton's method on 1 / length, which is concave in m: it comes from below and stays there.
        shift += (length / norm - 1) * length**2 / (within**2 @ (values / scale))
    nearest = axes @ within
    return np.asarray(nearest * min(1.0, norm / np.linalg.norm(nearest)))


@dataclass(frozen=True)
class GLOC(LearnerPolicy):
    """Logistic regression for each arm by online Newton steps, at a cost that does not grow.

    A step's parameters stay within the ball of radius `norm`; each prediction, made before its
    reward is known, becomes the target of a least-squares fit, which is the centre of a confidence
    set. An arm is worth its centre's margin plus radius √(xᵀV⁻¹x), V = penalty I + Σ x xᵀ, which
    the steps use too. `flattest`, their κ, is the least slope of the sigmoid within reach; None: at
    the margin `norm`, right for contexts of length 1 at most. `OnlineToConfidence` is the radius of
    their theorem; a fixed one, the default, is ours. Steps that leave the ball cost O(d³), others
    O(d²). Scores are margins, not probabilities.

    >>> from bandstrap.problem import Problem
    >>> policy, rng = GLOC(), np.random.default_rng(0)
    >>> state = policy.start(Problem(n_arms=2, n_features=1))
    >>> for _ in range(200):
    ...     x = rng.choice([-1.0, 1.0], (1, 1))
    ...     arm = policy.select(state, x, rng)
    ...     policy.update(state, x, arm, (x[:, 0] > 0) == arm)
    >>> int(policy.select(state, np.array([[1.0]]), rng)[0])
    1
    """

    radius: Radius = field(default_factory=FixedRadius)
    norm: float = 1.0
    flattest: float | None = None
    penalty: float = 1.0

    def __post_init__(self) -> None:
        require_positive(norm=self.norm, flattest=self.flattest, penalty=self.penalty)

    def _learner(self, problem: Problem) -> Learner:
        check_unit_support(problem.support, self)
        mean = float(sigmoid(np.asarray(self.norm)))
        flattest = mean * (1 - mean) if self.flattest is None else self.flattest
        return GLOCLearner(problem, self.radius, self.norm, flattest, self.penalty)

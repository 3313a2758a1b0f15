"""Models whose weighted objective is convex: they can be solved, to a stated tolerance."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bandstrap.checks import require_positive
from bandstrap.errors import InvalidInput
from bandstrap.models.base import Learner, WeightedModel
from bandstrap.models.convex_arm import ConvexArm
from bandstrap.models.features import Rows, as_numbers
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling


@dataclass(frozen=True)
class ConvexModel(WeightedModel[np.ndarray]):
    """Σ wᵢ loss(xᵢ·θ, yᵢ) + ½ penalty n ‖θ‖², solved for each arm by itself.

    * `penalty` is per example: n counts them, pseudo-examples too. The intercept is free.
    * `tolerance`: the objective per unit of weight is this near to its optimum; for squared loss
      in units of the rewards' variance. Every draw takes at least one step from the unweighted
      fit, however large the tolerance.
    * `intercept`: whether there is one.

    A fit is an array (features + 1,) whose last entry is the intercept.
    """

    penalty: float = 1e-4
    tolerance: float = 1e-3
    intercept: bool = True

    loss: ClassVar[int]
    takes_noise: ClassVar[bool] = False  # whether noise may be added to rewards

    def __post_init__(self) -> None:
        require_positive(penalty=self.penalty, tolerance=self.tolerance)

    @abstractmethod
    def check_rewards(self, rewards: np.ndarray) -> None:
        """Refuse rewards that the loss has no meaning for."""

    def check_reward(self, reward: float) -> None:
        self.check_rewards(np.array([reward]))

    def check_scheme(self, resampling: Resampling) -> None:
        """Refuse a scheme whose rewards the loss has no meaning for."""
        if resampling.noise > 0 and not self.takes_noise:
            name = type(self).__name__
            remedy = f"{name} takes no noise on rewards: use LinearRegression, or random weights"
            raise InvalidInput("resampling", resampling, remedy)

    @abstractmethod
    def expected(self, margins: np.ndarray) -> np.ndarray:
        """Expected rewards at margins."""

    def fit(
        self,
        contexts: np.ndarray,
        rewards: np.ndarray,
        weights: np.ndarray,
        start: np.ndarray | None,
        rng: np.random.Generator,
    ) -> np.ndarray:
        contexts = checked_contexts(contexts)
        rewards = np.array(rewards, dtype=np.float64)
        weights = _checked_weights(weights, len(rewards))
        self.check_rewards(rewards)
        rows = Rows.of(contexts, rewards)
        draw = ConvexArm(self.loss, rows, self.intercept, self.penalty).draw
        draw.set_weights(rewards, weights)
        if start is not None:
            draw.theta[:] = start
        draw.settle(self.tolerance)
        return draw.theta

    def predict(self, fit: np.ndarray, contexts: np.ndarray) -> np.ndarray:
        contexts = as_numbers(checked_contexts(contexts))
        return self.expected(contexts @ fit[:-1] + fit[-1])

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        from bandstrap.models.convex_learner import ConvexLearner  # it needs this module

        return ConvexLearner(self, problem, resampling, prior)


def checked_contexts(contexts: Any) -> np.ndarray:
    """Contexts as a dense array of a type that models compute with; scipy.sparse is expanded."""
    dense = np.ascontiguousarray(contexts.toarray() if hasattr(contexts, "toarray") else contexts)
    if dense.dtype not in (np.uint8, np.float32, np.float64):
        dense = dense.astype(np.float64)
    if dense.ndim != 2:
        raise InvalidInput("contexts", dense.shape, "give an array (examples, features)")
    if not np.isfinite(dense).all():
        raise InvalidInput("contexts", "NaN or infinity", "fill in what is not a finite number")
    return dense


def _checked_weights(weights: np.ndarray, count: int) -> np.ndarray:
    weights = np.array(weights, dtype=np.float64)
    if weights.shape != (count,):
        raise InvalidInput("weights", weights.shape, f"give one for each example: ({count},)")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
        raise InvalidInput("weights", weights.min(initial=0.0), "give weights >= 0, some positive")
    return weights

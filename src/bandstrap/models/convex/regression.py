"""Linear and logistic regression: convex, so solved to a stated tolerance."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.codes import LINEAR, LOGISTIC
from bandstrap.models import checks
from bandstrap.models.base import Learner
from bandstrap.models.convex.draw import ConvexDraw
from bandstrap.models.convex.examples import ConvexExamples
from bandstrap.models.features import Examples, as_numbers
from bandstrap.models.link import IDENTITY, SIGMOID, Link
from bandstrap.models.refit import WeightedModel
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling
from bandstrap.validation import require_positive


@dataclass(frozen=True)
class ConvexModel(WeightedModel[np.ndarray]):
    """Σ wᵢ loss(xᵢ·θ, yᵢ) + ½ penalty n ‖θ‖², solved for each arm by itself.

    * `penalty` is per example: n counts them, pseudo-examples too. The intercept is free.
    * `tolerance`: how near to its optimum the objective is, per unit of weight; for squared loss
      in units of the rewards' variance. Every draw takes at least one step from the unweighted
      fit, however large the tolerance.
    * `intercept`: whether there is one.

    A fit is an array (features + 1,) whose last entry is the intercept.

    >>> from bandstrap import LinearRegression
    >>> model = LinearRegression(penalty=1.0)
    >>> model.fit(np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]), np.ones(2), None, None).tolist()
    [0.5, 0.0]
    """

    penalty: float = 1e-4
    tolerance: float = 1e-3
    intercept: bool = True

    loss: ClassVar[int]
    link: ClassVar[Link]
    takes_noise: ClassVar[bool] = False  # whether noise may be added to rewards

    def __post_init__(self) -> None:
        require_positive(penalty=self.penalty, tolerance=self.tolerance)

    @abstractmethod
    def check_rewards(self, rewards: Array) -> None:
        """Refuse rewards that the loss is not defined for."""

    def check_reward(self, reward: float) -> None:
        self.check_rewards(np.array([reward]))

    def check_scheme(self, resampling: Resampling) -> None:
        """Refuse a scheme whose rewards the loss is not defined for."""
        if resampling.noise > 0 and not self.takes_noise:
            name = type(self).__name__
            remedy = f"{name} takes no noise on rewards: use LinearRegression, or random weights"
            raise InvalidInput("resampling", resampling, remedy)

    def fit(
        self, contexts: Array, rewards: Array, weights: Array, start: Array | None, rng: Rng
    ) -> Array:
        contexts, rewards, weights = checks.checked_examples(contexts, rewards, weights)
        self.check_rewards(rewards)
        examples = ConvexExamples(Examples.of(contexts, rewards), self.intercept)
        draw = ConvexDraw(self.loss, examples, self.penalty)
        draw.set_weights(rewards, weights)
        if start is not None:
            draw.theta[:] = checks.checked_start(start, draw.theta.size)
        draw.settle(self.tolerance)
        return draw.theta

    def predict(self, fit: Array, contexts: Array) -> Array:
        contexts = as_numbers(checks.checked_contexts(contexts))
        return self.link.expected(contexts @ fit[:-1] + fit[-1])

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        from bandstrap.models.convex.learner import ConvexLearner  # needs this module

        return ConvexLearner(self, problem, resampling, prior)


@dataclass(frozen=True)
class LinearRegression(ConvexModel):
    """E(reward) = x·θ, by least squares; the loss is half the squared error.

    With `GaussianNoise` a draw is N(θ̂, Σ) exactly and needs no walk over the history. The default
    tolerance is less than that of logistic models: at 1e-3 draws were up to a fifth too narrow.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> theta = LinearRegression(tolerance=1e-12).fit(x, 2 * x[:, 0], np.ones(3), None, None)
    >>> np.round(theta, 2).tolist()
    [2.0, 0.0]
    """

    tolerance: float = 1e-5

    loss: ClassVar[int] = LINEAR
    link: ClassVar[Link] = IDENTITY
    takes_noise: ClassVar[bool] = True

    def check_rewards(self, rewards: Array) -> None:
        checks.check_sizes("rewards", rewards)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        from bandstrap.models.convex.additive import AdditiveLearner

        if resampling.noise > 0:
            return AdditiveLearner(self, problem, resampling, prior)
        return super().learner(problem, resampling, prior)


@dataclass(frozen=True)
class LogisticRegression(ConvexModel):
    """P(reward) = 1 / (1 + exp(-x·θ)), for rewards in [0, 1].

    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((500, 2))
    >>> y = (x[:, 0] + 0.5 * rng.standard_normal(500) > 0) * 1.0
    >>> model = LogisticRegression()
    >>> theta = model.fit(x, y, np.ones(500), None, rng)
    >>> bool(model.predict(theta, np.array([[2.0, 0.0]]))[0] > 0.9)
    True
    """

    loss: ClassVar[int] = LOGISTIC
    link: ClassVar[Link] = SIGMOID

    def check_reward(self, reward: float) -> None:
        if not 0 <= reward <= 1:
            self.check_rewards(np.array([reward]))

    def check_rewards(self, rewards: Array) -> None:
        checks.check_shares(
            rewards, "logistic regression takes [0, 1]: rescale, or use LinearRegression"
        )

"""Linear and logistic regression, native and fast."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array
from bandstrap.kernels.codes import LINEAR, LOGISTIC
from bandstrap.models.base import Learner
from bandstrap.models.checks import check_shares, check_sizes
from bandstrap.models.convex.additive import AdditiveLearner
from bandstrap.models.convex.model import ConvexModel
from bandstrap.models.link import IDENTITY, SIGMOID, Link
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling


@dataclass(frozen=True)
class LinearRegression(ConvexModel):
    """E(reward) = x·θ, by least squares; the loss is half the squared error.

    With `GaussianNoise` a draw is N(θ̂, Σ) exactly and needs no walk over the history.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> theta = LinearRegression(tolerance=1e-12).fit(x, 2 * x[:, 0], np.ones(3), None, None)
    >>> np.round(theta, 2).tolist()
    [2.0, 0.0]
    """

    loss: ClassVar[int] = LINEAR
    link: ClassVar[Link] = IDENTITY
    takes_noise: ClassVar[bool] = True

    def check_rewards(self, rewards: Array) -> None:
        check_sizes("rewards", rewards)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
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
        check_shares(rewards, "logistic regression takes [0, 1]: rescale, or use LinearRegression")

"""Linear regression, native and fast."""

from dataclasses import dataclass
from typing import ClassVar

from bandstrap.arrays import Array
from bandstrap.kernels.convex.loss import LINEAR
from bandstrap.models.base import Learner
from bandstrap.models.checks import check_sizes
from bandstrap.models.convex.additive import NoisyLearner
from bandstrap.models.convex.model import ConvexModel
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
    takes_noise: ClassVar[bool] = True

    def check_rewards(self, rewards: Array) -> None:
        check_sizes("rewards", rewards)

    def expected(self, margins: Array) -> Array:
        return margins

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        if resampling.noise > 0:
            return NoisyLearner(self, problem, resampling, prior)
        return super().learner(problem, resampling, prior)

"""Thompson sampling for logistic models by an online Laplace approximation."""

from dataclasses import dataclass

from bandstrap.arrays import Array, Rng
from bandstrap.models import Learner
from bandstrap.models.checks import check_unit_support
from bandstrap.policies.contextual.ellipsoids import EllipsoidLearner
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.problem import Problem
from bandstrap.storage.schema import Fixed, Real, Schema
from bandstrap.validation import require_positive


class LaplaceLearner(EllipsoidLearner):
    schema = Schema(spread=Fixed(Real(low=0.0)))

    def __init__(self, problem: Problem, spread: float, penalty: float) -> None:
        super().__init__(problem, penalty)
        self.spread = spread

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.arms.learn_logistic(context, arm, reward, weight)

    def _scores(self, means: Array, widths: Array) -> tuple[Array, Array | None]:
        # Without the sigmoid: it keeps the order, but large margins would tie.
        return means, self.spread * widths


@dataclass(frozen=True)
class LaplaceThompson(LearnerPolicy):
    """Draw each arm's logistic model from a Gaussian at its mode and act greedily.

    The approximation of Chapelle and Li (2011), with the whole covariance and learning after every
    reward: what was learnt before stays a Gaussian, the new reward moves its mode and adds the
    curvature found there. `penalty` is the prior's precision, `spread` multiplies standard
    deviations (they used 0.25 to 1). Scores are margins, not probabilities.

    >>> import numpy as np
    >>> from bandstrap.problem import Problem
    >>> state = LaplaceThompson().start(Problem(n_arms=3, n_features=2))
    >>> LaplaceThompson().select(state, np.zeros((1, 2)), np.random.default_rng(1)).shape
    (1,)
    """

    spread: float = 1.0
    penalty: float = 1.0

    def __post_init__(self) -> None:
        require_positive(spread=self.spread, penalty=self.penalty)

    def _learner(self, problem: Problem) -> Learner:
        check_unit_support(problem.support, self)
        return LaplaceLearner(problem, self.spread, self.penalty)

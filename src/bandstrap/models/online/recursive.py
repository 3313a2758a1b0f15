"""Regressions that take in a reward once, by a Newton step, and need no history."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import replica_probabilities
from bandstrap.errors import InvalidInput
from bandstrap.models.base import Learner, Model
from bandstrap.models.checks import check_unit_support
from bandstrap.models.link import IDENTITY, SIGMOID, Link
from bandstrap.models.online.ellipsoids import Ellipsoids
from bandstrap.priors import ExamplePrior, NoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.resampling import Resampling
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import Fixed, Of, Schema, require
from bandstrap.validation import require_positive


@dataclass(frozen=True)
class RecursiveModel(Model, ABC):
    """Σ loss(xᵢ·θ, yᵢ) + ½ penalty ‖θ‖² for each arm, one reward at a time.

    To learn a reward costs O(d²) and to look O(d), for d features and a constant one, however long
    history is. There is nothing to resample: policies that explore by themselves use these models,
    like `SquareCB` and `ContextualEpsilonGreedy`. The penalty takes the place of pseudo-examples.

    >>> from bandstrap import Bandit, RecursiveLinear, SquareCB
    >>> bandit = Bandit(SquareCB(RecursiveLinear(penalty=2.0)), ["a", "b"], seed=0)
    >>> bandit.learn(context=[1.0], arm="b", reward=1.0)
    >>> {arm: round(score, 2) for arm, score in bandit.decide([1.0]).scores.items()}
    {'a': inf, 'b': 0.78}
    """

    penalty: float = 1.0

    link: ClassVar[Link]

    def __post_init__(self) -> None:
        require_positive(penalty=self.penalty)

    @abstractmethod
    def learn(self, arms: Ellipsoids, context: Array, arm: int, reward: float, w: float) -> None:
        """Take a reward of weight w into an arm."""

    @abstractmethod
    def radius(self, excess: float) -> float:
        """How many widths from the estimate a prediction may be, at this much more loss."""

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return self.recursive(problem, resampling, prior)

    def recursive(
        self, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> "RecursiveLearner":
        """A learner, which can also tell the widths of its predictions."""
        if resampling.random:
            remedy = "a recursive model keeps no rewards: give NoResampling(), or another model"
            raise InvalidInput("resampling", resampling, remedy)
        if prior != NoExamples():
            raise InvalidInput("prior", prior, "its penalty is the prior: give NoExamples()")
        return RecursiveLearner(self, problem)


@saved
@dataclass(frozen=True)
class RecursiveLinear(RecursiveModel):
    """Recursive least squares: ridge regression, exactly; rewards of any size.

    >>> from bandstrap import ContextualEpsilonGreedy
    >>> policy = ContextualEpsilonGreedy(RecursiveLinear())
    >>> state, rng = policy.start(Problem(n_arms=2, n_features=1)), np.random.default_rng(0)
    >>> for x in rng.choice([-1.0, 1.0], (300, 1, 1)):
    ...     arms = policy.select(state, x, rng)
    ...     policy.update(state, x, arms, (x[:, 0] > 0) == arms)
    >>> [abs(round(float(m), 1)) for m in state.learners[0].margins(np.array([1.0]), rng)]
    [0.0, 1.0]
    """

    link: ClassVar[Link] = IDENTITY

    def learn(self, arms: Ellipsoids, context: Array, arm: int, reward: float, w: float) -> None:
        arms.learn_linear(context, arm, reward, w)

    def radius(self, excess: float) -> float:
        return sqrt(excess)  # of squared errors


@saved
@dataclass(frozen=True)
class RecursiveLogistic(RecursiveModel):
    """Logistic regression on rewards in [0, 1]; earlier rewards are summarised by a Gaussian.

    A reward moves the mode of the Gaussian times the reward's likelihood, and adds the curvature
    found there: an online Laplace approximation, close to the regression refit to all rewards.

    >>> from bandstrap import NoResampling
    >>> learner = RecursiveLogistic().recursive(Problem(2, 1), NoResampling(), NoExamples())
    >>> learner.learn(np.ones(1), 1, 1.0, None)
    >>> bool(learner.margins(np.ones(1), np.random.default_rng(0))[1] > 0)
    True
    """

    link: ClassVar[Link] = SIGMOID

    def learn(self, arms: Ellipsoids, context: Array, arm: int, reward: float, w: float) -> None:
        arms.learn_logistic(context, arm, reward, w)

    def radius(self, excess: float) -> float:
        return sqrt(2.0 * excess)  # of log loss, by its curvature

    def recursive(
        self, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> "RecursiveLearner":
        check_unit_support(problem.support, self)
        return super().recursive(problem, resampling, prior)


@saved
class RecursiveLearner(Learner):
    """Every arm's estimate and what it has seen; an arm that has seen nothing is tried first."""

    schema = Schema(model=Fixed(Of(RecursiveModel)), arms=Of(Ellipsoids))

    def verify_problem(self, problem: Problem) -> None:
        own = problem.n_arms, problem.n_features + 1
        require(self.arms.centres.shape == own, "regressions are of another problem")

    def __init__(self, model: RecursiveModel, problem: Problem) -> None:
        self.model = model
        self.arms = Ellipsoids(problem.n_arms, problem.n_features, model.penalty)

    @property
    def link(self) -> Link:  # type: ignore[override]
        return self.model.link

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.model.learn(self.arms, context, arm, reward, weight)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        return self._tried(self.arms.means(contexts))

    def upper(self, context: Array, excess: float) -> Array:
        """The highest margin of each arm that models with this much more loss predict."""
        means, squares = self.arms.look(context)
        return self._tried(means + self.model.radius(excess) * np.sqrt(squares))

    def _tried(self, margins: Array) -> Array:
        tried: Array = np.where(self.arms.counts > 0, margins, np.inf)
        return tried

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        return replica_probabilities(self._tried(self.arms.means(contexts))[None], allowed)

    def discount(self, factor: float) -> None:
        self.arms.discount(factor)

    def remap_arms(self, fresh: "RecursiveLearner", before: ArmMap) -> None:
        self.arms.remap_arms(fresh.arms, before)

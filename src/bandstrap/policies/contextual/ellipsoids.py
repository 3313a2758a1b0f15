"""What policies on linear models share: draws from confidence ellipsoids around estimates."""

from abc import abstractmethod

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import normal_probabilities
from bandstrap.models import Learner
from bandstrap.models.online.ellipsoids import Ellipsoids
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import Fixed, Of, Schema, require


class EllipsoidLearner(Learner):
    """A learner whose draws come from every arm's mean and width."""

    schema = Schema(problem=Fixed(Of(Problem)), arms=Of(Ellipsoids))

    def verify_problem(self, problem: Problem) -> None:
        own = problem.n_arms, problem.n_features + 1
        require(self.problem == problem, "the learner is of another problem")
        require(self.arms.centres.shape == own, "ellipsoids are of another problem")

    def __init__(self, problem: Problem, penalty: float) -> None:
        self.problem = problem
        self.arms = Ellipsoids(problem.n_arms, problem.n_features, penalty)

    @property
    def rounds(self) -> float:
        """Rewards learnt so far."""
        return float(self.arms.counts.sum())

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.arms.learn_linear(context, arm, reward, weight)

    def discount(self, factor: float) -> None:
        self.arms.discount(factor)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        centres, spreads = self._law(contexts)
        return centres if spreads is None else centres + spreads * rng.standard_normal(centres.size)

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        centres, spreads = self._law(contexts)
        spreads = np.zeros(centres.size) if spreads is None else spreads
        return normal_probabilities(centres, spreads, allowed)

    def _law(self, context: Array) -> tuple[Array, Array | None]:
        means, squares = self.arms.look(context)
        return self._scores(means, np.sqrt(squares))

    def remap_arms(self, fresh: "EllipsoidLearner", before: ArmMap) -> None:
        self.problem = fresh.problem
        self.arms.remap_arms(fresh.arms, before)

    @abstractmethod
    def _scores(self, means: Array, widths: Array) -> tuple[Array, Array | None]:
        """Scores; or means and standard deviations of scores that are independent and normal."""


def half_range(problem: Problem) -> float:
    """Rewards in an interval are sub-Gaussian with half its length; otherwise 1 is assumed."""
    half = (problem.support.high - problem.support.low) / 2
    return half if np.isfinite(half) else 1.0

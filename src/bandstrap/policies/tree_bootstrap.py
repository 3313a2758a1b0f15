"""TreeBootstrap (Elmachtoub et al., 2017): bootstrapped trees, refit only where there is news."""

from dataclasses import dataclass, field

import numpy as np

from bandstrap.errors import InvalidInput
from bandstrap.models import Learner
from bandstrap.models.features import Rows
from bandstrap.models.tree import DecisionTree, Tree
from bandstrap.policies.learners import LearnerPolicy
from bandstrap.problem import Problem
from bandstrap.resampling import Multinomial, Resampling


class TreeLearner(Learner):
    """Each arm's history, and the tree of its latest resample."""

    def __init__(self, policy: "TreeBootstrap", problem: Problem) -> None:
        self.tree = policy.tree
        self.resampling = policy.resampling
        self.pulls = policy.pulls
        self.growth = policy.growth
        self.ends = np.array([problem.support.low, problem.support.high])
        self.rows = [Rows(problem.n_features) for _ in range(problem.n_arms)]
        self.trees: list[Tree | None] = [None] * problem.n_arms
        self.fitted = [0] * problem.n_arms  # rows that an arm's tree was fit to

    def learn(
        self, context: np.ndarray, arm: int, reward: float, rng: np.random.Generator | None
    ) -> None:
        self.rows[arm].add(context, reward)

    def scores(self, context: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.array([self._score(arm, context, rng) for arm in range(len(self.rows))])

    def _score(self, arm: int, context: np.ndarray, rng: np.random.Generator) -> float:
        rows = self.rows[arm]
        if rows.count < self.pulls:
            return float("inf")
        if np.isfinite(self.ends).all() and rows.rewards.min() == rows.rewards.max():
            return self._draw_without_contrast(rows, rng)
        tree = self.trees[arm]
        if tree is None or rows.count > (1 + self.growth) * self.fitted[arm]:
            tree = self._refit(arm, rng)
        return float(self.tree.predict(tree, context[None])[0])

    def _draw_without_contrast(self, rows: Rows, rng: np.random.Generator) -> float:
        """Rewards all alike have no split: their mean, with the lowest and the highest added."""
        alike = rng.standard_gamma(rows.count)
        low, high = rng.standard_exponential(2)
        total = alike * rows.rewards[0] + low * self.ends[0] + high * self.ends[1]
        return float(total / (alike + low + high))

    def _refit(self, arm: int, rng: np.random.Generator) -> Tree:
        # On the first look after a reward rather than at the reward: it saves trees nobody asks.
        rows = self.rows[arm]
        rewards, weights = self.resampling.perturb(rows.rewards, rng)
        if not weights.any():  # a scheme whose weights may all be zero
            weights = np.ones(rows.count)
        tree = self.tree.fit(rows.contexts, rewards, weights, None, rng)
        self.trees[arm], self.fitted[arm] = tree, rows.count
        return tree


@dataclass(frozen=True)
class TreeBootstrap(LearnerPolicy):
    """A tree for each arm, fit to a resample of its history; the best prediction is chosen.

    The lazy update: an arm's tree is kept until the arm has a new reward, and with `growth` above 0
    until its history has grown by that share, which bounds the cost of a round on average. Every
    arm is pulled `pulls` times first. While an arm's rewards are all alike there is nothing to
    split; its draw is then the weighted bootstrap of its mean with one lowest and one highest
    reward added, which for 0/1 rewards is Beta(1 + ones, 1 + zeros).

    For fresh trees of every arm in every round, the method before this shortcut, use
    `ContextualBootstrap(Multinomial(), DecisionTree(), NoExamples())`.

    >>> state = TreeBootstrap().start(Problem(n_arms=2, n_features=3))
    >>> TreeBootstrap().select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    tree: DecisionTree = field(default_factory=DecisionTree)
    resampling: Resampling = field(default_factory=Multinomial)
    pulls: int = 1
    growth: float = 0.0

    def __post_init__(self) -> None:
        if self.pulls < 1:
            raise InvalidInput("pulls", self.pulls, "every arm is pulled at least once")
        if not (np.isfinite(self.growth) and self.growth >= 0):
            raise InvalidInput("growth", self.growth, "give 0 or more")

    def _learner(self, problem: Problem) -> Learner:
        if problem.n_features < 1:
            raise InvalidInput("n_features", problem.n_features, "trees need contexts")
        return TreeLearner(self, problem)

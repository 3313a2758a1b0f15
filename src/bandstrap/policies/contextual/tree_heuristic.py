"""TreeHeuristic (Elmachtoub et al., 2017): one tree a round, and exploration within its leaves."""

from dataclasses import dataclass, field

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.models import Learner
from bandstrap.models.features import Examples, verify_rows
from bandstrap.models.tree import DecisionTree, Tree
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped_list
from bandstrap.storage.schema import (
    ArrayOf,
    Fixed,
    Grows,
    ListOf,
    Maybe,
    Of,
    Real,
    Schema,
    Whole,
    require,
)
from bandstrap.validation import is_finite, require_whole


class TreeLearner(Learner):
    """Each arm's history, the tree that was fit to it, and the leaf of each of its rows."""

    schema = Schema(
        tree=Fixed(Of(DecisionTree)),
        pulls=Fixed(Whole(1)),
        growth=Fixed(Real(0.0)),
        ends=ArrayOf(np.float64, "ends", fixed=True),
        rows=ListOf(Of(Examples), "arms"),
        trees=ListOf(Maybe(Of(Tree)), "arms"),
        leaves=ListOf(ArrayOf(np.int64, Grows()), "arms"),
    )

    def verify_saved(self) -> None:
        for rows, tree, leaves in zip(self.rows, self.trees, self.leaves, strict=True):
            require(leaves.size <= rows.count, "there are more leaves than rows")
            require(tree is not None or leaves.size == 0, "there are leaves without a tree")
            if tree is not None:
                tree.verify_width(rows.n_features)
                own = tree.leaves(rows.contexts[: leaves.size])
                require(np.array_equal(own, leaves), "rows are in other leaves")

    def verify_problem(self, problem: Problem) -> None:
        verify_rows(self.rows, problem)

    def __init__(self, policy: "TreeHeuristic", problem: Problem) -> None:
        self.tree = policy.tree
        self.pulls = policy.pulls
        self.growth = policy.growth
        ends = np.array([problem.support.low, problem.support.high])
        self.ends = ends if np.isfinite(ends).all() else np.zeros(0)
        self.rows = [Examples(problem.n_features) for _ in range(problem.n_arms)]
        self.trees: list[Tree | None] = [None] * problem.n_arms
        self.leaves = [np.zeros(0, dtype=np.int64) for _ in range(problem.n_arms)]

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.rows[arm].add(context, reward, weight)

    def discount(self, factor: float) -> None:
        for arm, rows in enumerate(self.rows):
            kept = rows.fade(factor)
            if not kept.all():
                rows.keep(kept)
                self.trees[arm], self.leaves[arm] = None, np.zeros(0, dtype=np.int64)

    def remap_arms(self, fresh: "TreeLearner", before: ArmMap) -> None:
        self.rows = remapped_list(self.rows, fresh.rows, before)
        self.trees = remapped_list(self.trees, fresh.trees, before)
        self.leaves = remapped_list(self.leaves, fresh.leaves, before)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        return np.array([self._draw(arm, contexts, rng) for arm in range(len(self.rows))])

    def _draw(self, arm: int, context: Array, rng: Rng) -> float:
        rows = self.rows[arm]
        if rows.count < self.pulls:
            return float("inf")
        tree = self.trees[arm]
        if tree is None or rows.count > (1 + self.growth) * self.leaves[arm].size:
            # Now rather than at the reward, which saves trees that are never used.
            tree = self.tree.fit(rows.contexts, rows.rewards, rows.weights, None, rng)
            self.trees[arm], self.leaves[arm] = tree, tree.leaves(rows.contexts)
        inside = np.flatnonzero(self.leaves[arm] == tree.leaves(context[None])[0])
        rewards = np.append(rows.rewards[inside], self.ends)
        weights = rng.standard_exponential(rewards.size)
        if not rows.plain:
            weights[: inside.size] *= rows.weights[inside]
        return float(weights @ rewards / weights.sum())


@dataclass(frozen=True)
class TreeHeuristic(LearnerPolicy):
    """A tree for each arm, fit to all its rewards; an arm's draw comes from the context's leaf.

    For 0/1 rewards the draw is the authors' Beta(1 + ones, 1 + zeros), counted in the leaf. For
    others it is our extension, the weighted bootstrap of the leaf's mean with one lowest and one
    highest reward added, which is the same on zeros and ones. The best draw is chosen. A tree
    changes with its own rewards only, so a round refits a single one.

    Ours too: every arm is pulled `pulls` times first; with `growth` above 0 a tree is kept until
    its arm's history has grown by that share, and newer rows do not count until then. Rewards
    without bounds have no lowest and highest to add: a leaf of equal rewards has no spread then.

    The authors' TreeBootstrap, with fresh trees of resamples of every arm in every round, is
    `ContextualBootstrap(Multinomial(), DecisionTree(), NoExamples())`.

    >>> state = TreeHeuristic().start(Problem(n_arms=2, n_features=3))
    >>> TreeHeuristic().select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    tree: DecisionTree = field(default_factory=DecisionTree)
    pulls: int = 1
    growth: float = 0.0

    def __post_init__(self) -> None:
        require_whole(1, pulls=self.pulls)
        if not (is_finite(self.growth) and self.growth >= 0):
            raise InvalidInput("growth", self.growth, "give 0 or more")

    def _learner(self, problem: Problem) -> Learner:
        return TreeLearner(self, problem)

"""Regression trees fit to weighted examples."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.tree import find_leaves, grow
from bandstrap.models.checks import checked_contexts, checked_examples
from bandstrap.models.features import as_numbers
from bandstrap.models.refit import WeightedModel
from bandstrap.storage.schema import ArrayOf, Grows, Schema, require

DEEPEST = 1 << 30


@dataclass(frozen=True)
class Tree:
    """A fitted tree, one row per node, the root first.

    `nodes` holds the feature of the split and the left and right child, -1 at a leaf; `values` the
    threshold and the mean reward. Contexts at most the threshold go left.
    """

    nodes: Array
    values: Array

    schema = Schema(
        nodes=ArrayOf(np.int64, Grows("nodes"), 3, low=-1),
        values=ArrayOf(np.float64, Grows("nodes"), 2),
    )

    def verify_saved(self) -> None:
        """Children come after their node, so that every descent ends."""
        features, children = self.nodes[:, :1], self.nodes[:, 1:]
        inner = children[:, 0] >= 0
        require(len(self.nodes) > 0, "it has no root")
        places = np.arange(len(self.nodes))[inner, None]
        require((children[inner] > places).all(), "a child stands before its node")
        require((children < len(self.nodes)).all(), "a child does not exist")
        require((features[inner] >= 0).all(), "a split is by an unknown feature")

    def verify_width(self, n_features: int) -> None:
        """Refuse splits by features that contexts lack."""
        require((self.nodes[:, 0] < n_features).all(), "a split is by an unknown feature")

    def leaves(self, contexts: Array) -> Array:
        """The leaf that each context falls into."""
        contexts = np.ascontiguousarray(as_numbers(contexts), dtype=np.float64)
        leaves = np.empty(len(contexts), dtype=np.int64)
        find_leaves(self.nodes, self.values, contexts, leaves)
        return leaves


@dataclass(frozen=True)
class DecisionTree(WeightedModel[Tree]):
    """CART: splits that reduce the weighted squared error most, for 0/1 rewards the Gini impurity.

    Every leaf holds a total weight of at least `leaf`, and no leaf is deeper than `depth` splits.
    Weights count like repeated rows. Fits do not start from earlier ones.

    >>> contexts, rng = np.arange(8.0)[:, None], np.random.default_rng(0)
    >>> model = DecisionTree(leaf=2)
    >>> fit = model.fit(contexts, contexts[:, 0] > 3, np.ones(8), None, rng)
    >>> model.predict(fit, np.array([[0.0], [7.0]])).tolist()
    [0.0, 1.0]
    """

    leaf: float = 5.0
    depth: int | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.leaf) and self.leaf > 0):
            raise InvalidInput("leaf", self.leaf, "give a positive weight")
        if self.depth is not None and self.depth < 0:
            raise InvalidInput("depth", self.depth, "give None, or 0 or more")

    def fit(
        self, contexts: Array, rewards: Array, weights: Array, start: Tree | None, rng: Rng
    ) -> Tree:
        contexts, rewards, weights = checked_examples(contexts, rewards, weights)
        kept = weights > 0
        weights, rewards = weights[kept], rewards[kept]
        lowest = rewards.min()  # rewards far from zero would cancel in squares
        # Always doubles, so that the kernel is compiled only once.
        columns = np.ascontiguousarray(as_numbers(contexts[kept]).T, dtype=np.float64)
        n = weights.size
        nodes, values = np.empty((2 * n, 3), dtype=np.int64), np.empty((2 * n, 2))
        order = np.argsort(columns, axis=1, kind="stable").astype(np.int32)
        depth = DEEPEST if self.depth is None else self.depth
        stack = np.empty((2 * n + 2, 4), dtype=np.int64)
        scratch = np.zeros(n, dtype=np.bool_), np.empty(n, dtype=np.int32), stack
        count = grow(
            columns, order, np.arange(n, dtype=np.int32), rewards - lowest, weights,
            self.leaf, depth, scratch, nodes, values,
        )  # fmt: skip
        values[:count, 1] += lowest
        return Tree(nodes[:count].copy(), values[:count].copy())

    def verify_fit(self, fit: Any, n_features: int) -> None:
        require(type(fit) is Tree, "a fit is not a tree")
        fit.verify_width(n_features)

    def predict(self, fit: Tree, contexts: Array) -> Array:
        means: Array = fit.values[fit.leaves(checked_contexts(contexts)), 1]
        return means

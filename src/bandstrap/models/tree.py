"""Regression trees fit to weighted examples."""

from dataclasses import dataclass

import numpy as np

from bandstrap.errors import InvalidInput
from bandstrap.models.base import WeightedModel
from bandstrap.models.features import as_numbers

NO_CHILD = -1


@dataclass(frozen=True)
class Tree:
    """A fitted tree as arrays over its nodes; a leaf has no children, the first node is the root.

    A context goes to the left child where its feature is at most the threshold.
    """

    features: np.ndarray
    thresholds: np.ndarray
    left: np.ndarray
    right: np.ndarray
    values: np.ndarray

    def leaf(self, context: np.ndarray) -> int:
        """The leaf that a context falls into."""
        node = 0
        while self.left[node] != NO_CHILD:
            below = context[self.features[node]] <= self.thresholds[node]
            node = int(self.left[node] if below else self.right[node])
        return node


@dataclass(frozen=True)
class DecisionTree(WeightedModel[Tree]):
    """CART: splits that reduce the weighted squared error most, for 0/1 rewards the Gini impurity.

    Every leaf holds a total weight of at least `leaf`, and no leaf is deeper than `depth` splits. A
    weight counts as so many rows. Fits do not start from earlier ones.

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
        self,
        contexts: np.ndarray,
        rewards: np.ndarray,
        weights: np.ndarray,
        start: Tree | None,
        rng: np.random.Generator,
    ) -> Tree:
        from sklearn.tree import DecisionTreeRegressor  # a second to import, and few need it

        kept = weights > 0
        if not kept.any():
            raise InvalidInput("weights", 0.0, "give at least one example a positive weight")
        weights = weights[kept]
        if self.depth == 0 or weights.sum() < 2 * self.leaf:
            return _stump(float(np.average(rewards[kept], weights=weights)))
        tree = DecisionTreeRegressor(
            max_depth=self.depth,
            min_weight_fraction_leaf=self.leaf / weights.sum(),
            random_state=int(rng.integers(2**31)),
        )
        contexts = as_numbers(contexts[kept]).astype(np.float32)
        tree.fit(contexts, rewards[kept], sample_weight=weights, check_input=False)
        nodes = tree.tree_
        return Tree(
            nodes.feature.copy(),
            nodes.threshold.copy(),
            nodes.children_left.copy(),
            nodes.children_right.copy(),
            nodes.value[:, 0, 0].copy(),
        )

    def predict(self, fit: Tree, contexts: np.ndarray) -> np.ndarray:
        # Thresholds were found in single precision, and must be compared in it.
        contexts = as_numbers(contexts).astype(np.float32)
        return np.array([fit.values[fit.leaf(context)] for context in contexts])


def _stump(value: float) -> Tree:
    none = np.array([NO_CHILD])
    return Tree(none, np.zeros(1), none, none, np.array([value]))

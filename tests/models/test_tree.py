import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from bandstrap.errors import InvalidInput
from bandstrap.models.tree import DecisionTree


def data(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rows, 3))
    chance = np.where((contexts[:, 0] > 0) & (contexts[:, 1] > 0.3), 0.9, 0.1)
    return contexts, (rng.random(rows) < chance).astype(float), rng


def test_a_weight_counts_as_so_many_rows() -> None:
    contexts, rewards, rng = data(200)
    weights = rng.poisson(1.0, 200).astype(float)
    model = DecisionTree(leaf=4)
    weighted = model.fit(contexts, rewards, weights, None, np.random.default_rng(1))
    times = weights.astype(int)
    repeated = model.fit(
        np.repeat(contexts, times, axis=0),
        np.repeat(rewards, times),
        np.ones(times.sum()),
        None,
        np.random.default_rng(1),
    )
    probes = rng.normal(size=(500, 3))
    np.testing.assert_allclose(
        model.predict(weighted, probes), model.predict(repeated, probes), atol=1e-12
    )


@pytest.mark.parametrize("depth", [None, 3])
def test_the_tree_is_scikit_learns(depth: int | None) -> None:
    # Weights of no pattern and an offset far from zero: no two splits tie, and none may cancel.
    contexts, rewards, rng = data(400, seed=5)
    contexts[:, 2] = contexts[:, 2] > 0
    contexts = contexts.astype(np.float32)  # what scikit-learn splits on
    rewards = 1e6 + rewards + 0.1 * rng.normal(size=400)
    weights = rng.standard_exponential(400)
    model = DecisionTree(leaf=5, depth=depth)
    ours = model.fit(contexts, rewards, weights, None, rng)
    theirs = DecisionTreeRegressor(
        max_depth=depth, min_weight_fraction_leaf=5 / weights.sum(), random_state=0
    ).fit(contexts, rewards - 1e6, sample_weight=weights)
    probes = rng.normal(size=(1000, 3)).astype(np.float32)
    np.testing.assert_allclose(model.predict(ours, probes) - 1e6, theirs.predict(probes), atol=1e-8)


def test_leaves_predict_the_weighted_mean_of_their_rows_and_are_heavy_enough() -> None:
    contexts, rewards, rng = data(300, seed=2)
    weights = rng.standard_exponential(300)
    model = DecisionTree(leaf=6.0)
    tree = model.fit(contexts, rewards, weights, None, rng)
    leaves = tree.leaves(contexts)
    assert len(set(leaves)) > 5
    for leaf in set(leaves):
        inside = leaves == leaf
        assert weights[inside].sum() >= 6.0 - 1e-9
        mean = np.average(rewards[inside], weights=weights[inside])
        assert tree.values[leaf, 1] == pytest.approx(mean)


def test_the_first_split_is_the_best_one() -> None:
    contexts, rewards, rng = data(60, seed=3)
    weights = rng.standard_exponential(60)
    tree = DecisionTree(leaf=3.0, depth=1).fit(contexts, rewards, weights, None, rng)

    def error(inside: np.ndarray) -> float:
        w, y = weights[inside], rewards[inside]
        return float(w @ (y - np.average(y, weights=w)) ** 2)

    best = np.inf
    for feature in range(3):
        for threshold in np.sort(contexts[:, feature])[:-1]:
            left = contexts[:, feature] <= threshold
            if min(weights[left].sum(), weights[~left].sum()) >= 3.0:
                best = min(best, error(left) + error(~left))
    left = contexts[:, tree.nodes[0, 0]] <= tree.values[0, 0]
    assert error(left) + error(~left) == pytest.approx(best)


def test_few_or_weightless_rows() -> None:
    model, rng = DecisionTree(leaf=5), np.random.default_rng(0)
    contexts = np.array([[0.0], [1.0], [2.0]])
    tree = model.fit(contexts, np.array([0.0, 1.0, 1.0]), np.array([2.0, 1.0, 0.0]), None, rng)
    np.testing.assert_allclose(model.predict(tree, contexts), 1 / 3)
    with pytest.raises(InvalidInput, match="some positive"):
        model.fit(contexts, np.zeros(3), np.zeros(3), None, rng)
    with pytest.raises(InvalidInput, match="positive"):
        DecisionTree(leaf=0)
    with pytest.raises(InvalidInput, match="depth"):
        DecisionTree(depth=-1)


def test_bytes_are_shares() -> None:
    contexts = np.random.default_rng(0).integers(0, 256, (100, 2)).astype(np.uint8)
    model = DecisionTree(leaf=2)
    rewards = (contexts[:, 0] > 90).astype(float)
    tree = model.fit(contexts, rewards, np.ones(100), None, np.random.default_rng(0))
    np.testing.assert_array_equal(model.predict(tree, contexts), rewards)
    assert 0 < tree.values[0, 0] < 1

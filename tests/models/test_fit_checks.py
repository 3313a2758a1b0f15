"""Whatever is fit by hand is checked alike."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from bandstrap.errors import InvalidInput
from bandstrap.models import (
    DecisionTree,
    LinearRegression,
    LogisticRegression,
    NeuralNetwork,
    StochasticLinearRegression,
    StochasticLogisticRegression,
)

MODELS = [
    LogisticRegression(),
    LinearRegression(),
    StochasticLogisticRegression(),
    StochasticLinearRegression(),
    NeuralNetwork(hidden=4),
    DecisionTree(),
]
X = np.random.default_rng(0).random((5, 3))
Y, W = np.array([0.0, 1.0, 0.0, 1.0, 1.0]), np.ones(5)


def _fit(model, x=X, y=Y, weights=W, start=None):
    return model.fit(x, y, weights, start, np.random.default_rng(1))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_examples_that_make_no_sense_are_refused(model):
    for name, given in (
        ("rewards", {"y": np.ones(10), "weights": np.ones(10)}),
        ("rewards", {"y": Y[:3], "weights": W[:3]}),
        ("rewards", {"y": np.full(5, np.nan)}),
        ("rewards", {"y": np.full(5, 1e160)}),
        ("weights", {"weights": np.ones(4)}),
        ("weights", {"weights": np.zeros(5)}),
        ("weights", {"weights": -W}),
        ("contexts", {"x": np.nan * X}),
        ("contexts", {"x": 1e44 * X}),
        ("contexts", {"x": X[0]}),
    ):
        with pytest.raises(InvalidInput, match=f"^{name} = "):
            _fit(model, **given)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_sparse_contexts_and_bytes_are_taken(model):
    dense = model.predict(_fit(model), X)
    np.testing.assert_array_equal(
        model.predict(_fit(model, csr_matrix(X)), csr_matrix(X)), dense
    )  # fmt: skip
    pixels = np.round(255 * X).astype(np.uint8)
    shares = pixels / 255.0
    np.testing.assert_allclose(
        model.predict(_fit(model, pixels), pixels),
        model.predict(_fit(model, shares), shares),
        atol=1e-4,
    )


@pytest.mark.parametrize("model", MODELS[:4], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("start", [np.zeros(1), np.full(4, np.nan), np.zeros((4, 1))])
def test_starts_that_are_no_fits_are_refused(model, start):
    with pytest.raises(InvalidInput, match=r"^start = "):
        _fit(model, start=start)


def test_a_network_starts_from_one_of_its_own_size():
    other = _fit(NeuralNetwork(hidden=4), np.ones((5, 2)))
    with pytest.raises(InvalidInput, match=r"^start = "):
        _fit(NeuralNetwork(hidden=4), start=other)


def test_probabilities_are_fit_to_rewards_between_0_and_1():
    with pytest.raises(InvalidInput, match=r"rewards = 5\.0: .*\[0, 1\]"):
        _fit(StochasticLogisticRegression(), y=np.full(5, 5.0))

"""The paper's network: slopes, one weighted pass, what it can learn and what it refuses."""

import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.models import NeuralNetwork
from bandstrap.models.network.layers import Layers, sigmoid
from bandstrap.policies import ContextualBootstrap, ContextualEpsilonGreedy
from bandstrap.priors import EigenExamples, NoExamples
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Exponential, Multinomial


def double(sizes: tuple[int, ...], seed: int = 0) -> Layers:
    """A network in double precision with biases away from zero."""
    rng = np.random.default_rng(seed)
    flat = Layers.glorot(sizes, rng).flat.astype(np.float64)
    return Layers(sizes, flat + rng.normal(0, 0.1, flat.size))


def log_loss(flat: np.ndarray, layers: Layers, inputs: np.ndarray, targets: np.ndarray) -> float:
    p = sigmoid(layers.values(inputs, flat)[-1])
    return float(-(targets * np.log(p) + (1 - targets) * np.log(1 - p)).sum())


@pytest.mark.parametrize("sizes", [(4, 6, 1), (4, 5, 6, 3)])
def test_gradient_equals_finite_differences(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    layers = double(sizes)
    inputs, targets = rng.normal(size=(7, 4)), rng.random((7, sizes[-1]))
    values = layers.values(inputs)
    gradient = layers.gradient(values, sigmoid(values[-1]) - targets)
    step = 1e-6
    for i in range(layers.flat.size):
        up, down = layers.flat.copy(), layers.flat.copy()
        up[i] += step
        down[i] -= step
        slope = log_loss(up, layers, inputs, targets) - log_loss(down, layers, inputs, targets)
        assert gradient[i] == pytest.approx(slope / (2 * step), abs=1e-6)


def naive_pass(
    start: Layers, x: np.ndarray, y: np.ndarray, w: np.ndarray, order: np.ndarray, rate: float
) -> np.ndarray:
    """One pass of weighted SGD, example by example and unit by unit."""
    (w1, b1), (w2, b2) = [(m.copy(), b.copy()) for m, b in start.matrices(start.flat)]
    for first in range(0, len(order), 32):
        rows = order[first : first + 32]
        slopes = [np.zeros_like(a) for a in (w1, b1, w2, b2)]
        for i in rows:
            before = x[i] @ w1 + b1
            after = np.where(before > 0, before, 0)
            error = w[i] * (1 / (1 + np.exp(-(after @ w2[:, 0] + b2[0]))) - y[i]) / len(rows)
            slopes[2][:, 0] += error * after
            slopes[3][0] += error
            for unit in np.flatnonzero(before > 0):
                slopes[0][:, unit] += error * w2[unit, 0] * x[i]
                slopes[1][unit] += error * w2[unit, 0]
        for parameter, slope in zip((w1, b1, w2, b2), slopes, strict=True):
            parameter -= rate * slope
    return np.concatenate([w1.ravel(), b1, w2.ravel(), b2])


def test_a_fit_is_one_weighted_pass() -> None:
    rng = np.random.default_rng(2)
    x, y, w = rng.normal(size=(70, 5)), rng.random(70), rng.exponential(size=70)
    start = double((5, 8, 1))
    fit = NeuralNetwork(hidden=8, learning_rate=0.3).fit(x, y, w, start, np.random.default_rng(9))
    order = np.random.default_rng(9).permutation(70)
    np.testing.assert_allclose(fit.flat, naive_pass(start, x, y, w, order, 0.3), atol=1e-12)
    assert not np.allclose(fit.flat, start.flat, atol=1e-3)


def test_weight_two_is_a_repeated_row() -> None:
    """In one full batch; the step is a mean over rows, so the rate makes up for one row more."""
    rng = np.random.default_rng(3)
    x, y, start = rng.normal(size=(6, 4)), rng.random(6), double((4, 5, 1))
    weights = np.array([1.0, 1, 1, 2, 1, 1])
    once = NeuralNetwork(5, 0.6, 100).fit(x, y, weights, start, rng)
    rows = [0, 1, 2, 3, 3, 4, 5]
    twice = NeuralNetwork(5, 0.7, 100).fit(x[rows], y[rows], np.ones(7), start, rng)
    np.testing.assert_allclose(once.flat, twice.flat, atol=1e-12)


def test_weight_zero_is_no_row_and_starts_are_kept() -> None:
    rng = np.random.default_rng(4)
    start = double((3, 5, 1))
    kept = start.flat.copy()
    rows, last = rng.normal(size=(9, 3)), np.arange(9) == 8
    fits = [
        NeuralNetwork(5).fit(given, np.full(9, 0.5), last * 1.0, start, np.random.default_rng(0))
        for given in (rows, np.where(last[:, None], rows, 7.0))
    ]
    np.testing.assert_array_equal(fits[0].flat, fits[1].flat)
    NeuralNetwork(5).fit(rng.normal(size=(9, 3)), rng.random(9), np.ones(9), start, rng)
    np.testing.assert_array_equal(start.flat, kept)


def test_defaults_are_the_papers() -> None:
    model, rng = NeuralNetwork(), np.random.default_rng(5)
    assert (model.hidden, model.learning_rate, model.batch) == (100, 0.01, 32)
    fit = NeuralNetwork(learning_rate=1e-30).fit(np.ones((1, 20)), [0.5], np.ones(1), None, rng)
    (w1, b1), (w2, b2) = fit.matrices(fit.flat)
    assert w1.shape == (20, 100)
    assert w2.shape == (100, 1)
    assert max(np.abs(b1).max(), np.abs(b2).max()) < 1e-20
    for weights in (w1, w2):  # uniform within the Glorot limit: its deviation is limit / √3
        limit = np.sqrt(6 / sum(weights.shape))
        assert np.abs(weights).max() <= limit
        assert weights.std() == pytest.approx(limit / np.sqrt(3), rel=0.2)


def test_learns_what_no_linear_model_can() -> None:
    rng = np.random.default_rng(6)
    x = rng.uniform(-1, 1, (400, 2))
    y = (x[:, 0] * x[:, 1] > 0).astype(float)
    model, fit = NeuralNetwork(hidden=30, learning_rate=0.5), None
    for _ in range(60):
        fit = model.fit(x, y, np.ones(400), fit, rng)
    assert fit is not None
    assert ((model.predict(fit, x) > 0.5) == (y > 0.5)).mean() > 0.93  # linear: about one half


@pytest.mark.parametrize("resampling", [Exponential(), Multinomial()])
def test_bootstraps_the_whole_history(resampling: Exponential | Multinomial) -> None:
    policy = ContextualBootstrap(resampling, NeuralNetwork(hidden=8), EigenExamples(np.eye(3)))
    results = []
    for _ in range(2):
        rng, state = np.random.default_rng(7), policy.start(Problem(3, 3), 2)
        for _ in range(15):
            x = rng.normal(size=(2, 3))
            arms = policy.select(state, x, rng)
            policy.update(state, x, arms, (arms == 1).astype(float))
        results.append(policy.scores(state, np.ones((2, 3)), rng))
    np.testing.assert_array_equal(results[0], results[1])
    assert np.unique(results[0]).size == 6
    assert ((results[0] > 0) & (results[0] < 1)).all()


def test_greedy_tries_every_arm_and_stays_finite_on_one_class() -> None:
    policy = ContextualEpsilonGreedy(NeuralNetwork(hidden=8))
    rng, state = np.random.default_rng(8), policy.start(Problem(3, 4))
    x = np.array([[1.0, 0.0, 0.0, 5.0]])  # columns never change, rewards neither
    for _ in range(30):
        policy.update(state, x, policy.select(state, x, rng), np.ones(1))
    scores = policy.scores(state, x, rng)
    assert np.isfinite(scores).all()


def test_contexts_too_large_are_refused_and_tiny_ones_harmless() -> None:
    rng = np.random.default_rng(9)
    x, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200).astype(float)
    model = NeuralNetwork(hidden=8)
    tiny = model.fit(x * 1e-12, y, np.ones(200), None, rng)
    assert np.isfinite(model.predict(tiny, x * 1e-12)).all()
    for scale in (1e12, 1e300):
        with pytest.raises(InvalidInput, match=r"standardise|another unit"):
            model.fit(x * scale, y, np.ones(200), None, rng)
    steep = NeuralNetwork(hidden=8, learning_rate=1e30)
    with pytest.raises(InvalidInput, match="learning_rate"):
        steep.fit(x, y, np.ones(200), None, rng)


def test_refusals() -> None:
    for wrong in ({"hidden": 0}, {"batch": 0}, {"learning_rate": 0.0}, {"learning_rate": np.inf}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            NeuralNetwork(**wrong)
    with pytest.raises(InvalidInput, match="support"):
        NeuralNetwork().learner(Problem(2, 2, Support.interval(-1, 1)), Exponential(), NoExamples())

"""Histories and slow, independent answers that tests of convex models compare with."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression as Reference

from bandstrap.models.convex.draw import ConvexDraw
from bandstrap.models.features import as_numbers
from bandstrap.resampling import Resampling


def digits(dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Pixels in [0, 1], or as bytes, and labels, in a fixed random order."""
    x, y = load_digits(return_X_y=True)
    order = np.random.default_rng(5).permutation(len(y))
    pixels = np.round(x[order] / 16 * 255).astype(np.uint8)
    return (pixels if dtype == np.uint8 else (pixels / 255).astype(dtype)), y[order]


class Given(Resampling):
    """Exponential weights from a generator of its own, so that two learners get the same."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def weights(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        return self.rng.standard_exponential(shape)


def entries(draw: ConvexDraw) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Contexts, weights and weighted rewards of a draw's entries, axes written out."""
    e = draw.examples
    contexts = np.concatenate([e.axes, -e.axes, e.plain, as_numbers(e.rows.contexts)])
    return (
        contexts.astype(np.float64),
        draw.entries[0, : e.n_entries],
        draw.entries[1, : e.n_entries],
    )


def objective(theta: np.ndarray, draw: ConvexDraw, logistic: bool) -> float:
    contexts, weight, total = entries(draw)
    margins = contexts @ theta[:-1] + theta[-1]
    bent = np.logaddexp(0, margins) if logistic else margins**2 / 2
    return float(weight @ bent - total @ margins + draw.strength / 2 * theta[:-1] @ theta[:-1])


def reference_logistic(draw: ConvexDraw) -> np.ndarray:
    """scikit-learn's Newton solver on the same entries: each once as a 1 and once as a 0."""
    contexts, weight, total = entries(draw)
    labels = np.repeat([1, 0], len(weight))
    solver = Reference(C=1 / draw.strength, solver="newton-cholesky", tol=1e-13, max_iter=1000)
    weights = np.concatenate([total, weight - total])
    solver.fit(np.concatenate([contexts, contexts]), labels, sample_weight=weights)
    return np.append(solver.coef_[0], solver.intercept_)


def reference_linear(draw: ConvexDraw) -> np.ndarray:
    """The normal equations."""
    contexts, weight, total = entries(draw)
    x = np.column_stack([contexts, np.ones(len(contexts))])
    ridge = np.diag(np.append(np.full(contexts.shape[1], draw.strength), 0.0))
    return np.linalg.solve(x.T @ (weight[:, None] * x) + ridge, x.T @ total)


def one_versus_all(learner, x: np.ndarray, y: np.ndarray, n_arms: int, seed: int = 0) -> None:
    """Teach rows one after the other; the arm is the right one more often than not."""
    rng = np.random.default_rng(seed)
    arms = np.where(rng.random(len(y)) < 0.6, y, rng.integers(0, n_arms, len(y)))
    for context, arm, label in zip(x, arms, y, strict=True):
        learner.learn(context, int(arm), float(arm == label), None)

"""Numerical abuse: whatever the history, a draw is finite and solved, or a clear error."""

import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.kernels.convex.moments import absorb_additive
from bandstrap.kernels.convex.sandwich import absorb_step
from bandstrap.models import GaussianLimit, Grouped, LinearRegression, LogisticRegression, OneStep
from bandstrap.models.base import draw_scores
from bandstrap.priors import EigenExamples, NoExamples
from bandstrap.problem import Problem
from bandstrap.resampling import Exponential, GaussianNoise, Multinomial

RNG = np.random.default_rng(11)
PLAIN = RNG.standard_normal((300, 5))


def _histories() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    x, noisy = PLAIN, (PLAIN[:, 0] + RNG.standard_normal(300) > 0) * 1.0
    scales = 10.0 ** np.array([12, -12, 0, 6, -6])
    return {
        "separable": (x, (x[:, 0] > 0) * 1.0),
        "separable, far apart": (1e3 * x, (x[:, 0] > 0) * 1.0),
        "constant columns": (x * [1, 0, 1, 0, 1] + [0, 0, 0, 7, 0], noisy),
        "duplicated columns": (x[:, [0, 0, 1, 1, 1]], noisy),
        "nearly duplicated": (x[:, [0, 0, 1, 1, 1]] + 1e-9 * x, noisy),
        "many scales": (x * scales, noisy),
        "huge": (1e12 * x, noisy),
        "tiny": (1e-12 * x, noisy),
        "huge, duplicated": (1e12 * x[:, [0, 0, 1, 1, 1]], noisy),
        "far from the origin": (x + 1e6, noisy),
        "one class": (x, np.ones(300)),
        "one row": (x[:1], noisy[:1]),
        "fewer rows than columns": (x[:3], noisy[:3]),
        "one row many times": (np.repeat(x[:1], 300, axis=0), noisy),
        "zeros": (np.zeros((50, 5)), noisy[:50]),
        "one outlier": (np.vstack([x, np.full((1, 5), 1e9)]), np.append(noisy, 1.0)),
    }


HISTORIES = _histories()


def _shortfall(model, theta, x, y, weights) -> float:
    """Half the squared Newton decrement per unit of weight, in scaled coordinates."""
    rows = np.column_stack([x, np.ones(len(x))])
    margins = rows @ theta
    expected = model.link.expected(margins)
    bend = weights * (expected * (1 - expected) if isinstance(model, LogisticRegression) else 1.0)
    ridge = np.append(np.full(x.shape[1], model.penalty * len(y)), 0.0)
    slope = rows.T @ (weights * (expected - y)) + ridge * theta
    hessian = rows.T @ (bend[:, None] * rows) + np.diag(ridge)
    scale = 1 / np.sqrt(np.maximum(np.diag(hessian), 1e-300))
    step = np.linalg.lstsq(hessian * scale * scale[:, None], slope * scale, rcond=1e-13)[0]
    return float(slope @ (scale * step) / 2 / weights.sum())


@pytest.mark.filterwarnings("ignore:columns of contexts are far from 0:RuntimeWarning")
@pytest.mark.parametrize("model", [LogisticRegression(), LinearRegression()], ids=["log", "lin"])
@pytest.mark.parametrize("name", HISTORIES)
def test_fits_are_finite_and_solved(model, name) -> None:
    x, y = HISTORIES[name]
    weights = np.random.default_rng(3).exponential(size=len(y))
    theta = model.fit(x, y, weights, None, None)
    assert np.isfinite(theta).all()
    assert np.isfinite(model.predict(theta, x)).all()
    assert _shortfall(model, theta, x, y, weights) <= model.tolerance


@pytest.mark.filterwarnings("ignore:columns of contexts are far from 0:RuntimeWarning")
@pytest.mark.parametrize("name", HISTORIES)
def test_draws_are_solved(name) -> None:
    x, y = HISTORIES[name]
    model = LogisticRegression()
    learner = model.learner(Problem(1, 5), Exponential(), NoExamples())
    for context, reward in zip(x, y, strict=True):
        learner.learn(context, 0, float(reward), None)
    for seed in range(10):
        draw_scores(learner, x[0], np.random.default_rng(seed))
        draw = learner.arms[0].draw
        weights = draw.entries[0, : len(y)].copy()
        assert _shortfall(model, draw.theta, x, y, weights) <= model.tolerance


@pytest.mark.filterwarnings("ignore:columns of contexts are far from 0:RuntimeWarning")
@pytest.mark.parametrize("prior", [NoExamples(), EigenExamples()], ids=["none", "eigen"])
@pytest.mark.parametrize("name", HISTORIES)
def test_draws_of_all_modes_are_finite(name, prior) -> None:
    x, y = HISTORIES[name]
    logistic, linear = LogisticRegression(), LinearRegression()
    for scheme, model in (
        (Exponential(), logistic),
        (Multinomial(), linear),
        (Exponential(), OneStep(logistic)),
        (Exponential(), GaussianLimit(logistic)),
        (Exponential(), Grouped(logistic, 10)),
        (GaussianNoise(), linear),
    ):
        learner = model.learner(Problem(2, 5), scheme, prior)
        rng = np.random.default_rng(0)
        for row, (context, reward) in enumerate(zip(x[:40], y[:40], strict=True)):
            learner.learn(context, row % 2, float(reward), rng)
            if row % 8 == 3:
                assert np.isfinite(draw_scores(learner, context, rng)).all(), (scheme, model, row)
        assert learner.best(x[0], rng, np.array([True, True])) in (0, 1)


def test_rewards_of_any_size() -> None:
    fits = [
        LinearRegression().fit(PLAIN, size * PLAIN[:, 0], np.ones(300), None, None) / size
        for size in (1e-12, 1.0, 1e12)
    ]
    assert fits[0] == pytest.approx(fits[1], rel=1e-9)
    assert fits[2] == pytest.approx(fits[1], rel=1e-9)
    assert fits[1][0] == pytest.approx(1.0, rel=0.1)


def test_a_tolerance_beyond_rounding_is_an_error() -> None:
    with pytest.raises(InvalidInput, match="tolerance"):
        LogisticRegression(tolerance=1e-40).fit(PLAIN, PLAIN[:, 0] > 0, np.ones(300), None, None)


def test_second_moments_after_very_many_updates() -> None:
    """10⁵ updates; inverses stay those of what was added up, and so does the covariance."""
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.standard_normal((1000, 3)) * [1, 1e-3, 1e3], np.ones(1000)])
    y = x @ [1.0, 2.0, 3e-3, 4.0] + rng.standard_normal(1000)
    gram, moment, theta = np.zeros((4, 4)), np.zeros(4), np.zeros(4)
    inverse, work, ridge = np.eye(4), np.zeros((5, 4)), 1.0
    gram[:] = np.diag([0.0, 0.0, 0.0, 1.0])
    step_theta, step_inverse = np.zeros((1, 4)), np.diag([1.0, 1.0, 1e-5, 1.0])[None]
    covariance, places = np.zeros((1, 4, 4)), np.zeros(4, dtype=np.int64)
    for row in range(100_000):
        i = row % 1000
        absorb_additive(gram, moment, theta, inverse, ridge, x[i], y[i], work)
        gain = absorb_step(
            1, step_theta, step_inverse, covariance, 0, x[i], y[i], 0.0, 1.0, work, places
        )
        assert gain >= 0.0
    exact = np.linalg.inv(100 * x.T @ x + np.eye(4))
    scale = np.sqrt(np.diag(exact))
    bread = np.linalg.inv(100 * x.T @ x + np.diag([1, 1, 1e5, 1]))
    sandwich = bread @ (100 * x.T @ x) @ bread
    for kept, right in ((inverse, exact), (step_inverse[0], bread), (covariance[0], sandwich)):
        np.testing.assert_allclose(
            kept / scale / scale[:, None], right / scale / scale[:, None], atol=1e-6
        )
    np.testing.assert_allclose((theta - exact @ (100 * x.T @ y)) / scale, 0, atol=1e-6)
    np.testing.assert_allclose((step_theta[0] - bread @ (100 * x.T @ y)) / scale, 0, atol=1e-4)

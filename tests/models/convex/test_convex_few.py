"""Fewer examples than features, and columns far from 0: exact whatever the scale, or a warning."""

from fractions import Fraction

import numpy as np
import pytest

from bandstrap.models import GaussianLimit, Grouped, LinearRegression, LogisticRegression, OneStep
from bandstrap.models.base import draw_scores
from bandstrap.models.convex import draw
from bandstrap.models.convex.draw import WIDE, ConvexDraw
from bandstrap.models.convex.examples import ConvexExamples
from bandstrap.models.convex.factor import span_of
from bandstrap.models.features import Examples
from bandstrap.priors import NoExamples, SeenExamples
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Exponential, GaussianNoise, Multinomial, NoResampling
from bandstrap.storage.packing import pack
from bandstrap.storage.unpacking import Loaded, unpack

SCALES = [1.0, 100.0, 1e6, 1e12]
LINEAR, LOGISTIC = LinearRegression(), LogisticRegression()


def _solved(matrix, *sides):
    """Gauss and Jordan, in fractions."""
    size = len(matrix)
    rows = [[*row, *(side[i] for side in sides)] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(size):
            if k != i and rows[k][i]:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [[rows[i][size + j] / rows[i][i] for i in range(size)] for j in range(len(sides))]


def _exact(x, y, weights, at, noise=0.0):
    """The margin of least squares in a context, and its spread by noise on rewards."""
    rows = [[*map(Fraction, map(float, row)), Fraction(1)] for row in x]
    counts, size = [Fraction(float(w)) for w in weights], x.shape[1] + 1
    context = [*map(Fraction, map(float, at)), Fraction(1)]
    gram = [
        [sum(c * r[i] * r[j] for c, r in zip(counts, rows, strict=True)) for j in range(size)]
        for i in range(size)
    ]
    ridge = Fraction(1e-4 * len(y))
    hessian = [
        [gram[i][j] + (ridge if i == j < size - 1 else 0) for j in range(size)] for i in range(size)
    ]
    moment = [
        sum(c * r[i] * Fraction(float(t)) for c, r, t in zip(counts, rows, y, strict=True))
        for i in range(size)
    ]
    theta, q = _solved(hessian, moment, context)
    variance = sum(q[i] * gram[i][j] * q[j] for i in range(size) for j in range(size))
    margin = sum(a * b for a, b in zip(theta, context, strict=True))
    return float(margin), noise * float(variance) ** 0.5


def _data(seed, n=3, d=5):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), 7 + 2 * rng.standard_normal(n), rng.standard_normal(d)


def _taught(model, scheme, x, y, prior=None, support=None):
    problem = Problem(1, x.shape[1], support or Support.real())
    learner = model.learner(problem, scheme, prior or NoExamples())
    for context, reward in zip(x, y, strict=True):
        learner.learn(context, 0, float(reward), None)
    return learner


@pytest.mark.parametrize("scale", SCALES)
def test_fits_of_fewer_rows_than_features_interpolate(scale):
    x, y, at = _data(1, 20, 50)
    fit = LINEAR.fit(scale * x, y, np.ones(20), None, None)
    centred = x - x.mean(axis=0)
    shortest = np.linalg.pinv(centred) @ (y - y.mean())
    expected = y.mean() + (at - x.mean(axis=0)) @ shortest
    assert LINEAR.predict(fit, scale * at[None])[0] == pytest.approx(expected, abs=1e-3)


def test_a_logistic_fit_of_fewer_rows_than_features_stays_in_their_span():
    x, y, at = _data(2, 20, 50)
    span = span_of(x, True).basis
    outside = at - span @ (span.T @ at)
    for scale in SCALES:
        fit = LOGISTIC.fit(scale * x, (y > 7) * 1.0, np.ones(20), None, None)
        assert abs(scale * outside @ fit[:-1]) < 1e-9 * abs(scale * at @ fit[:-1])


@pytest.mark.parametrize("scheme", [Exponential(), Multinomial()], ids=["wb", "npb"])
@pytest.mark.parametrize("scale", SCALES)
def test_draws_of_fewer_rows_than_features_are_exact(scheme, scale):
    x, y, at = _data(3)
    learner, rng = _taught(LINEAR, scheme, scale * x, y), np.random.default_rng(0)
    for _ in range(10):
        drawn = draw_scores(learner, scale * at, rng)[0]
        weights = learner.arms[0].draw.entries[0, :3].copy()
        assert drawn == pytest.approx(_exact(scale * x, y, weights, scale * at)[0], abs=1e-6)


@pytest.mark.parametrize(
    "model", [LINEAR, GaussianLimit(LINEAR), OneStep(LINEAR)], ids=["additive", "limit", "step"]
)
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("scale", SCALES)
def test_spreads_of_fewer_rows_than_features_are_exact(model, scale, offset):
    x, y, at = _data(4)
    x, at = offset + scale * x, offset + scale * at
    learner, rng = _taught(model, GaussianNoise(2.0), x, y), np.random.default_rng(0)
    draws = [draw_scores(learner, at, rng)[0] for _ in range(2000)]
    mean, spread = _exact(x, y, np.ones(3), at, 2.0)
    assert np.mean(draws) == pytest.approx(mean, abs=5 * spread / np.sqrt(2000))
    assert np.std(draws) == pytest.approx(spread, rel=0.08)


def test_columns_of_any_size_and_rows_twice():
    x, y, at = _data(5)
    sizes = 10.0 ** np.array([-12, -6, 0, 6, 12])
    x, y = np.repeat(sizes * x, 2, axis=0)[:4], np.append(y, 8.0)
    learner, rng = _taught(LINEAR, GaussianNoise(2.0), x, y), np.random.default_rng(0)
    draws = [draw_scores(learner, sizes * at, rng)[0] for _ in range(2000)]
    mean, spread = _exact(x, y, np.ones(4), sizes * at, 2.0)
    assert np.mean(draws) == pytest.approx(mean, abs=5 * spread / np.sqrt(2000))
    assert np.std(draws) == pytest.approx(spread, rel=0.08)


def test_bytes_and_floats_have_the_same_limit():
    rng = np.random.default_rng(0)
    rows, rewards = rng.integers(0, 256, (4, 10)).astype(np.uint8), [1.0, 0.0, 1.0, 0.0]
    limits = [
        _taught(GaussianLimit(model), Exponential(), x, rewards, SeenExamples(), Support.binary())
        for model in (LINEAR, LOGISTIC)
        for x in (rows, rows / 255.0)
    ]
    for learner in limits:
        draw_scores(learner, np.zeros(10), rng)
    for a, b in (limits[:2], limits[2:]):
        largest = np.abs(b.covariance).max()
        np.testing.assert_allclose(a.covariance, b.covariance, atol=1e-3 * largest)


@pytest.mark.parametrize("offset", [1e4, 1e8, 1e10])
def test_columns_far_from_zero_are_solved(offset):
    rng = np.random.default_rng(6)
    x, weights = rng.standard_normal((200, 3)), rng.exponential(size=200)
    y = (x[:, 0] + rng.standard_normal(200) > 0) * 1.0
    near = LogisticRegression(tolerance=1e-9).fit(x, y, weights, None, None)
    far = LOGISTIC.fit(offset + x, y, weights, None, None)
    margins = (offset + x) @ far[:-1] + far[-1]

    def loss(m):
        return weights @ (np.logaddexp(0, m) - y * m) / weights.sum()

    assert loss(margins) - loss(x @ near[:-1] + near[-1]) < 2 * LOGISTIC.tolerance


def test_the_limit_is_right_where_columns_are_far_from_zero():
    rng = np.random.default_rng(7)
    x, y = rng.standard_normal((60, 2)), 7 + rng.standard_normal(60)
    here, far = (
        _taught(GaussianLimit(LINEAR), GaussianNoise(2.0), shift + x, y) for shift in (0.0, 1e5)
    )
    draws = [
        [draw_scores(learner, shift + x[0], np.random.default_rng(seed))[0] for seed in range(50)]
        for learner, shift in ((here, 0.0), (far, 1e5))
    ]
    np.testing.assert_allclose(draws[0], draws[1], atol=0.02)


@pytest.mark.parametrize("scheme", [Exponential(), GaussianNoise()], ids=["solved", "additive"])
def test_what_nothing_can_tell_apart_is_said_once(scheme):
    rng = np.random.default_rng(8)
    twins = 1e12 * rng.standard_normal((50, 1)) * np.ones(2)
    learner = LINEAR.learner(Problem(1, 2, Support.real()), scheme, NoExamples())

    def play():
        for context in twins:
            learner.learn(context, 0, float(rng.standard_normal()), rng)
            draw_scores(learner, context, rng)

    with pytest.warns(RuntimeWarning, match="standardise columns") as told:
        play()
    assert len(told) == 1


@pytest.mark.parametrize(
    ("model", "scheme"),
    [
        (LOGISTIC, Multinomial()),
        (GaussianLimit(LOGISTIC), Exponential()),
        (Grouped(LOGISTIC), Exponential()),
        (LINEAR, GaussianNoise()),
    ],
    ids=["solved", "limit", "grouped", "additive"],
)
def test_few_rows_go_on_where_they_were_saved(model, scheme):
    x, y, at = _data(9, 12, 6)
    learner = _taught(model, scheme, x[:4], (y[:4] > 7) * 1.0, support=Support.binary())
    draw_scores(learner, at, np.random.default_rng(0))
    again = unpack(pack(learner), Loaded())
    for row in range(4, 12):
        for each in (learner, again):
            each.learn(x[row], 0, float(y[row] > 7), np.random.default_rng(row))
        drawn = [draw_scores(each, at, np.random.default_rng(row))[0] for each in (learner, again)]
        assert drawn[0] == drawn[1]


def test_few_rows_fade_and_are_forgotten():
    x, y, at = _data(10)
    learner = _taught(LINEAR, GaussianNoise(2.0), 100 * x, y)
    learner.discount(0.5)
    rng = np.random.default_rng(0)
    draws = [draw_scores(learner, 100 * at, rng)[0] for _ in range(2000)]
    assert np.std(draws) == pytest.approx(_exact(100 * x, y, np.ones(3), 100 * at, 2.0)[1] * 2**0.5,
                                          rel=0.08)  # fmt: skip
    learner.discount(0.0)
    assert draw_scores(learner, at, rng)[0] == np.inf


def _many_features(model, rows):
    """A learner of one arm after `rows` images of 240 numbers."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 256, (rows, 240)).astype(np.uint8)
    y = (x[:, :20].mean(axis=1) > 127) * 1.0
    return _taught(model, NoResampling(), x, y, support=Support(0.0, 1.0)), x


@pytest.mark.parametrize(
    "model", [LogisticRegression(tolerance=1e-11), LinearRegression(1e-4, 1e-11)]
)
def test_few_rows_of_many_features_have_the_fit_of_their_span(model, monkeypatch):
    margins = []
    for wide in (10**9, WIDE):
        monkeypatch.setattr(draw, "WIDE", wide)
        learner, x = _many_features(model, 60)
        margins.append([learner.margins(each, None)[0] for each in x[:5] / 255])
        assert (len(learner.arms[0].factor) < 241) == (wide > 240)
    np.testing.assert_allclose(margins[1], margins[0], atol=2e-3)


def test_the_limit_of_few_rows_of_many_features_is_that_of_their_span(monkeypatch):
    laws = []
    for wide in (10**9, WIDE):
        monkeypatch.setattr(draw, "WIDE", wide)
        learner = _many_features(GaussianLimit(LogisticRegression(tolerance=1e-11)), 60)[0]
        learner._renew(0)  # between renewals rows take a step each
        laws.append((learner.theta.copy(), learner.covariance.copy()))
    for one, other in zip(*laws, strict=True):
        np.testing.assert_allclose(other, one, atol=2e-2 * np.abs(one).max())


def test_rows_of_many_features_share_factors(monkeypatch):
    learner, x = _many_features(LOGISTIC, 100)
    learner.margins(x[0] / 255, None)
    made = []
    for name in ("inverse_factor", "qr_factor"):
        make = getattr(draw, name)
        monkeypatch.setattr(draw, name, lambda *given, m=make: made.append(0) or m(*given))
    for row in range(8):
        learner.learn(x[row], 0, 0.0, None)
        learner.margins(x[0] / 255, None)
    assert len(made) <= 1  # sixteen before


@pytest.mark.parametrize("rows", [4, 5, 6])
def test_a_fit_without_intercept_to_as_many_rows_as_features_is_solved(rows):
    ridge = 1e-4 * rows

    def objective(theta):
        return (np.square(x @ theta - y).sum() + ridge * theta @ theta) / 2

    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = rng.standard_normal((rows, 5)) * 10.0 ** rng.integers(-2, 3, 5), rng.random(rows)
        best = np.linalg.solve(x.T @ x + ridge * np.eye(5), x.T @ y)
        fit = LinearRegression(intercept=False).fit(x, y, np.ones(rows), None, None)[:-1]
        assert objective(fit) - objective(best) < 1e-5 * rows * y.var()


@pytest.mark.parametrize(("scale", "direct"), [(1.0, True), (1e12, False)])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_direct_solution_is_taken_only_where_rounding_leaves_it_exact(scale, direct, intercept):
    x, y, _ = _data(11, 4, 8)
    x[:, 0] *= scale  # beside columns of size 1
    fitted = ConvexExamples(Examples.of(x, y), intercept)
    each = ConvexDraw(LINEAR.loss, fitted, LINEAR.penalty)
    each.set_weights(y, np.array([2.0, 0.0, 1.0, 1.0]))
    assert each.direct
    assert each._solve_directly(LINEAR.tolerance) == direct
    if direct:
        solved = each.theta.copy()
        each.begin_at(solved, None)
        assert each.gap < 1e-9
        assert (solved[-1] == 0) == (not intercept)
    else:
        assert not each.theta.any()  # where it stood

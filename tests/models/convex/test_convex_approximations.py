"""Noise on linear rewards is exact; one step, its limit and groups are as near as they say."""

import numpy as np
import pytest
from convex_problems import digits, one_versus_all
from scipy.special import logit
from scipy.stats import kstest

from bandstrap.errors import InvalidInput
from bandstrap.models import GaussianLimit, Grouped, LinearRegression, LogisticRegression, OneStep
from bandstrap.models.base import draw_scores
from bandstrap.priors import EigenExamples, NoExamples
from bandstrap.problem import Problem
from bandstrap.resampling import Exponential, GaussianNoise, Multinomial, NoResampling

TINY = Problem(2, 4)
PENALTY = 0.05  # large enough to tell Σ from the Hessian's inverse


def _history(n: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    x = rng.standard_normal((n, 4)) @ np.diag([1.0, 2.0, 0.5, 0.1]) + [0, 0, 1, 0]
    p = 1 / (1 + np.exp(-(x @ [1.0, -0.5, 0.3, 0.0] + 0.2)))
    return x, (rng.random(n) < p) * 1.0, rng.integers(0, 2, n)


def _taught(model, scheme, prior=None, n: int = 400):
    x, y, arms = _history(n)
    learner = model.learner(TINY, scheme, prior or EigenExamples(np.diag([1, 4, 0.25, 0.01])))
    for context, reward, arm in zip(x, y, arms, strict=True):
        learner.learn(context, int(arm), float(reward), None)
    return learner


def _draws(learner, context, times: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([draw_scores(learner, context, rng) for _ in range(times)])


@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_noise_on_linear_rewards_is_gaussian_with_the_covariance_of_refitting(scale) -> None:
    """θ̂ + H⁻¹Xᵀε: mean, covariance in every direction, distribution."""
    model = LinearRegression(PENALTY)
    learner = _taught(model, GaussianNoise(scale))
    x, y, arms = _history()
    pseudo = learner.pseudo
    rows = np.concatenate([pseudo.contexts, x[arms == 1]])
    rows = np.column_stack([rows, np.ones(len(rows))])
    rewards = np.concatenate([pseudo.rewards, y[arms == 1]])
    hessian = rows.T @ rows + PENALTY * len(rewards) * np.diag([1, 1, 1, 1, 0])
    center = np.linalg.solve(hessian, rows.T @ rewards)
    spread = scale**2 * np.linalg.solve(hessian, np.linalg.solve(hessian, rows.T @ rows).T)
    np.testing.assert_allclose(learner.theta[1], center, atol=1e-9)
    directions = np.random.default_rng(1).standard_normal((5, 4))
    for context in directions:
        a = np.append(context, 1.0)
        drawn = _draws(learner, context, 4000)
        sd = np.sqrt(a @ spread @ a)
        assert kstest((drawn[:, 1] - a @ center) / sd, "norm").pvalue > 1e-4
        assert drawn[:, 1].std() == pytest.approx(sd, rel=0.05)
        assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.07  # arms draw independently


def test_noise_equals_refitting_to_noisy_rewards() -> None:
    """The same distribution by brute force: fresh noise on every reward, then a fit."""
    model, scheme = LinearRegression(PENALTY, tolerance=1e-10), GaussianNoise(0.5)
    learner = _taught(model, scheme, NoExamples(), 60)
    x, y, arms = _history(60)
    rng = np.random.default_rng(4)
    context = np.array([0.5, -1.0, 1.0, 0.2])
    brute = []
    for _ in range(1000):
        rewards, weights = scheme.perturb(y[arms == 0], rng)
        fit = model.fit(x[arms == 0], rewards, weights, None, rng)
        brute.append(model.predict(fit, context[None])[0])
    drawn = _draws(learner, context, 4000)[:, 0]
    assert drawn.mean() == pytest.approx(np.mean(brute), abs=5 * np.std(brute) / 1000**0.5)
    assert drawn.std() == pytest.approx(np.std(brute), rel=0.1)


def test_one_step_is_one_newton_step_with_the_drawn_weights() -> None:
    learner = _taught(OneStep(LogisticRegression(tolerance=1e-9)), Exponential())
    context = np.array([0.3, 1.0, 0.5, 0.0])
    score = draw_scores(learner, context, np.random.default_rng(6))[1]
    arm = learner.all.arms[1]
    e, n = arm.examples, arm.examples.n_entries
    rows = np.concatenate([e.axes, -e.axes, e.rows.contexts])
    rows = np.column_stack([rows, np.ones(n)])
    p = 1 / (1 + np.exp(-rows @ arm.theta))
    counts = np.where(np.arange(n) < e.n_pseudo, 2.0, 1.0)
    ridge = 1e-4 * e.count * np.array([1, 1, 1, 1, 0])
    hessian = rows.T @ ((counts * p * (1 - p))[:, None] * rows) + np.diag(ridge)
    weight, total = arm.draw.entries[:2, :n]
    slope = rows.T @ (weight * p - total) + ridge * arm.theta
    expected = np.append(context, 1.0) @ (arm.theta - np.linalg.solve(hessian, slope))
    # The factor is of a history up to a tenth shorter.
    assert logit(score) == pytest.approx(
        expected, abs=0.05 * abs(expected - arm.theta @ np.append(context, 1)) + 1e-3
    )


@pytest.mark.parametrize("scheme", [Exponential(), Multinomial()])
@pytest.mark.parametrize("base", [LogisticRegression(), LinearRegression()], ids=["log", "lin"])
def test_limit_and_groups_have_the_centre_and_spread_of_solved_draws(base, scheme) -> None:
    context = np.array([0.3, 1.0, 0.5, 0.05])
    link = logit if isinstance(base, LogisticRegression) else np.asarray
    exact = type(base)(tolerance=1e-6)
    solved = link(_draws(_taught(exact, scheme, n=1200), context, 1500))
    for model in (OneStep(base), GaussianLimit(base), Grouped(base, 200)):
        drawn = link(_draws(_taught(model, scheme, n=1200), context, 3000, seed=1))
        sd = solved.std(axis=0)
        np.testing.assert_allclose(drawn.mean(axis=0), solved.mean(axis=0), atol=0.25 * sd.max())
        np.testing.assert_allclose(drawn.std(axis=0), sd, rtol=0.2, err_msg=repr(model))


def test_limit_keeps_up_with_the_fit_between_renewals() -> None:
    """θ̂ kept by rank-one steps is within a fraction of a draw's spread of the true fit."""
    learner = GaussianLimit(LogisticRegression()).learner(TINY, Exponential(), NoExamples())
    x, y, _ = _history(1500)
    exact = LogisticRegression(tolerance=1e-10)
    worst = 0.0
    for row in range(1500):
        learner.learn(x[row], 0, float(y[row]), None)
        if row > 50 and row % 97 == 0:
            fit = exact.fit(x[: row + 1], y[: row + 1], np.ones(row + 1), None, None)
            sd = np.sqrt(np.diag(learner.inverse[0]))
            worst = max(worst, float(np.abs((learner.theta[0] - fit) / sd).max()))
    assert worst < 0.3


def test_limit_keeps_its_spread_between_renewals_and_after_a_shock() -> None:
    """M⁻¹ G M⁻¹ at the learner's own θ̂, even after a context that outweighs all before."""
    learner = GaussianLimit(LinearRegression()).learner(TINY, Exponential(), NoExamples())
    x, y, _ = _history(290)
    x[[100, 200]] *= 1e4
    for row in range(290):
        learner.learn(x[row], 0, float(y[row]), None)
        if row in (100, 150, 200, 289):
            rows = np.column_stack([x[: row + 1], np.ones(row + 1)])
            ridge = 1e-4 * (row + 1) * np.diag([1, 1, 1, 1, 0])
            bread = np.linalg.inv(rows.T @ rows + ridge)
            squares = (rows @ learner.theta[0] - y[: row + 1]) ** 2
            right = bread @ (rows.T @ (squares[:, None] * rows)) @ bread
            sd = np.sqrt(np.diag(right))
            np.testing.assert_allclose(np.sqrt(np.diag(learner.covariance[0])) / sd, 1, atol=0.05)


def test_limit_without_resampling_is_the_fit() -> None:
    learner = _taught(GaussianLimit(LogisticRegression()), NoResampling())
    drawn = _draws(learner, np.array([0.3, 1.0, 0.5, 0.0]), 3)
    assert (drawn == drawn[0]).all()


def test_approximations_take_bytes_and_changing_priors() -> None:
    x, y = digits(np.uint8)
    for model in (
        OneStep(LogisticRegression()),
        GaussianLimit(LogisticRegression()),
        Grouped(LogisticRegression()),
    ):
        learner = model.learner(Problem(10, 64), Exponential(), EigenExamples())
        one_versus_all(learner, x[:600], y[:600], 10)
        rng = np.random.default_rng(0)
        all_arms = np.ones(10, dtype=np.bool_)
        right = np.mean([learner.best(x[row], rng, all_arms) == y[row] for row in range(600, 700)])
        assert right > 0.3  # one in ten by chance


def test_equal_seeds_give_equal_draws() -> None:
    context = np.array([0.3, 1.0, 0.5, 0.0])
    for model in (
        LogisticRegression(),
        OneStep(LogisticRegression()),
        GaussianLimit(LinearRegression()),
        Grouped(LinearRegression()),
    ):
        first, second = (_draws(_taught(model, Exponential()), context, 3) for _ in range(2))
        assert (first == second).all()
        assert (first[0] != first[1]).all()


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidInput, match="groups"):
        Grouped(LogisticRegression(), 1)
    with pytest.raises(InvalidInput, match="Grouped"):
        Grouped(LinearRegression()).learner(TINY, GaussianNoise(), NoExamples())
    with pytest.raises(InvalidInput, match="noise"):
        GaussianLimit(LogisticRegression()).learner(TINY, GaussianNoise(), NoExamples())


def test_limit_of_pseudo_examples_alone() -> None:
    """Each axis stands for four examples, and each of them for a share of the spread."""
    context = np.array([0.3, 1.0, 0.5, 0.05])
    sds = []
    for model in (OneStep(LogisticRegression()), GaussianLimit(LogisticRegression())):
        drawn = logit(_draws(_taught(model, Exponential(), n=0), context, 4000))
        sds.append(drawn.std())
    assert sds[1] == pytest.approx(sds[0], rel=0.05)

"""Solved draws: their objective against an independent solver's, and what leads to them."""

import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from convex_problems import (
    Given,
    digits,
    entries,
    objective,
    one_versus_all,
    reference_linear,
    reference_logistic,
)
from scipy.sparse import csr_array
from scipy.special import expit

from bandstrap.errors import InvalidInput
from bandstrap.models import LinearRegression, LogisticRegression
from bandstrap.models.base import draw_scores
from bandstrap.models.convex import learner as convex_learner
from bandstrap.models.convex.learner import ConvexLearner
from bandstrap.models.refit import RefitLearner
from bandstrap.priors import EigenExamples, GaussianExamples, NoExamples
from bandstrap.problem import Problem
from bandstrap.resampling import (
    DoubleOrNothing,
    Exponential,
    GaussianNoise,
    Multinomial,
    NoResampling,
    Poisson,
)

DIGITS = Problem(10, 64)
ALL = np.ones(10, dtype=np.bool_)
COVARIANCE = np.cov(digits()[0].T)
PRIOR = EigenExamples(COVARIANCE)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-10])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("scheme", [Exponential(), Multinomial()])
def test_objective_is_within_the_tolerance_of_the_optimum(tolerance, dtype, scheme) -> None:
    x, y = digits(dtype)
    model = LogisticRegression(tolerance=tolerance)
    learner = model.learner(DIGITS, scheme, PRIOR)
    one_versus_all(learner, x, y, 10)
    draw_scores(learner, x[0], np.random.default_rng(1))
    for arm in learner.arms[::3]:
        best = objective(reference_logistic(arm.draw), arm.draw, logistic=True)
        gap = (objective(arm.draw.theta, arm.draw, logistic=True) - best) / arm.draw.weight
        assert gap <= tolerance
        start = (objective(arm.theta, arm.draw, logistic=True) - best) / arm.draw.weight
        assert start > 1e-3  # there was some way to go


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-10])
@pytest.mark.parametrize("scheme", [Exponential(), Multinomial()])
def test_linear_objective_is_within_the_tolerance(tolerance, scheme) -> None:
    x, y = digits()
    learner = LinearRegression(tolerance=tolerance).learner(DIGITS, scheme, PRIOR)
    one_versus_all(learner, x, y, 10)
    draw_scores(learner, x[0], np.random.default_rng(1))
    for arm in learner.arms[::3]:
        best = objective(reference_linear(arm.draw), arm.draw, logistic=False)
        gap = (objective(arm.draw.theta, arm.draw, logistic=False) - best) / arm.draw.weight
        assert -1e-12 <= gap <= tolerance


@pytest.mark.parametrize("n", [0, 30, 300])
def test_certificate_holds_in_many_draws(n) -> None:
    """Few examples of many dimensions: where weights change the Hessian most."""
    x, y = digits()
    learner = LogisticRegression().learner(DIGITS, Exponential(), PRIOR)
    one_versus_all(learner, x[:n], y[:n], 10)
    exact = LogisticRegression(tolerance=1e-11)
    gaps = []
    for seed in range(20):
        draw_scores(learner, x[n], np.random.default_rng(seed))
        draw = learner.arms[seed % 10].draw
        contexts, weight, total = entries(draw)
        rewards = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
        strength = draw.strength / len(weight)
        solver = LogisticRegression(strength, exact.tolerance)
        best = objective(solver.fit(contexts, rewards, weight, None, None), draw, logistic=True)
        gaps.append((objective(draw.theta, draw, logistic=True) - best) / draw.weight)
    assert max(gaps) <= 1e-3


@pytest.mark.skipif("BANDSTRAP_DATA" not in os.environ, reason="no BANDSTRAP_DATA")
@pytest.mark.parametrize("name", ["covtype", "mnist"])
def test_objective_on_the_papers_data(name) -> None:
    with np.load(Path(os.environ["BANDSTRAP_DATA"]) / f"{name}.npz") as file:
        x, y = (
            (file["X"], file["y"] - 1) if name == "covtype" else (file["X_train"], file["y_train"])
        )
    rows = np.random.default_rng(0).permutation(len(y))[:3000]
    x, y = x[rows].reshape(3000, -1), y[rows].astype(int)
    if name == "covtype":
        x = x.astype(np.float32)
        x[:, :10] = (x[:, :10] - x[:, :10].mean(axis=0)) / x[:, :10].std(axis=0)
    n_arms = int(y.max()) + 1
    prior = EigenExamples(np.cov((x / 255.0 if x.dtype == np.uint8 else x).T))
    for tolerance in (1e-3, 1e-6):
        model = LogisticRegression(tolerance=tolerance)
        learner = model.learner(Problem(n_arms, x.shape[1]), Exponential(), prior)
        one_versus_all(
            learner,
            x[: 1000 if name == "mnist" else 3000],
            y[: 1000 if name == "mnist" else 3000],
            n_arms,
        )
        draw_scores(learner, x[0], np.random.default_rng(1))
        draw = learner.arms[1].draw
        best = objective(reference_logistic(draw), draw, logistic=True)
        assert (objective(draw.theta, draw, logistic=True) - best) / draw.weight <= tolerance


@pytest.mark.parametrize(
    "model", [LogisticRegression(tolerance=1e-12), LinearRegression(tolerance=1e-12)]
)
@pytest.mark.parametrize("prior", [PRIOR, GaussianExamples(), NoExamples()])
@pytest.mark.filterwarnings("ignore::bandstrap.models.cost.CostWarning")
def test_draws_are_those_of_refitting_everything(model, prior) -> None:
    x, y = digits(np.uint8)
    fast = model.learner(DIGITS, Given(3), prior)
    slow = RefitLearner(model, DIGITS, Given(3), prior)
    for learner in (fast, slow):
        one_versus_all(learner, x[:200], y[:200], 10)
    for row in range(3):
        rng = np.random.default_rng(row)
        np.testing.assert_allclose(
            draw_scores(fast, x[row], rng), draw_scores(slow, x[row], rng), atol=2e-4
        )


@pytest.mark.parametrize("intercept", [True, False])
def test_fit_follows_start_sparse_contexts_and_intercept(intercept) -> None:
    x, y = digits()
    model = LogisticRegression(tolerance=1e-11, intercept=intercept)
    weights = np.random.default_rng(0).exponential(size=len(y))
    rewards = (y == 3) * 0.9 + 0.05  # soft labels
    fit = model.fit(x, rewards, weights, None, None)
    for contexts, start in (
        (csr_array(x), None),
        (x, fit + 5.0 * np.append(np.ones(64), intercept)),
    ):
        np.testing.assert_allclose(
            model.fit(contexts, rewards, weights, start, None), fit, atol=1e-3
        )
    assert (fit[-1] == 0) == (not intercept)
    residual = weights * (model.predict(fit, x) - rewards)
    slope = residual @ x + 1e-4 * len(y) * fit[:-1]
    assert np.abs(slope).max() < 1e-2 * np.abs(residual).sum() / len(y)
    np.testing.assert_allclose(model.predict(fit, x[:5]), expit(x[:5] @ fit[:-1] + fit[-1]))


@pytest.mark.parametrize("model", [LogisticRegression(), LinearRegression()])
def test_without_resampling_a_draw_is_the_fit(model) -> None:
    x, y = digits()
    learner = model.learner(DIGITS, NoResampling(), NoExamples())
    exact = type(model)(tolerance=1e-10)
    history: list[list[int]] = [[] for _ in range(10)]
    for row in range(200):
        arm = row % 10
        learner.learn(x[row], arm, float(y[row] == arm), None)
        history[arm].append(row)
    rows = history[4]
    fit = exact.fit(x[rows], (y[rows] == 4) * 1.0, np.ones(len(rows)), None, None)
    near = draw_scores(learner, x[300], np.random.default_rng(0))[4]
    assert near == pytest.approx(exact.predict(fit, x[300:301])[0], abs=0.05)
    assert draw_scores(learner, x[300], np.random.default_rng(9))[4] == near


def _moments(scheme) -> np.ndarray:
    """Total weights of an axis entry, of a row, and of everything, in many draws."""
    x, y = digits()
    learner = LogisticRegression().learner(Problem(1, 64), scheme, PRIOR)
    for row in range(50):
        learner.learn(x[row], 0, float(y[row] == 0), None)
    draw, rng = learner.arms[0].draw, np.random.default_rng(2)
    learner.all.notice_prior()
    found = []
    for _ in range(4000):
        draw.weigh(scheme, rng.bit_generator.random_raw(4), rng)
        row = draw.examples.n_pseudo + 7
        found.append((draw.entries[0, 3], draw.entries[1, 3], draw.entries[0, row], draw.weight))
    return np.array(found)


@pytest.mark.parametrize(
    "scheme", [Exponential(), Multinomial(), Poisson(), DoubleOrNothing()], ids=repr
)
def test_every_example_has_a_fresh_weight_of_mean_and_variance_one(scheme) -> None:
    found = _moments(scheme)
    np.testing.assert_allclose(found[:, :3].mean(axis=0), [2, 1, 1], atol=0.1)
    np.testing.assert_allclose(found[:, :3].var(axis=0), [2, 1, 1], atol=0.25)
    count = 4 * PRIOR.start(DIGITS).axes.shape[0] + 50
    assert found[:, 3].mean() == pytest.approx(count, rel=0.02)
    assert found[:, 3].std() == pytest.approx(0 if scheme == Multinomial() else count**0.5, rel=0.1)
    assert abs(np.corrcoef(found[:, 1], found[:, 2])[0, 1]) < 0.07


def test_contenders_alone_give_the_arm_of_all_arms_solved(monkeypatch) -> None:
    # Not because they are cheap: only the first 320 rounds, where bounds are known to fail, solve
    # all at once.
    monkeypatch.setattr("bandstrap.models.convex.learner.SMALL", 0)
    x, y = digits()
    learner = LogisticRegression().learner(DIGITS, Exponential(), PRIOR)
    differ, rounds = 0, 820
    for row in range(rounds):
        chosen = learner.best(x[row], np.random.default_rng(row), ALL)
        scores = draw_scores(learner, x[row], np.random.default_rng(row))
        differ += chosen != scores.argmax()
        learner.learn(x[row], chosen, float(chosen == y[row]), None)
    assert differ == 0


@pytest.mark.parametrize(("rows", "features"), [(320, 600), (450, 230)], ids=["few", "more"])
@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("scheme", [Multinomial(), DoubleOrNothing(), Exponential()], ids=repr)
def test_the_best_of_linear_draws_is_that_of_exact_solutions(rows, features, share, scheme):
    """Weights of zero leave directions that nothing but the penalty bends."""
    rng, every = np.random.default_rng(0), np.ones(3, dtype=np.bool_)
    x = (rng.random((rows + 12, features)) < share) * 1.0
    y = (x @ rng.standard_normal((features, 3))).argmax(axis=1)
    learner = LinearRegression(tolerance=1e-9).learner(Problem(3, features), scheme, NoExamples())
    for row, arm in product(range(rows), range(3)):
        learner.learn(x[row], arm, float(y[row] == arm), None)
    assert not learner._young(features)
    for seed, context in enumerate(x[rows:]):
        chosen = learner.best(context, np.random.default_rng(seed), every)
        learner.margins(context, np.random.default_rng(seed))
        solved = [reference_linear(arm.draw) @ np.append(context, 1.0) for arm in learner.arms]
        assert chosen == np.argmax(solved)


@pytest.mark.parametrize(("rows", "all_solved"), [(300, True), (900, False)])
def test_contenders_are_not_told_from_fewer_rows_than_half_the_features(
    rows, all_solved, monkeypatch
) -> None:
    monkeypatch.setattr("bandstrap.models.convex.learner.SMALL", 0)
    x, y = digits()
    learner = LogisticRegression().learner(DIGITS, Multinomial(), PRIOR)
    for row in range(rows):
        learner.learn(x[row], row % 10, float(row % 10 == y[row]), None)
    gaps = []
    for row in range(5):
        learner.best(x[rows + row], np.random.default_rng(row), ALL)
        gaps += [arm.draw.gap for arm in learner.arms]
    assert (max(gaps) <= 1e-3) == all_solved


def test_best_keeps_to_allowed_arms_and_tries_empty_ones_first() -> None:
    x, _ = digits()
    allowed = np.zeros(10, dtype=np.bool_)
    allowed[[2, 5]] = True
    learner = LogisticRegression().learner(DIGITS, Exponential(), NoExamples())
    rng = np.random.default_rng(0)
    assert {learner.best(x[0], rng, allowed) for _ in range(20)} == {2, 5}
    learner.learn(x[0], 2, 1.0, None)
    assert {learner.best(x[0], rng, allowed) for _ in range(5)} == {5}
    learner.learn(x[0], 5, 0.0, None)
    assert {learner.best(x[0], rng, allowed) for _ in range(5)} <= {2, 5}


def test_a_prior_that_changes_is_noticed() -> None:
    x, y = digits()
    growing = LogisticRegression(tolerance=1e-10).learner(DIGITS, Given(1), EigenExamples())
    one_versus_all(growing, x[:200], y[:200], 10)
    draw_scores(growing, x[0], np.random.default_rng(0))  # fitted with the axes of 128 contexts
    one_versus_all(growing, x[200:300], y[200:300], 10)
    settled = LogisticRegression(tolerance=1e-10).learner(DIGITS, Given(2), EigenExamples())
    one_versus_all(settled, x[:200], y[:200], 10)
    one_versus_all(settled, x[200:300], y[200:300], 10)
    growing.all.resampling.rng = np.random.default_rng(2)
    rng = np.random.default_rng(0)
    np.testing.assert_allclose(
        draw_scores(growing, x[9], rng), draw_scores(settled, x[9], rng), atol=1e-4
    )


@pytest.mark.parametrize("reward", [-0.1, 1.5, np.nan])
def test_rewards_without_meaning_are_refused(reward) -> None:
    learner = LogisticRegression().learner(Problem(2, 3), Exponential(), NoExamples())
    with pytest.raises(InvalidInput, match=r"rewards.*\[0, 1\]"):
        learner.learn(np.zeros(3), 0, reward, None)
    with pytest.raises(InvalidInput, match="rewards"):
        LogisticRegression().fit(np.zeros((1, 3)), np.array([reward]), np.ones(1), None, None)


def test_what_makes_no_sense_is_refused() -> None:
    for parameters in ({"penalty": 0.0}, {"tolerance": -1.0}, {"penalty": np.nan}):
        with pytest.raises(InvalidInput, match="positive"):
            LogisticRegression(**parameters)
    with pytest.raises(InvalidInput, match="noise"):
        LogisticRegression().learner(Problem(2, 3), GaussianNoise(), NoExamples())
    for weights in (np.zeros(4), np.array([1, 1, -1, 1]), np.ones(3), np.array([1, np.nan, 1, 1])):
        with pytest.raises(InvalidInput, match="weights"):
            LinearRegression().fit(np.ones((4, 1)), np.ones(4), weights, None, None)
    with pytest.raises(InvalidInput, match="contexts"):
        LinearRegression().fit(np.full((4, 1), np.inf), np.ones(4), np.ones(4), None, None)


@pytest.mark.parametrize("model", [LogisticRegression(1e-4, 1e-5), LinearRegression()])
def test_a_winner_that_is_sure_before_it_is_solved_wins_when_all_are_solved(
    model, monkeypatch
) -> None:
    rng = np.random.default_rng(8)
    x = rng.standard_normal((400, 210)) / 4
    y = (x @ rng.standard_normal((210, 3))).argmax(axis=1)
    learner = model.learner(Problem(3, 210), Exponential(), EigenExamples(np.eye(210) / 16))
    for row, arm in product(range(380), range(3)):
        learner.learn(x[row], arm, float(y[row] == arm), None)
    refined, plain = [0], ConvexLearner._refine
    monkeypatch.setattr(
        ConvexLearner, "_refine", lambda *at: refined.__setitem__(0, refined[0] + 1) or plain(*at)
    )
    chosen, taken = [], []
    for wide in (210, 10**9):
        monkeypatch.setattr(convex_learner, "WIDE", wide - 10)
        refined[0] = 0
        every = np.ones(3, dtype=np.bool_)
        chosen.append([learner.best(row, np.random.default_rng(4), every) for row in x[380:]])
        taken.append(refined[0])
    solved = [draw_scores(learner, row, np.random.default_rng(4)).argmax() for row in x[380:]]
    assert chosen == [solved, solved]
    assert taken[0] < taken[1]

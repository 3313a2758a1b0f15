"""The paper's procedure beside scikit-learn's stochastic descent, which it follows."""

import numpy as np
import pytest
from scipy import special
from sklearn.linear_model import SGDClassifier, SGDRegressor

from bandstrap.errors import InvalidInput
from bandstrap.models.base import draw_scores
from bandstrap.models.eigen import RotatedExamples
from bandstrap.models.online.stochastic import (
    RepeatedRows,
    StochasticLinearRegression,
    StochasticLogisticRegression,
)
from bandstrap.models.refit import RefitLearner
from bandstrap.priors import EigenExamples, GaussianExamples, NoExamples
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Exponential, Multinomial


def data(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rows, 4)) * (rng.random((rows, 4)) < 0.6)
    margins = contexts @ [1.0, -0.5, 0.3, 0.0] - 0.4
    rewards = (rng.random(rows) < special.expit(margins)).astype(float)
    return contexts, rewards, rng.standard_exponential(rows)


def log_loss(theta: np.ndarray, contexts: np.ndarray, rewards: np.ndarray) -> float:
    margins = contexts @ theta[:-1] + theta[-1]
    return float(np.mean(np.logaddexp(0, margins) - rewards * margins))


def repeated(fit: object) -> np.ndarray:
    """What a random procedure gives with 40 seeds."""
    return np.array([fit(seed) for seed in range(40)])  # type: ignore[operator]


def alike(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Means within 4.5 standard errors, spreads within a factor of 1.8, on every column."""
    error = np.sqrt(ours.var(axis=0) / len(ours) + theirs.var(axis=0) / len(theirs))
    assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4.5 * error + 1e-9).all()
    ratio = ours.std(axis=0) / theirs.std(axis=0)
    assert (ratio < 1.8).all()
    assert (ratio > 1 / 1.8).all()


def test_one_row_takes_exactly_scikit_learns_steps() -> None:
    # With one row there is nothing to shuffle, so all of it must agree: rates, penalty, weight.
    context, weight = np.array([[0.5, -2.0]]), np.array([1.7])
    theirs = SGDRegressor(max_iter=7, tol=None, shuffle=False).fit(context, [0.8])
    ours = StochasticLinearRegression(threshold=1e-30, patience=7, passes=7).fit(
        context, np.array([0.8]), np.ones(1), None, np.random.default_rng(0)
    )
    np.testing.assert_allclose(ours, [*theirs.coef_, theirs.intercept_[0]], rtol=1e-12)
    theirs.fit(context, [0.8], sample_weight=weight)
    ours = StochasticLinearRegression(threshold=1e-30, patience=7, passes=7).fit(
        context, np.array([0.8]), weight, None, np.random.default_rng(0)
    )
    np.testing.assert_allclose(ours, [*theirs.coef_, theirs.intercept_[0]], rtol=1e-12)


def test_two_rows_alike_take_exactly_scikit_learns_logistic_steps() -> None:
    contexts, rewards = np.array([[0.5, -2.0], [0.5, -2.0]]), np.array([1.0, 1.0])
    theirs = SGDClassifier(loss="log_loss", shuffle=False)
    for _ in range(3):  # t_ carries on over calls, as it does over passes
        theirs.partial_fit(contexts, [1, 1], classes=[0, 1], sample_weight=[1.7, 1.7])
    ours = StochasticLogisticRegression(passes=3).fit(
        contexts, rewards, np.full(2, 1.7), None, np.random.default_rng(0)
    )
    np.testing.assert_allclose(ours, [*theirs.coef_[0], theirs.intercept_[0]], rtol=1e-12)


def test_logistic_fits_and_losses_are_distributed_as_scikit_learns() -> None:
    contexts, rewards, weights = data(300)

    def their_fit(seed: int) -> np.ndarray:
        sgd = SGDClassifier(loss="log_loss", random_state=seed).fit(
            contexts, rewards, sample_weight=weights
        )
        theta = np.append(sgd.coef_[0], sgd.intercept_)
        return np.append(theta, [log_loss(theta, contexts, rewards), sgd.n_iter_])

    def our_fit(seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        theta = StochasticLogisticRegression().fit(contexts, rewards, weights, None, rng)
        return np.append(theta, log_loss(theta, contexts, rewards))

    theirs, ours = repeated(their_fit), repeated(our_fit)
    alike(ours, theirs[:, :-1])


def test_linear_fits_and_losses_are_distributed_as_scikit_learns() -> None:
    contexts, rewards, weights = data(200, seed=1)

    def their_fit(seed: int) -> np.ndarray:
        sgd = SGDRegressor(random_state=seed).fit(contexts, rewards, sample_weight=weights)
        return np.append(sgd.coef_, sgd.intercept_)

    def our_fit(seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        return StochasticLinearRegression().fit(contexts, rewards, weights, None, rng)

    alike(repeated(our_fit), repeated(their_fit))


def test_a_warm_start_is_where_descent_begins() -> None:
    contexts, rewards, weights = data(100)
    start = np.array([3.0, 2.0, -1.0, 0.5, 1.0])
    none, rng = np.zeros((0, 4)), np.random.default_rng(0)
    model = StochasticLogisticRegression(passes=1)
    nothing = RotatedExamples(none[:, 0], none, contexts[:0], rewards[:0], weights[:0])
    unmoved = model.descend(nothing, start, rng)
    np.testing.assert_array_equal(unmoved, start)
    unweighted = RotatedExamples(none[:, 0], none, contexts, rewards, np.zeros(100))
    still = model.descend(unweighted, start, rng)
    # Rows of no weight still shrink parameters, as in scikit-learn; the intercept stays.
    shrink = np.prod([1 - 1e-4 / (1e-4 * (1000 + t)) for t in range(100)])
    np.testing.assert_allclose(still, start * [*[shrink] * 4, 1.0], rtol=1e-12)
    np.testing.assert_array_equal(start, [3.0, 2.0, -1.0, 0.5, 1.0])


@pytest.mark.parametrize("resampling", [Exponential(), Multinomial()])
@pytest.mark.parametrize("repeated_rows", [False, True])
def test_the_learner_draws_as_refitting_copies_would(
    resampling: object, repeated_rows: bool
) -> None:
    contexts, rewards, _ = data(80)
    model, problem = StochasticLogisticRegression(), Problem(2, 4)
    model = RepeatedRows(model) if repeated_rows else model
    ours = model.learner(problem, resampling, GaussianExamples())
    plain = RefitLearner(model, problem, resampling, GaussianExamples())
    for learner in (ours, plain):
        for i, context in enumerate(contexts):
            learner.learn(context, i % 2, rewards[i], None)
    first, second = np.random.default_rng(1), np.random.default_rng(1)
    for context in contexts[:3]:
        np.testing.assert_array_equal(
            draw_scores(ours, context, first), draw_scores(plain, context, second)
        )


def test_bytes_are_shares() -> None:
    contexts = np.random.default_rng(0).integers(0, 256, (80, 4)).astype(np.uint8)
    rewards = (contexts[:, 0] > 100).astype(float)
    model = StochasticLinearRegression(passes=3)
    fits = [
        model.fit(given, rewards, np.ones(80), None, np.random.default_rng(1))
        for given in (contexts, contexts / 255.0)
    ]
    np.testing.assert_allclose(*fits, rtol=1e-9)


def test_arms_without_examples_come_first_and_one_class_is_no_trouble() -> None:
    learner = StochasticLogisticRegression().learner(Problem(3, 2), Exponential(), NoExamples())
    rng = np.random.default_rng(0)
    for arm, reward in [(0, 1.0), (2, 0.0)]:
        for _ in range(5):
            learner.learn(rng.normal(size=2), arm, reward, None)
    everything = np.ones(3, dtype=bool)
    assert learner.best(np.zeros(2), rng, everything) == 1
    scores = draw_scores(learner, np.zeros(2), rng)
    assert scores[0] > 0.5 > scores[2]
    assert learner.best(np.zeros(2), rng, np.array([True, False, True])) == 0


def test_a_choice_is_made_by_margins_where_probabilities_tie() -> None:
    learner = StochasticLogisticRegression().learner(Problem(3, 1), Exponential(), NoExamples())
    learner.margins = lambda context, rng: np.array([50.0, 60.0, 40.0])
    everything, rng = np.ones(3, dtype=bool), np.random.default_rng(0)
    for _ in range(20):
        arm, scores = learner.decide(np.ones(1), rng, everything)[:2]
        assert (arm, scores.tolist()) == (1, [1.0, 1.0, 1.0])
        assert learner.best(np.ones(1), rng, everything) == 1


def test_divergence_and_bad_parameters_are_refused() -> None:
    huge = np.full((50, 2), 1e12)
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="standardise"):
        StochasticLinearRegression().fit(huge, np.ones(50), np.ones(50), None, rng)
    fit = StochasticLogisticRegression().fit(huge, np.ones(50), np.ones(50), None, rng)
    assert np.isfinite(fit).all()
    with pytest.raises(InvalidInput, match="positive"):
        StochasticLogisticRegression(threshold=0)
    with pytest.raises(InvalidInput, match="from 1 to 10,000"):
        StochasticLinearRegression(patience=0)
    with pytest.raises(InvalidInput, match="rescale"):
        StochasticLogisticRegression().learner(
            Problem(2, 3, Support.real()), Exponential(), NoExamples()
        )


MODELS = [StochasticLinearRegression(), StochasticLogisticRegression()]


@pytest.mark.parametrize("model", MODELS, ids=lambda each: type(each).__name__)
def test_a_repeated_row_is_as_many_rows(model: object) -> None:
    contexts, rewards, _ = data(60)
    counts = np.random.default_rng(1).poisson(1.0, 60)
    copies = np.repeat(np.arange(60), counts)
    one, other, none = (np.random.default_rng(2) for _ in range(3))
    repeats = RepeatedRows(model).fit(contexts, rewards, counts, None, one)
    plain = model.fit(contexts[copies], rewards[copies], np.ones(copies.size), None, other)
    np.testing.assert_array_equal(repeats, plain)
    weighted = model.fit(contexts, rewards, counts, None, none)
    assert np.abs(repeats - weighted).max() > 1e-3


def test_a_fraction_is_shared_by_the_steps_of_a_row() -> None:
    contexts, rewards, _ = data(3)
    model = RepeatedRows(StochasticLinearRegression(passes=1))
    one, other = (np.random.default_rng(2) for _ in range(2))
    fit = model.fit(contexts, rewards, np.array([2.5, 0.0, 0.5]), None, one)
    thrice = contexts[[0, 0, 0, 2]], rewards[[0, 0, 0, 2]], np.array([*[2.5 / 3] * 3, 0.5])
    np.testing.assert_array_equal(fit, model.model.fit(*thrice, None, other))


@pytest.mark.parametrize("model", MODELS, ids=lambda each: type(each).__name__)
def test_repeated_rows_in_the_eigenbasis_equal_copies(model: object) -> None:
    """Pseudo-examples along axes are repeated there without being written out."""
    contexts, rewards, _ = data(80)
    problem, prior = Problem(1, 4), EigenExamples(np.cov(contexts.T))
    model = RepeatedRows(model)
    ours = model.learner(problem, Multinomial(), prior)
    plain = RefitLearner(model, problem, Multinomial(), prior)
    first, second = np.random.default_rng(1), np.random.default_rng(1)
    for context, reward in zip(contexts, rewards, strict=True):
        for learner in (ours, plain):
            learner.learn(context, 0, reward, None)
    for context in contexts[:5]:
        np.testing.assert_allclose(
            draw_scores(ours, context, first), draw_scores(plain, context, second), atol=1e-7
        )


def test_rows_are_not_repeated_for_ever() -> None:
    contexts, rewards, _ = data(2)
    model, rng = RepeatedRows(StochasticLinearRegression()), np.random.default_rng(0)
    with pytest.raises(InvalidInput, match=r"weights = .*at most 100,000,000"):
        model.fit(contexts, rewards, np.array([1e12, 1.0]), None, rng)
    with pytest.raises(InvalidInput, match="rescale"):
        RepeatedRows(StochasticLogisticRegression()).learner(
            Problem(2, 3, Support.real()), Multinomial(), NoExamples()
        )

"""Estimators that refuse rows, or predict no number: the mean stands in."""

import warnings

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB, MultinomialNB

from bandstrap import (
    Bandit,
    ContextualBootstrap,
    EigenExamples,
    EveryRound,
    Exponential,
    InvalidInput,
    NoExamples,
    NoResampling,
    Online,
    OutputError,
    SeenExamples,
    Support,
    from_sklearn,
)
from bandstrap.models.base import draw_scores
from bandstrap.storage.packing import pack
from estimators import filled


def bandit_of(model, prior=None):
    policy = ContextualBootstrap(Exponential(), model, prior or SeenExamples())
    return Bandit(policy, ["a", "b"], rewards=Support.binary(), seed=3)


def counts(bandit):
    return [rows.count for rows in bandit.memory(None).state.learners[0].rows]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # GaussianNB divides by a variance of 0
def test_what_is_predicted_to_be_no_number_is_the_mean_with_one_warning():
    bandit = bandit_of(from_sklearn(GaussianNB()))
    bandit.learn(bandit.decide([0.1, 0.2]), 1)
    with pytest.warns(FitFailedWarning, match=r"GaussianNB .* arm \d .*not finite") as told:
        scores = [bandit.decide([0.3, 0.4]).scores.values() for _ in range(20)]
    assert [each.category for each in told].count(FitFailedWarning) == 1
    assert np.isfinite([list(each) for each in scores]).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_online_the_mean_stands_in_too():
    model = from_sklearn(GaussianNB(), refit=Online(), replicas=2)
    learner, rng = filled(model, [1.0, 0.0, 1.0, 1.0], NoResampling())
    learner.arms[0].fits[0].estimator.var_[:] = np.nan
    with pytest.warns(FitFailedWarning, match="not finite"):
        assert draw_scores(learner, np.zeros(1), rng)[0] == 0.75


@pytest.mark.parametrize(
    ("estimator", "least"),
    [
        (HistGradientBoostingClassifier(early_stopping=True, max_iter=3), 30),
        (CalibratedClassifierCV(LogisticRegression(), cv=3), 20),
    ],
    ids=lambda value: type(value).__name__,
)
def test_least_counts_the_rows_of_each_class(estimator, least):
    bandit = bandit_of(from_sklearn(estimator, least=least, replicas=2))
    contexts = np.random.default_rng(0).standard_normal((40, 2))
    bandit.learn(context=contexts, arm=["a"] * 40, reward=[0] * 40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bandit.decide(contexts[0]).scores["a"] < 0.5


@pytest.mark.parametrize("refit", [None, EveryRound()], ids=repr)
def test_a_fit_that_fails_is_the_mean_and_names_arm_and_cause(refit):
    model = from_sklearn(MultinomialNB(), refit=refit, replicas=3)
    bandit = bandit_of(model, NoExamples())
    bandit.learn(context=[[1.0, 2.0], [-1.0, 2.0]], arm=["b", "b"], reward=[1, 0])
    with pytest.warns(FitFailedWarning, match="MultinomialNB .* arm 1 .*Negative values") as told:
        scores = [bandit.decide([1.0, 1.0], allowed=["b"]).scores["b"] for _ in range(10)]
    assert [each.category for each in told].count(FitFailedWarning) == 1
    assert all(0 < score < 1 for score in scores)


def test_wrong_parameters_are_no_matter_of_rows():
    bandit = bandit_of(from_sklearn(LogisticRegression(C=-1.0)))
    bandit.learn(context=np.eye(2), arm=["a", "a"], reward=[1, 0])
    with pytest.raises(ValueError, match="'C' parameter"):
        bandit.decide([0.3, 0.4])


def negative(tmp_path, prior):
    """A bandit that was given one row its estimator refuses, twice."""
    bandit = bandit_of(from_sklearn(MultinomialNB(), refit=Online(), replicas=3), prior)
    for i in range(10):
        bandit.learn(bandit.decide([1.0, 2.0, float(i)]), i % 2)
    decision = bandit.decide([1.0, 2.0, -1.0])
    before = pack(bandit).text
    for _ in range(2):
        with pytest.raises(InvalidInput, match=r"context = .*MultinomialNB refuses .*leave it out"):
            bandit.learn(decision, 1)
    assert pack(bandit).text == before
    bandit.drop(decision)
    return bandit


@pytest.mark.parametrize("prior", [NoExamples(), SeenExamples()], ids=repr)
def test_a_row_refused_online_leaves_nothing_behind(tmp_path, prior):
    bandit = negative(tmp_path, prior)
    assert sum(counts(bandit)) == 10
    bandit.learn(bandit.decide([1.0, 2.0, 3.0]), 1)
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert again.decide([1.0, 0.0, 3.0]).scores == bandit.decide([1.0, 0.0, 3.0]).scores


def test_pseudo_examples_refused_online_are_left_out(tmp_path):
    prior = EigenExamples(np.eye(3))  # half of them are negative
    with pytest.warns(FitFailedWarning, match="Negative values") as told:
        bandit = negative(tmp_path, prior)
    assert [each.category for each in told].count(FitFailedWarning) == 1
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert again.decide([1.0, 0.0, 3.0]).scores == bandit.decide([1.0, 0.0, 3.0]).scores


def test_a_file_whose_estimator_cannot_be_made_again_says_why(tmp_path):
    bandit = negative(tmp_path, NoExamples())
    rows = bandit.memory(None).state.learners[0].rows
    next(each for each in rows if each.count).contexts[0] = -1.0  # as files of earlier versions had
    bandit.save(tmp_path / "b")
    with pytest.raises(OutputError, match="OnlineLearner could not be made again: Negative values"):
        Bandit.load(tmp_path / "b")

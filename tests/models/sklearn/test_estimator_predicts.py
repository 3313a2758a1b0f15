"""Estimators that are fit and refuse to predict, settings beside their parameters, and tables."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from bandstrap import (
    Bandit,
    ContextualBootstrap,
    EveryRound,
    Exponential,
    InvalidInput,
    Multinomial,
    NoExamples,
    Poisson,
    SeenExamples,
    Support,
    from_sklearn,
)
from bandstrap.models.sklearn.recipe import read, written
from estimators import copied

PEOPLE = [{"city": city, "age": float(i)} for i, city in enumerate(["Oslo", "Rome"] * 4)]


def bandit_of(model, resampling=None, prior=None):
    policy = ContextualBootstrap(resampling or Exponential(), model, prior or SeenExamples())
    return Bandit(policy, ["a", "b"], rewards=Support.binary(), seed=3)


def pipeline(encoder, **given):
    columns = make_column_transformer((encoder, ["city"]), **{"remainder": "passthrough", **given})
    return make_pipeline(columns, LogisticRegression())


def taught(bandit, contexts=PEOPLE):
    bandit.learn(context=contexts, arm=["a", "b"] * 4, reward=[0, 0, 1, 1] * 2)
    return bandit


@pytest.mark.parametrize("refit", [None, EveryRound()], ids=repr)
@pytest.mark.parametrize("resampling", [Exponential(), Multinomial()], ids=repr)
def test_a_word_that_a_fit_has_not_met_leads_to_the_mean_with_one_warning(refit, resampling):
    model = from_sklearn(pipeline(OneHotEncoder()), refit=refit, replicas=3)
    bandit = taught(bandit_of(model, resampling, NoExamples()))
    with pytest.warns(FitFailedWarning, match=r"Pipeline .* arm 0 .*Paris.*handle_unknown") as told:
        scores = [bandit.decide({"city": "Paris", "age": 1.0}).scores for _ in range(5)]
    assert [each.category for each in told].count(FitFailedWarning) == 1
    assert all(0 <= value <= 1 for each in scores for value in each.values())


def test_the_mean_is_that_of_the_replica_s_own_weights():
    model = from_sklearn(pipeline(OneHotEncoder()), replicas=3)
    bandit = taught(bandit_of(model, prior=NoExamples()))
    with pytest.warns(FitFailedWarning):
        scores = bandit.decide({"city": "Paris", "age": 1.0}).scores
    fits = bandit.memory(None).state.learners[0].fits
    assert scores["a"] in [fit.constant for fit in fits[0]]


def test_a_word_that_an_encoder_ignores_is_predicted():
    model = from_sklearn(pipeline(OneHotEncoder(handle_unknown="ignore")), replicas=3)
    bandit = taught(bandit_of(model))
    assert bandit.decide({"city": "Paris", "age": 1.0}).arm in ("a", "b")


def test_too_few_neighbours_are_no_reason_to_stop():
    model = from_sklearn(KNeighborsClassifier(), replicas=4)
    bandit = taught(bandit_of(model, Poisson()), np.arange(8.0)[:, None])
    with pytest.warns(FitFailedWarning, match="n_neighbors"):
        scores = [bandit.decide([3.0]).scores for _ in range(8)]
    assert np.isfinite([[*each.values()] for each in scores]).all()


def torn(table):
    if (np.asarray(table) > LARGEST).any():
        raise TypeError("a bug")
    return table


LARGEST = 100.0


def test_bugs_are_not_hidden():
    estimator = make_pipeline(FunctionTransformer(torn), LogisticRegression())
    bandit = taught(bandit_of(from_sklearn(estimator, replicas=2)), np.arange(8.0)[:, None])
    with pytest.raises(TypeError, match="a bug"):
        bandit.decide([LARGEST + 1])


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_the_output_that_was_set_is_saved(output):
    scaler = StandardScaler().set_output(transform=output)
    model = from_sklearn(make_pipeline(scaler, LogisticRegression()), replicas=2)
    assert copied(model).estimator.steps[0][1]._sklearn_output_config == {"transform": output}
    assert copied(model) == model
    plain = from_sklearn(make_pipeline(StandardScaler(), LogisticRegression()), replicas=2)
    assert plain != model
    assert not hasattr(read(written(StandardScaler())), "_sklearn_output_config")


def test_a_loaded_bandit_is_the_same_model():
    """Its second step knows the columns by names, which only a frame has."""
    scaler = StandardScaler().set_output(transform="pandas")
    named = make_column_transformer(("passthrough", ["x0"]))
    model = from_sklearn(make_pipeline(scaler, named, LogisticRegression()), replicas=2)
    bandit = taught(bandit_of(model), np.arange(8.0)[:, None])
    again = copied(bandit)
    for _ in range(5):
        assert again.decide([3.0]).scores == bandit.decide([3.0]).scores


@pytest.mark.parametrize("given", [{}, {"remainder": StandardScaler()}], ids=["passed", "scaled"])
def test_arrow_tables_reach_pipelines_as_frames(given, recwarn):
    model = from_sklearn(pipeline(OneHotEncoder(handle_unknown="ignore"), **given), replicas=2)
    arrow, dicts = taught(bandit_of(model), pa.Table.from_pylist(PEOPLE)), taught(bandit_of(model))
    told = arrow.decide(pa.Table.from_pylist(PEOPLE[:2]))
    assert [each.scores for each in told] == [each.scores for each in dicts.decide(PEOPLE[:2])]
    assert not [each for each in recwarn if each.category is FitFailedWarning]
    assert arrow.decide(PEOPLE[0]).arm in ("a", "b")


@pytest.mark.parametrize("name", ["replicas", "least"])
@pytest.mark.parametrize("value", [2.5, "2", float("nan"), 0])
def test_counts_are_whole(name, value):
    with pytest.raises(InvalidInput, match=f"{name} = .*whole number"):
        from_sklearn(LogisticRegression(), **{name: value})

"""Where weights go, and where rows are repeated instead."""

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Ridge,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bandstrap import (
    DoubleOrNothing,
    Exponential,
    GaussianNoise,
    Multinomial,
    NoResampling,
    Poisson,
    from_sklearn,
)
from bandstrap.models.base import draw_scores
from bandstrap.models.sklearn.fit import Fitter, weight_keyword
from estimators import TWO, filled

EXACT = [
    LogisticRegression(tol=1e-10),
    Ridge(),
    LinearRegression(),
    DecisionTreeClassifier(max_depth=4),
    DecisionTreeRegressor(max_depth=4),
    GradientBoostingClassifier(n_estimators=8),
    make_pipeline(StandardScaler(), Ridge()),
]


def two_ways(estimator, pipeline_repeats=False):
    """Predictions of fits to weighted rows and to repeated ones."""
    rng = np.random.default_rng(4)
    x = rng.standard_normal((80, 2))
    y = (x[:, 0] + 0.5 * rng.standard_normal(80) > 0) * 1.0
    weights = rng.poisson(1.0, 80) * 1.0
    probes = rng.standard_normal((50, 2))
    answers = []
    for repeats in (False, True):
        from_estimator = from_sklearn(estimator)._fitter(TWO, Exponential())
        fitter = Fitter(**{**vars(from_estimator), "repeats": repeats})
        fit = fitter.fit(estimator, (x, y, weights), 0)
        answers.append([fitter.expected(fit, probe[None])[0] for probe in probes])
    return np.abs(np.subtract(*answers)).max()


@pytest.mark.parametrize("estimator", EXACT[:-1], ids=lambda value: type(value).__name__)
def test_weight_two_is_the_row_twice(estimator):
    assert two_ways(estimator) < 1e-5


def test_it_is_not_for_stochastic_descent_nor_for_steps_before_the_last():
    assert two_ways(SGDRegressor(random_state=0)) > 1e-3
    assert 1e-4 < two_ways(EXACT[-1]) < 0.1


def repeats(estimator, resampling, **options):
    return from_sklearn(estimator, **options)._fitter(TWO, resampling).repeats


def test_where_rows_are_repeated():
    assert not repeats(LogisticRegression(), Multinomial())
    assert repeats(LogisticRegression(), Multinomial(), repeat=True)
    assert repeats(KNeighborsClassifier(), Poisson())
    assert repeats(make_pipeline(StandardScaler(), KNeighborsClassifier()), DoubleOrNothing())
    assert repeats(SGDClassifier(), Multinomial())
    assert not repeats(SGDClassifier(), Exponential())
    assert repeats(KNeighborsRegressor(), GaussianNoise())  # the rows are whole, rewards are not
    whole = (Multinomial(), Poisson(), DoubleOrNothing(), NoResampling())
    assert all(repeats(SGDClassifier(), each) for each in whole)


def test_where_weights_go():
    assert weight_keyword(Ridge()) == "sample_weight"
    inner = make_pipeline(StandardScaler(), Ridge())
    assert weight_keyword(inner) == "ridge__sample_weight"
    assert (
        weight_keyword(make_pipeline(StandardScaler(), inner)) == "pipeline__ridge__sample_weight"
    )
    search = GridSearchCV(inner, {"ridge__alpha": [1.0, 2.0]}, cv=2)
    assert weight_keyword(search) == "ridge__sample_weight"
    assert weight_keyword(VotingRegressor([("a", Ridge()), ("b", LinearRegression())])) is not None
    assert weight_keyword(VotingRegressor([("a", Ridge()), ("b", KNeighborsRegressor())])) is None
    assert weight_keyword(OneVsRestClassifier(LogisticRegression())) is None
    learner, rng = filled(from_sklearn(search, least=6), [0.0, 1.0] * 5, Exponential())
    assert np.isfinite(draw_scores(learner, np.zeros(1), rng)[0])

"""Estimators that files ask for: which are made, which need trust, and within which limits."""

import numpy as np
import pytest
from estimator_files import CONTEXTS, played, policy_of
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import (
    BaggingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import (
    LogisticRegression,
    RANSACRegressor,
    Ridge,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from bandstrap import Bandit, InvalidInput, OutputError
from bandstrap.models.sklearn.as_estimators import LogisticEstimator
from bandstrap.models.sklearn.recipe import ESTIMATORS, known_class, written
from bandstrap.models.sklearn.recipe import read as made_from
from bandstrap.storage.schema import Refused
from bandstrap.storage.unpacking import NotTrusted


class Own(RegressorMixin, BaseEstimator):
    """An estimator of a user's."""

    def __init__(self, width=1):
        self.width = width

    def fit(self, rows, targets, sample_weight=None):
        self.mean_ = float(np.average(targets, weights=sample_weight))
        return self

    def predict(self, rows):
        return np.full(len(rows), self.mean_)


@pytest.mark.parametrize("wrap", [lambda it: it, lambda it: make_pipeline(StandardScaler(), it)])
def test_an_estimator_of_others_must_be_trusted(wrap, tmp_path):
    bandit = Bandit(policy_of(wrap(Own(2))), ["a", "b"], seed=1)
    played(bandit, slice(0, 10))
    bandit.save(tmp_path / "b")
    with pytest.raises(OutputError, match=r"asks for .*:Own; if you trust it: .*trusted=\["):
        Bandit.load(tmp_path / "b")
    again = Bandit.load(tmp_path / "b", trusted=[Own])
    assert played(again, slice(10, 20)) == played(bandit, slice(10, 20))


def test_what_is_trusted_is_not_remembered(tmp_path):
    bandit = Bandit(policy_of(Own(2)), ["a", "b"], seed=1)
    bandit.save(tmp_path / "b")
    Bandit.load(tmp_path / "b", trusted=[Own])
    with pytest.raises(OutputError, match="asks for"):
        Bandit.load(tmp_path / "b")


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("LogisticRegression", "sklearn.linear_model._logistic"),
        ("LogisticRegression", "sklearn.linear_model.logistic"),  # as it was called once
        ("RBF", "sklearn.gaussian_process.kernels"),
        ("TfidfVectorizer", "sklearn.feature_extraction.text"),
        ("IterativeImputer", "sklearn.impute._iterative"),
        ("HalvingGridSearchCV", "sklearn.model_selection._search_successive_halving"),
        ("LogisticEstimator", "bandstrap.models.sklearn.as_estimators"),
    ],
)
def test_classes_are_found_wherever_a_version_has_them(name, module):
    assert known_class(f"{module}:{name}").__name__ == name


def test_all_that_are_known_are_estimators_of_this_version():
    kinds = [
        known_class(f"{m}:{name}") for m, names in ESTIMATORS.items() for name in names.split()
    ]
    assert all(hasattr(kind, "get_params") for kind in kinds)


@pytest.mark.parametrize(
    "name",
    [
        "sklearn.utils._bunch:Bunch",
        "sklearn.base:clone",
        "sklearn.datasets:fetch_openml",
        "sklearn.datasets._openml:fetch_openml",
        "sklearn.frozen._frozen:FrozenEstimator",
        "sklearn.cluster._optics:OPTICS",
        "sklearn.linear_model:import_module",
        "sklearn.linear_model._logistic:LogisticRegression.__init__",
        "bandstrap.bandit.bandit:Bandit",
        "bandstrap.models.sklearn.as_estimators:np",
        "subprocess:Popen",
        "os:system",
        "lightgbm.sklearn:LGBMRegressor",
        "",
    ],
)
def test_no_other_name_makes_anything(name):
    with pytest.raises(NotTrusted):
        made_from({"made": name, "of": {}})


def test_honest_estimators_come_back():
    for estimator in (
        make_pipeline(StandardScaler(), LogisticRegression(C=1e6, max_iter=10_000)),
        make_pipeline(PolynomialFeatures(3), Ridge(alpha=10**9)),
        make_pipeline(FunctionTransformer(np.log1p), Ridge()),
        ColumnTransformer(
            [
                ("words", TfidfVectorizer(ngram_range=(1, 2)), "text"),
                ("hot", OneHotEncoder(handle_unknown="ignore"), ["city"]),
                ("rest", "passthrough", make_column_selector("^num_.*", dtype_include="number")),
            ]
        ),
        GridSearchCV(Ridge(), {"alpha": [0.1, 1.0, 10.0]}, cv=3),
        RANSACRegressor(),
        GaussianProcessRegressor(RBF(2.0) + WhiteKernel()),
        MLPRegressor(hidden_layer_sizes=(100, 50)),
        BaggingRegressor(RandomForestRegressor(100), 100),
        HistGradientBoostingClassifier(max_iter=200),
        RandomForestClassifier(1000, random_state=2**31, class_weight={0: 1.0, 1: 10**6}),
        LogisticEstimator(),
    ):
        recipe = written(estimator)
        assert written(made_from(recipe)) == recipe


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestRegressor(10**9),
        RandomForestRegressor(10**5),
        make_pipeline(StandardScaler(), SGDClassifier(max_iter=2**31)),
        BaggingRegressor(BaggingRegressor(Ridge(), 9_000), 9_000),
        make_pipeline(PolynomialFeatures(100), Ridge()),
        make_pipeline(*[PolynomialFeatures(2)] * 3, Ridge()),
        MLPRegressor(hidden_layer_sizes=(10**6,)),
        MLPRegressor(hidden_layer_sizes=(1000,) * 100),
        GridSearchCV(Ridge(), {f"x{i}": [*range(10)] for i in range(10)}),
        GridSearchCV(RandomForestRegressor(), {"n_estimators": [10**9]}),
        GridSearchCV(make_pipeline(Ridge()), {"memory": ["some/folder"]}),
        GridSearchCV(BaggingRegressor(Ridge()), {"estimator__n_jobs": [8]}),
        RANSACRegressor(max_trials=np.inf),
        make_pipeline(TfidfVectorizer(input="filename"), Ridge()),
        make_pipeline(TfidfVectorizer(token_pattern="(a+)+$"), Ridge()),
        make_pipeline(TfidfVectorizer(ngram_range=(1, 10**6)), Ridge()),
        make_pipeline(FunctionTransformer(np.exp, kw_args={"dtype": "O"}), Ridge()),
        ColumnTransformer([("a", "passthrough", make_column_selector("(a+)+$"))]),
    ],
    ids=lambda it: type(it).__name__,
)
def test_what_would_never_end_is_refused_unless_it_is_trusted(estimator):
    recipe = written(estimator)
    with pytest.raises(Refused):
        made_from(recipe)
    assert written(made_from(recipe, _classes(estimator))) == recipe


def _classes(thing):
    """Every class within an estimator, by its name."""
    if isinstance(thing, list | tuple):
        return {name: kind for each in thing for name, kind in _classes(each).items()}
    if hasattr(thing, "get_params"):
        inner = _classes([*thing.get_params(deep=False).values()])
    elif isinstance(thing, make_column_selector):
        inner = {}
    else:
        return {}
    return {f"{type(thing).__module__}:{type(thing).__qualname__}": type(thing), **inner}


def test_a_refusal_names_parameter_and_remedy():
    with pytest.raises(
        Refused, match=r"RandomForestRegressor.n_estimators: 1000000000 is more"
    ) as it:
        made_from(written(RandomForestRegressor(10**9)))
    assert "Bandit.load(path, trusted=[RandomForestRegressor])" in str(it.value)


def test_processes_caches_and_talk_are_left_out_unless_trusted(tmp_path):
    noisy = make_pipeline(
        StandardScaler(),
        BaggingRegressor(Ridge(), 4, n_jobs=3, verbose=5),
        memory="some/folder",
        verbose=True,
    )
    bandit = Bandit(policy_of(noisy), ["a", "b"], seed=1)
    bandit.save(tmp_path / "b")
    quiet = Bandit.load(tmp_path / "b").policy.model.estimator
    assert (quiet.memory, quiet.verbose) == (None, False)
    assert (quiet.steps[1][1].n_jobs, quiet.steps[1][1].verbose) == (None, 0)
    trusted = Bandit.load(tmp_path / "b", trusted=[BaggingRegressor]).policy.model.estimator
    assert (trusted.steps[1][1].n_jobs, trusted.steps[1][1].verbose) == (3, 5)


def test_replicas_count_among_the_steps():
    recipe = written(BaggingRegressor(SGDRegressor(max_iter=1_000), 1_000))
    made_from(recipe, times=10)
    with pytest.raises(Refused, match=r"11,000,000 steps"):
        made_from(recipe, times=11)
    with pytest.raises(Refused, match=r"101 fits of an arm .*trusted=\[Ridge\]"):
        made_from(written(Ridge()), times=101)
    made_from(written(Ridge()), _classes(Ridge()), times=1000)


def test_wrong_parameters_are_an_error_of_ours():
    bandit = Bandit(policy_of(LogisticRegression(C=-1.0)), ["a", "b"], seed=1)
    bandit.learn(context=CONTEXTS[:4], arm=["a"] * 4, reward=[1, 0, 1, 0])
    with pytest.raises(InvalidInput, match=r"estimator = 'LogisticRegression': .*'C' parameter"):
        bandit.decide(CONTEXTS[0])

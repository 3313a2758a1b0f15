"""Bandits with scikit-learn's estimators come back from files as they were, or not at all."""

import numpy as np
import pytest
from edits import another, entry, fewer, filled, ids, item, put
from estimator_files import POLICIES, bandit_of, played

<<<<<<< HEAD
from bandstrap import (
    Bandit,
    ContextualBootstrap,
    EigenExamples,
    EveryRound,
    Exponential,
    Growth,
    HalfLife,
    InvalidInput,
    NoExamples,
    Online,
    OutputError,
    Poisson,
    Propensity,
    SeenExamples,
    Support,
    from_sklearn,
)
from bandstrap.models.sklearn.as_estimators import LogisticEstimator
from bandstrap.models.sklearn.known import ESTIMATORS, known_class
from bandstrap.models.sklearn.recipe import read as made_from
from bandstrap.models.sklearn.recipe import written
from bandstrap.storage.schema import Refused
from bandstrap.storage.unpacking import NotTrusted
from hostile import array_at, find, new_array, read, write

CONTEXTS = np.random.default_rng(7).standard_normal((200, 2))
WARM = SGDClassifier(loss="log_loss", max_iter=5, tol=None, warm_start=True)


def policy_of(estimator, refit=None, resampling=None, prior=None, replicas=2):
    model = from_sklearn(estimator, refit=refit or Growth(0.5), replicas=replicas)
    return ContextualBootstrap(resampling or Exponential(), model, prior or SeenExamples(2))


POLICIES = {
    "kept": policy_of(DecisionTreeRegressor(max_depth=3)),
    "classes": policy_of(LogisticRegression(), prior=EigenExamples()),
    "warm": policy_of(WARM, Growth(0.3), Poisson()),
    "online": policy_of(SGDClassifier(loss="log_loss"), Online(), Poisson()),
    "afresh": policy_of(Ridge(), EveryRound(), prior=NoExamples()),
}


def bandit_of(name, forgetting=None):
    settings = {"rewards": Support.binary(), "propensity": Propensity(draws=2)}
    return Bandit(POLICIES[name], ["a", "b", "c"], seed=4, forgetting=forgetting, **settings)


def played(bandit, rounds):
    told = []
    for context in CONTEXTS[rounds]:
        decision = bandit.decide(context)
        told.append((decision.arm, decision.propensity, decision.scores))
        bandit.learn(decision, float(context[bandit.arms.index(decision.arm) % 2] > 0))
    return told
=======
from bandstrap import Bandit, HalfLife, OutputError
from hostile import find, read, write
>>>>>>> main


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("honest")
    for name in POLICIES:
        bandit = bandit_of(name)
        played(bandit, slice(0, 110))
        bandit.save(folder / name)
    return folder


@pytest.mark.parametrize("name", POLICIES)
def test_a_loaded_one_goes_on_as_it_would_have(name, tmp_path):
    bandit = bandit_of(name)
    played(bandit, slice(0, 110))
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert played(again, slice(110, 120)) == played(bandit, slice(110, 120))


@pytest.mark.parametrize("name", ["kept", "afresh"])
def test_what_fades_goes_on_too(name, tmp_path):
    bandit = bandit_of(name, HalfLife(15))
    played(bandit, slice(0, 110))
    bandit.remove_arm("b")
    bandit.add_arm("d")
    played(bandit, slice(110, 130))
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert played(again, slice(130, 140)) == played(bandit, slice(130, 140))


of_half = filled(0.5)  # rewards that are no classes


def repeated(raw, slot):
    """The first arm's list, with its last item once more."""
    chain = slot.value[1][0]
    chain[1] += [["same", chain[1][-1][-1]]] * 50


def often(raw, slot):
    """So many fits that nothing asked for."""
    chain = slot.value[1][0]
    last = chain[1][-1]
    for number in range(50):
        chain[1].append([*last[:2], dict(last[2]), 20_000 + number])
        chain[1][-1][2]["moment"] = ["same", last[2]["moment"][-1]]


CHANGES = [
    ("kept", "EstimatorModel", "replicas", put(3)),
    ("kept", "EstimatorModel", "replicas", put(10**9)),
    ("kept", "EstimatorModel", "least", put(2)),
    ("kept", "EstimatorModel", "least", put(-1)),
    ("kept", "EstimatorModel", "repeat", put(True)),
    ("kept", "EstimatorModel", "refit", put(None)),
    ("kept", "Fitter", "keyword", put("max_depth")),
    ("kept", "Fitter", "seeds", put(["tuple", ["max_depth"], 9999])),
    ("kept", "Fitter", "repeats", put(True)),
    ("kept", "Fitter", "warm", put(True)),
    ("kept", "Fitter", "least", put(7)),
    ("classes", "Fitter", "values", put(["tuple", [0.0, 7.0], 9999])),
    ("classes", "Fitter", "values", put(None)),
    ("classes", "Rows", "_rewards", of_half),
    ("classes", "EstimatedExamples", "rewards", of_half),
    ("kept", "Importance", "count", put(10**6)),
    ("kept", "Importance", "count", put(1)),
    ("kept", "Importance", "_rows", entry((0, 0), 1e18)),
    ("kept", "Importance", "_rows", entry((0, 0), -1.0)),
    ("kept", "Importance", "_rows", entry((0, 1), -1e9)),
    ("kept", "Importance", "_rows", entry((0, 1), np.nan)),
    ("kept", "EnsembleLearner", "fading", put(1.0)),
    ("kept", "EnsembleLearner", "replicas", put(1000)),
    ("kept", "EnsembleLearner", "rows", fewer),
    ("kept", "EnsembleLearner", "chains", fewer),
    ("kept", "EnsembleLearner", "chains", repeated),
    ("kept", "EnsembleLearner", "fits", put(None)),
    ("kept", "EnsembleLearner", "schedule", put(None)),
    ("kept", "EnsembleLearner", "_renew", put(None)),
    ("warm", "EnsembleLearner", "chains", repeated),
    ("warm", "EnsembleLearner", "chains", often),
    ("kept", "Moment", "rows", put(10**6)),
    ("kept", "Moment", "rows", put(-1)),
    ("kept", "Moment", "version", put(10**6)),
    ("kept", "Moment", "fading", put(-1.0)),
    ("kept", "Moment", "fading", put(1.0)),
    ("kept", "Moment", "contexts", another(4, 3)),
    ("kept", "Moment", "rewards", another(3)),
    ("kept", "Renewal", "seed", put(-1)),
    ("kept", "Renewal", "seed", put(2**64)),
    ("kept", "Renewal", "total", put(0)),
    ("online", "OnlineLearner", "seeds", item(0, None)),
    ("online", "OnlineLearner", "seeds", item(0, -1)),
    ("online", "OnlineLearner", "replicas", put(1000)),
    ("online", "OnlineLearner", "versions", item(0, 10**6)),
    ("online", "OnlineLearner", "versions", item(0, -2)),
    ("online", "OnlineLearner", "marks", repeated),
    ("online", "OnlineLearner", "marks", fewer),
    ("online", "OnlineLearner", "arms", put(None)),
    ("online", "Mark", "rows", put(10**6)),
    ("online", "Mark", "rewards", another(1)),
    ("online", "Mark", "contexts", another(4, 3)),
]


@pytest.mark.parametrize("change", CHANGES, ids=ids)
def test_what_could_not_have_been_learnt_is_refused(change, honest, tmp_path):
    name, owner, attribute, how = change
    raw = read(honest / name)
    found = find(raw, owner, attribute)
    if not found:  # an attribute that files never have
        [node] = [slot for slot in find(raw, owner) if slot.name == "rows"]
        node.holder[attribute] = None
    else:
        how(raw, found[0])
    write(raw, tmp_path / "b")
    with pytest.raises(OutputError, match="damaged"):
        Bandit.load(tmp_path / "b")
<<<<<<< HEAD


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
        "bandstrap.models.as_estimators:np",
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


def parameters(raw):
    """Pairs of a recipe's names and values."""
    [recipe] = find(raw, "EstimatorModel", "recipe")
    [of] = [pair[1] for pair in recipe.value[1] if pair[0] == "of"]
    return of[1]


@pytest.mark.parametrize("value", [-1, "many", True, ["list", [], 9999], None, 1e308, 0.5])
def test_parameters_of_no_sense_lead_to_a_clear_error(value, honest, tmp_path):
    """scikit-learn looks at parameters when it is fit."""
    raw = read(honest / "kept")
    for pair in parameters(raw):
        if pair[0] in ("max_depth", "min_samples_leaf", "criterion"):
            pair[1] = value
    write(raw, tmp_path / "b")
    with pytest.raises((OutputError, InvalidInput)):
        played(Bandit.load(tmp_path / "b"), slice(0, 30))


def test_wrong_parameters_are_an_error_of_ours():
    bandit = Bandit(policy_of(LogisticRegression(C=-1.0)), ["a", "b"], seed=1)
    bandit.learn(context=CONTEXTS[:4], arm=["a"] * 4, reward=[1, 0, 1, 0])
    with pytest.raises(InvalidInput, match=r"estimator = 'LogisticRegression': .*'C' parameter"):
        bandit.decide(CONTEXTS[0])


@pytest.mark.parametrize(
    "recipe",
    [
        [],
        {},
        {"made": "sklearn.linear_model:Ridge"},
        {"made": "sklearn.linear_model:Ridge", "of": {"no_such": 1}},
        {"made": "sklearn.linear_model:Ridge", "of": {}, "more": 1},
        {"made": "sklearn.linear_model:Ridge", "of": {}, "output": "disk"},
        {"made": "sklearn.preprocessing:StandardScaler", "of": {}},
        {"made": ["sklearn.linear_model:Ridge"], "of": {}},
        {"held": "sklearn.linear_model:Ridge", "of": {}},
        {"ufunc": "load"},
        {"type": "ndarray"},
        {"slice": ["a", "b", "c"]},
        {"dict": 3},
    ],
    ids=repr,
)
def test_a_forged_recipe_is_refused(recipe, honest, tmp_path):
    raw = read(honest / "kept")
    [slot] = find(raw, "EstimatorModel", "recipe")
    slot.put(node_of(recipe))
    write(raw, tmp_path / "b")
    with pytest.raises(OutputError, match=r"damaged|asks for"):
        Bandit.load(tmp_path / "b")


NUMBERS = iter(range(30_000, 100_000))


def node_of(thing):
    """Plain data as a file has it."""
    if isinstance(thing, dict):
        return ["dict", [[key, node_of(value)] for key, value in thing.items()], next(NUMBERS)]
    if isinstance(thing, list):
        return ["list", [node_of(each) for each in thing], next(NUMBERS)]
    return thing


def test_a_recipe_that_unfolds_for_ever_is_refused_at_once(honest, tmp_path):
    """Forty lists, each of which holds the one before it twice."""
    raw = read(honest / "kept")
    [slot] = find(raw, "EstimatorModel", "recipe")
    node = ["list", [1, 2], next(NUMBERS)]
    for _ in range(40):
        node = ["list", [node, ["same", node[-1]]], next(NUMBERS)]
    slot.put(node)
    write(raw, tmp_path / "b")
    with pytest.raises(OutputError, match="too long"):
        Bandit.load(tmp_path / "b")


def test_a_file_cannot_bring_an_estimator_of_its_own(honest, tmp_path):
    raw = read(honest / "kept")
    [slot] = find(raw, "EstimatorModel", "recipe")
    slot.holder["estimator"] = new_array(raw, np.zeros(3))
    write(raw, tmp_path / "b")
    with pytest.raises(OutputError, match="damaged"):
        Bandit.load(tmp_path / "b")


def test_what_is_not_plain_is_no_parameter(honest, tmp_path):
    """A policy is registered, so a file may name it; in a recipe it has no place."""
    raw = read(honest / "kept")
    parameters(raw)[0][1] = ["object", "bandstrap.policies.ucb1:UCB1", {"scale": 1.0}, 9999]
    write(raw, tmp_path / "b")
    with pytest.raises(OutputError, match="UCB1 is not plain"):
        Bandit.load(tmp_path / "b")
=======
>>>>>>> main

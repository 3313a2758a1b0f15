"""Fits are not saved but made again: a run that was stopped goes on to the same bytes."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LogisticRegression, SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from bandstrap import (
    BandstrapError,
    ContextualBootstrap,
    EigenExamples,
    Every,
    EveryRound,
    Exponential,
    Growth,
    NoExamples,
    Online,
    Poisson,
    Problem,
    SeenExamples,
    Support,
    from_sklearn,
)
from bandstrap.bandit import Bandit
from bandstrap.models.sklearn.recipe import read, written
from bandstrap.storage.packing import CannotPack, pack
from estimators import XOR, copied, play

PROBLEM = Problem(n_arms=2, n_features=2, support=Support.binary())
FOREST = RandomForestClassifier(4, max_features=1)
HISTOGRAMS = HistGradientBoostingClassifier(max_iter=4, max_features=0.5, min_samples_leaf=4)
WARM = SGDClassifier(loss="log_loss", max_iter=5, tol=None, warm_start=True)
CASES = {
    "forest": (FOREST, Growth(0.5), Exponential(), SeenExamples(2)),
    "histograms": (HISTOGRAMS, Every(25), Exponential(), SeenExamples(2)),
    "logistic": (LogisticRegression(), Growth(0.3), Exponential(), EigenExamples()),
    "afresh": (FOREST, EveryRound(), Poisson(), SeenExamples(2)),
    "warm": (WARM, Growth(0.3), Poisson(), SeenExamples(2)),
    "warm, weighed": (make_pipeline(StandardScaler(), WARM), Every(9), Exponential(), NoExamples()),
    "online": (SGDClassifier(loss="log_loss"), Online(), Poisson(), SeenExamples(2)),
    "online, weighed": (GaussianNB(), Online(), Exponential(), EigenExamples()),
    "online, real": (SGDRegressor(), Online(), Exponential(), NoExamples()),
}


@pytest.mark.parametrize("case", CASES)
def test_a_stopped_run_goes_on_as_if_never_stopped(case):
    estimator, refit, resampling, prior = CASES[case]
    policy = ContextualBootstrap(
        resampling, from_sklearn(estimator, refit=refit, replicas=3), prior
    )
    rng = np.random.default_rng(1)
    contexts = rng.uniform(-1, 1, (30 if case == "afresh" else 80, 2))
    half = len(contexts) * 2 // 3
    state = policy.start(PROBLEM)
    play(policy, state, rng, contexts[:half], XOR, noise=0.1)
    again, twin, twin_rng = copied((policy, state, rng))
    assert again == policy
    context = np.array([[0.3, -0.4]])
    for _ in range(5):
        one, two = policy.scores(state, context, rng), again.scores(twin, context, twin_rng)
        assert one.tobytes() == two.tobytes()
    one = play(policy, state, rng, contexts[half:], XOR, noise=0.1)
    assert (play(again, twin, twin_rng, contexts[half:], XOR, noise=0.1) == one).all()
    assert rng.bit_generator.state == twin_rng.bit_generator.state
    one, two = policy.scores(state, context, rng), again.scores(twin, context, twin_rng)
    assert one.tobytes() == two.tobytes()


def test_recipes_give_back_estimators():
    columns = ColumnTransformer(
        [
            ("log", FunctionTransformer(np.log1p), make_column_selector("^x")),
            ("rest", StandardScaler(), slice(1, None)),
        ],
        transformer_weights={"log": 2.0},
    )
    estimator = make_pipeline(columns, RandomForestClassifier(class_weight={0: 1.0, 1: 3.0}))
    recipe = written(estimator)
    assert written(read(copied(recipe))) == recipe
    assert read(recipe).steps[0][1].transformers[1][2] == slice(1, None)
    assert read(recipe).steps[0][1].transformers[0][1].func is np.log1p


def test_a_cache_of_pickles_is_not_taken_over():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(), memory="some/folder")
    assert read(written(pipeline)).memory is None


def test_kernels_are_estimators_parameters():
    process = GaussianProcessRegressor(RBF(2.0) + WhiteKernel())
    assert str(read(copied(written(process)))) == str(process)


def test_a_bandit_goes_on_from_its_file(tmp_path):
    model = from_sklearn(LogisticRegression(), refit=Every(5), replicas=3)
    policy = ContextualBootstrap(Exponential(), model, SeenExamples())
    bandit, rng = Bandit(policy, arms=["a", "b"], seed=1), np.random.default_rng(0)
    for city in rng.choice(["Oslo", "Rome"], 30):
        decision = bandit.decide({"x": float(rng.normal()), "y": float(city == "Rome")})
        bandit.learn(decision, float(rng.integers(2)))
    bandit.save(tmp_path / "bandit")
    again = Bandit.load(tmp_path / "bandit")
    for context in ({"x": 0.1, "y": 1.0}, {"x": -1.0, "y": 0.0}):
        one, two = bandit.decide(context), again.decide(context)
        assert (one.arm, one.propensity, one.scores) == (two.arm, two.propensity, two.scores)


def test_what_has_no_plain_form_cannot_be_saved():
    pipeline = make_pipeline(FunctionTransformer(lambda x: x), LogisticRegression())
    with pytest.raises(CannotPack, match="recipe"):
        pack(from_sklearn(pipeline))


@pytest.mark.parametrize(
    "recipe",
    [
        {"made": "subprocess:Popen", "of": {"args": "true"}},
        {"made": "sklearn.utils._bunch:Bunch", "of": {}},
        {"made": "antigravity:anything", "of": {}},
        {"made": "sklearn.base:clone", "of": {"estimator": 1}},
        {"ufunc": "load"},
        {"type": "ndarray"},
    ],
)
def test_a_forged_recipe_runs_nothing(recipe):
    with pytest.raises(BandstrapError):
        read(recipe)
    assert "antigravity" not in sys.modules


def test_a_recipe_is_read_where_nothing_is_imported_yet():
    code = (
        "import json, sys; from bandstrap.models.sklearn.recipe import read; "
        "assert 'sklearn' not in sys.modules; print(read(json.loads(sys.argv[1])))"
    )
    recipe = json.dumps(written(FOREST))
    done = subprocess.run(
        [sys.executable, "-c", code, recipe], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == str(FOREST)

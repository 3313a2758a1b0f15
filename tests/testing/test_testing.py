"""The checks for people's own classes pass ours, and catch what is broken on purpose."""

import ast
from pathlib import Path

import numpy as np
import pytest

import bandstrap.testing
import broken
from bandstrap import (
    POLICIES,
    ContextualBootstrap,
    EigenExamples,
    InvalidInput,
    Multinomial,
    Problem,
    SharedBootstrap,
    Support,
    from_sklearn,
)
from bandstrap.environments import ENVIRONMENTS, Labelled
from bandstrap.models import (
    DecisionTree,
    GaussianLimit,
    LinearRegression,
    LogisticRegression,
    NeuralNetwork,
    OnlineLogistic,
    RepeatedRows,
    Replicas,
    StochasticLinearRegression,
    StochasticLogisticRegression,
)
from bandstrap.resampling import RESAMPLING, Exponential
from bandstrap.testing import check_environment, check_model, check_policy, check_resampling

BINARY = Support.binary()


def raised(check, *given, **named):
    with pytest.raises(AssertionError) as error:
        check(*given, **named)
    return str(error.value)


def test_other_problems():
    """Two arms; rewards that are any number, in an interval; arms that have features."""
    check_policy(POLICIES["ts-gaussian"](), Problem(2, support=Support.real()), draws=150)
    check_policy(POLICIES["ucb1"](), Problem(4, support=Support.interval(0, 1)), draws=150)
    shared = SharedBootstrap(Exponential(), LinearRegression(), EigenExamples(np.eye(2)))
    check_policy(shared, Problem(3, 2, BINARY, per_arm=True), draws=40, rounds=40)


def test_a_policy_that_trains_when_it_decides():
    policy = ContextualBootstrap(Exponential(), NeuralNetwork(hidden=8), EigenExamples(np.eye(2)))
    given = {"problem": Problem(3, 2, BINARY), "draws": 60, "rounds": 60}
    assert "must not change later decisions" in raised(check_policy, policy, **given)
    check_policy(policy, **given, deciding_trains=True)


def test_one_arm_is_no_problem_to_try():
    with pytest.raises(InvalidInput, match="nothing to choose"):
        check_policy(POLICIES["ts"](), Problem(1))


@pytest.mark.parametrize("name", RESAMPLING)
def test_our_schemes(name):
    assert check_resampling(RESAMPLING[name]()) is None


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_our_environments(name):
    assert check_environment(ENVIRONMENTS[name]()) is None


def test_an_environment_with_contexts():
    check_environment(Labelled("digits"), rounds=60)


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (LinearRegression(), {}),
        (LogisticRegression(), {}),
        (DecisionTree(), {}),
        (GaussianLimit(LogisticRegression()), {}),
        (Replicas(OnlineLogistic()), {}),
        (StochasticLinearRegression(), {"tolerance": 0.15}),
        (RepeatedRows(StochasticLogisticRegression()), {}),
        (NeuralNetwork(hidden=8), {"passes": 100, "tolerance": 0.15, "deciding_trains": True}),
    ],
    ids=lambda each: type(each).__name__,
)
def test_our_models(model, given):
    rounds = 60 if given.get("deciding_trains") else 40  # networks learn slowly
    assert check_model(model, rounds=rounds, draws=40, **given) is None


def test_a_scikit_learn_estimator():
    from sklearn.tree import DecisionTreeRegressor

    model = from_sklearn(DecisionTreeRegressor(max_depth=2), replicas=2)
    check_model(model, resampling=Multinomial(), rounds=12, draws=4)


def test_stochastic_descent_mistreats_weights_as_its_page_says():
    """Its steps scale with weights: the check sees what the documentation warns of."""
    told = raised(check_model, StochasticLogisticRegression())
    assert "a row of weight 3 must count as 3 rows" in told


def test_a_model_that_fits_well_and_cannot_be_played():
    class Local(broken.Least):
        pass

    assert check_model(broken.Least(), rounds=40, draws=40) is None
    told = raised(check_model, Local(), rounds=40, draws=40)
    assert told.startswith("Local, bootstrapped: ")
    assert "so that it can be saved" in told


@pytest.mark.parametrize("kind", broken.POLICIES, ids=lambda kind: kind.__name__)
def test_broken_policies(kind):
    told = raised(check_policy, kind(), draws=250)
    assert told.startswith(f"{kind.__name__}: ")
    with pytest.raises(AssertionError, match=broken.POLICIES[kind]):
        raise AssertionError(told)


@pytest.mark.parametrize("kind", broken.RESAMPLING, ids=lambda kind: kind.__name__)
def test_broken_schemes(kind):
    with pytest.raises(AssertionError, match=f"^{kind.__name__}: .*{broken.RESAMPLING[kind]}"):
        check_resampling(kind())


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("kind", broken.MODELS, ids=lambda kind: kind.__name__)
def test_broken_models(kind):
    with pytest.raises(AssertionError, match=f"^{kind.__name__}: .*{broken.MODELS[kind]}"):
        check_model(kind())


@pytest.mark.parametrize("kind", broken.ENVIRONMENTS, ids=lambda kind: kind.__name__)
def test_broken_environments(kind):
    with pytest.raises(AssertionError, match=f"^{kind.__name__}: .*{broken.ENVIRONMENTS[kind]}"):
        check_environment(kind())


@pytest.mark.parametrize("seed", range(1, 3))
def test_chance_is_no_reason_to_complain(seed):
    """Other seeds than the usual one."""
    check_policy(POLICIES["wb"](), seed=seed, draws=250)
    for kind in (Exponential, Multinomial):
        check_resampling(kind(), seed=seed)
    check_environment(ENVIRONMENTS["categorical"](), seed=seed)
    check_model(DecisionTree(), seed=seed, rounds=60, draws=60)


def test_no_test_runner_is_needed_and_no_assert_statement():
    """Which python -O would leave out."""
    for file in Path(bandstrap.testing.__file__).parent.glob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text())))
        assert not any(isinstance(node, ast.Assert) for node in nodes), file
        assert not any("pytest" in ast.dump(n) for n in nodes if isinstance(n, ast.ImportFrom))

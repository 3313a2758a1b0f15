"""Models that are fit to many pseudo-examples say at the start what that will cost."""

import subprocess
import sys
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Estimator

from bandstrap import (
    Bandit,
    ContextualBootstrap,
    DecisionTree,
    EigenExamples,
    EveryRound,
    Exponential,
    Growth,
    NoExamples,
    SeenExamples,
    Support,
    from_sklearn,
    simulate,
)
from bandstrap.environments import TableEnvironment
from bandstrap.environments.table import ClassPayoffs
from bandstrap.models import WeightedModel, cost
from bandstrap.models.cost import CostWarning
from bandstrap.problem import Problem
from bandstrap.simulation import Cell, Runner

WIDE = Problem(3, n_features=100, support=Support.binary())
NARROW = Problem(3, n_features=40, support=Support.binary())


@pytest.fixture(autouse=True)
def nobody_told(monkeypatch):
    monkeypatch.setattr(cost, "TOLD", set())


def bootstrap(model, prior=None):
    return ContextualBootstrap(Exponential(), model, prior or EigenExamples())


class Clock:
    now = 0.0


@dataclass(frozen=True)
class Timed(WeightedModel[float]):
    """Takes so many seconds a row, by a clock of its own."""

    seconds: float

    def fit(self, contexts, rewards, weights, start, rng):
        if self.seconds < 0:
            raise RuntimeError("it fails")
        Clock.now += self.seconds * len(rewards)
        return float(weights @ rewards / weights.sum())

    def predict(self, fit, contexts):
        return np.full(len(contexts), fit)


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(cost, "perf_counter", lambda: Clock.now)


def test_a_tree_says_what_its_examples_cost():
    with pytest.warns(CostWarning) as told:
        bootstrap(DecisionTree()).start(WIDE)
    said = str(told[0].message)
    assert said.startswith(
        "DecisionTree: every draw makes 3 fits, each to 400 pseudo-examples of 100 numbers"
    )
    assert "NoExamples()" in said
    assert len(told) == 1


def test_a_tree_as_wide_as_a_digit_in_seconds():
    tree = bootstrap(DecisionTree())
    with pytest.warns(CostWarning, match=r"10 fits, each to 3,136 .*about [\d.]+ (s|minutes) on"):
        tree.start(Problem(10, n_features=784, support=Support.binary()))


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("seconds", "said"), [(1e-4, "120 ms"), (5e-3, "6.0 s"), (1.0, "20 minutes")]
)
def test_the_time_is_measured_once_for_all_fits(seconds, said):
    with pytest.warns(CostWarning, match=f"about {said} on this machine"):
        bootstrap(Timed(seconds)).start(WIDE)
    before = Clock.now
    bootstrap(Timed(seconds)).start(WIDE, runs=5)  # or the warning would be an error
    assert before == Clock.now


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("model", "prior", "problem"),
    [
        (Timed(1e-7), None, WIDE),
        (Timed(1.0), NoExamples(), WIDE),
        (Timed(1.0), SeenExamples(), WIDE),
        (Timed(1.0), None, NARROW),
        (Timed(-1.0), None, WIDE),
    ],
    ids=["quick", "no examples", "seen examples", "few", "fails"],
)
def test_who_costs_little_says_nothing(model, prior, problem):
    bootstrap(model, prior).start(problem)


@pytest.mark.parametrize(
    ("refit", "told"), [(EveryRound(), "every draw makes 3"), (Growth(), "the first draw makes 12")]
)
def test_estimators(refit, told):
    model = from_sklearn(Estimator(), refit=refit, replicas=4)
    with pytest.warns(CostWarning, match=f"LogisticRegression: {told} fits, each to 400"):
        bootstrap(model).start(WIDE)


def test_decisions_are_the_same_whether_it_is_told_or_not():
    def decided():
        bandit = Bandit(bootstrap(DecisionTree()), [1, 2, 3], rewards=Support.binary(), seed=4)
        context = np.linspace(-1.0, 1.0, 100)
        decisions = [bandit.decide(context) for _ in range(2)]
        return [(each.arm, each.scores) for each in decisions]

    with pytest.warns(CostWarning):
        loud = decided()
    with cost.no_cost_warnings():
        assert decided() == loud


def table(width):
    rng = np.random.default_rng(0)
    contexts = rng.standard_normal((30, width)).astype(np.float32)
    return TableEnvironment(
        "wide", contexts, ClassPayoffs((contexts[:, 0] > 0).astype(np.int64), 2)
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_a_simulation_says_it_once_and_before_it_plays(workers):
    policy = bootstrap(DecisionTree())
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        simulate(policy, table(100), horizon=2, runs=3, workers=workers)
    assert [each.category for each in heard] == [CostWarning]


def test_experiments_whose_cost_is_known_say_nothing():
    policy = bootstrap(DecisionTree())
    world = table(100)
    Runner().run([Cell("figure2", "wide", "tree", world, policy, 2, 1)])


def test_a_comparison_says_it_in_one_line(tmp_path):
    names = [f"x{place}" for place in range(100)]
    rows = np.random.default_rng(0).standard_normal((40, 100)).round(2)
    lines = [",".join([*map(str, row), "ab"[int(row[0] > 0)]]) for row in rows]
    (tmp_path / "t.csv").write_text("\n".join([",".join([*names, "y"]), *lines]) + "\n")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "bandstrap", "compare", "t.csv", "--label", "y"),
            *("--policies", "eg,wb", "--model", "bandstrap:DecisionTree"),
            *("--rounds", "2", "--runs", "2", "--workers", "2"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("warning: DecisionTree: every draw makes 2 fits, each to 400 ")

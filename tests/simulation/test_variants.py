"""`sweep`: named variants of a policy, which simulations and comparisons take."""

from dataclasses import dataclass

import pandas as pd
import pytest

from bandstrap import (
    Bootstrap,
    ContextualBootstrap,
    EigenExamples,
    EpsilonGreedy,
    Exponential,
    InvalidInput,
    LinUCB,
    LogisticRegression,
    Multinomial,
    UnknownName,
    compare,
    simulate,
    sweep,
)
from bandstrap.environments import Bernoulli
from bandstrap.policies import Constant


def test_a_grid_over_several_parameters():
    found = sweep(Bootstrap(), resampling=[Exponential(), Multinomial()])
    assert [each.resampling for each in found.values()] == [Exponential(), Multinomial()]
    policy = ContextualBootstrap(Exponential(), LogisticRegression(), EigenExamples())
    found = sweep(policy, model__tolerance=[1e-3, 1e-5], resampling=[Exponential(), Multinomial()])
    assert [*found][:2] == [
        "contextualbootstrap(model__tolerance=0.001, resampling=Exponential())",
        "contextualbootstrap(model__tolerance=0.001, resampling=Multinomial())",
    ]
    assert [(each.model.tolerance, each.resampling) for each in found.values()] == [
        (1e-3, Exponential()), (1e-3, Multinomial()), (1e-5, Exponential()), (1e-5, Multinomial()),
    ]  # fmt: skip
    assert policy.model == LogisticRegression()  # which stays as it is


def test_simulations_take_it_and_play_each_as_if_alone():
    found = sweep(EpsilonGreedy(), schedule=[Constant(0.1), Constant(0.5)])
    traces = simulate(found, Bernoulli(n_arms=3), horizon=50, runs=20, seed=3)
    assert traces.keys() == found.keys()
    for name, policy in found.items():
        alone = simulate(policy, Bernoulli(n_arms=3), horizon=50, runs=20, seed=3, name=name)
        assert traces[name].policy == name
        assert (traces[name].regret == alone.regret).all()


def test_comparisons_take_it():
    table = pd.DataFrame({"x": [0.1, 0.9, 0.2, 0.8] * 5, "y": ["low", "high"] * 10})
    found = sweep(LinUCB(), penalty=[0.1, 1.0])
    given = {"label": "y", "rounds": 10, "runs": 1}
    ranked = compare(table, policies="eg-lin", own=found, **given).ranking
    assert {each.policy for each in ranked} == {"eg-lin", *found}


@dataclass(frozen=True)
class Strict(LinUCB):
    def __post_init__(self):
        if self.penalty > 5:
            raise RuntimeError("too strict")


@pytest.mark.parametrize(
    ("parameters", "error", "told"),
    [
        ({}, InvalidInput, "name one with its values"),
        ({"penalti": [1.0]}, UnknownName, "unknown parameter of LinUCB 'penalti': .*'penalty'"),
        ({"penalty": 1.0}, InvalidInput, "penalty = 1.0: give a list of values"),
        ({"penalty": "abc"}, InvalidInput, "give a list of values"),
        ({"penalty": []}, InvalidInput, "give at least one value"),
        ({"penalty": [1.0, 1.0]}, InvalidInput, "give each once"),
        ({"penalty": [-1.0]}, InvalidInput, "penalty = -1.0: give a positive number"),
        ({"penalty__x": [1.0]}, InvalidInput, "float is no dataclass"),
        ({"width__gone": [1.0]}, UnknownName, "unknown parameter of ConfidenceEllipsoid"),
        ({"penalty": range(1, 20_000)}, InvalidInput, "more than 10,000 variants"),
    ],
)
def test_what_is_refused(parameters, error, told):
    with pytest.raises(error, match=told):
        sweep(LinUCB(), **parameters)


def test_what_the_users_class_raises_is_told():
    with pytest.raises(InvalidInput, match="RuntimeError: too strict"):
        sweep(Strict(), penalty=[1.0, 9.0])


def test_what_simulations_refuse():
    with pytest.raises(InvalidInput, match="at least one"):
        simulate({}, Bernoulli(2), 5)
    with pytest.raises(InvalidInput, match="several policies have their own"):
        simulate(sweep(LinUCB(), penalty=[1.0]), Bernoulli(2), 5, name="mine")

"""Who takes part under which name, and the code that goes on with the one recommended."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from bandstrap import (
    ContextualBootstrap,
    ContextualEpsilonGreedy,
    Decay,
    EigenExamples,
    Exponential,
    LinUCB,
    LogisticRegression,
    NoExamples,
    compare,
    from_sklearn,
)
from bandstrap.cli import _split
from bandstrap.comparison.candidates import Asked
from bandstrap.comparison.payment import Label, Rewards
from bandstrap.comparison.ranking import Interval
from bandstrap.comparison.snippet import snippet
from bandstrap.comparison.table import prepare
from bandstrap.errors import InvalidInput


def greedy(pace):
    return ContextualEpsilonGreedy(LogisticRegression(), Decay(pace), EigenExamples())


def table():
    return pd.DataFrame({"x": [0.1, 0.9, 0.2, 0.8] * 5, "y": ["low", "high"] * 10})


class Tang(LinUCB):
    """Called as one of ours is."""


class Made:
    """Of which nobody knows how it was made."""

    def __init__(self, secret):
        self.hidden = secret


def test_two_of_a_class_both_take_part():
    found = Asked(own_policies=(greedy(5.0), greedy(500.0))).candidates(())
    assert [*found] == ["contextualepsilongreedy", "contextualepsilongreedy-2"]
    assert found["contextualepsilongreedy-2"] == greedy(500.0)


def test_nobody_takes_the_name_of_another():
    with pytest.raises(InvalidInput, match="'tang': another policy has this name"):
        Asked(("eg-lin",), own_policies=(Tang(),)).candidates(())


def test_names_as_people_give_them():
    assert _split(["a, b", "c"]) == ("a", "b", "c")
    assert _split(['"r,1",r2', "a,"]) == ("r,1", "r2", "a")
    assert _split([""]) == ("",)
    found = compare(table(), label="y", policies="eg-lin, ts-laplace", rounds=20, runs=1, workers=0)
    assert {standing.policy for standing in found.ranking} == {"eg-lin", "ts-laplace"}


def made(policy):
    prepared = prepare(table(), Label("y"))
    return snippet(policy, prepared.payment, "encoder.json")


def test_estimators_are_written_with_their_parameters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepared = prepare(table(), Label("y"))
    prepared.encoder.save("encoder.json")
    forest = RandomForestClassifier(max_depth=3, n_estimators=7)
    for model in (forest, Pipeline([("scale", StandardScaler(with_mean=False)), ("last", forest)])):
        policy = ContextualBootstrap(Exponential(), from_sklearn(model), NoExamples())
        space = {}
        exec(snippet(policy, prepared.payment, "encoder.json"), space)
        assert repr(space["bandit"].policy) == repr(policy)
        assert "'n_estimators': 7" in repr(policy)


def test_code_says_what_it_cannot_know():
    assert f"from {Tang.__module__} import Tang" in made(Tang())
    odd = LinUCB()
    object.__setattr__(odd, "width", Made(3))
    assert "# Made: made as yours was" in made(odd)
    unwritten = snippet(LinUCB(), prepare(table(), Label("y")).payment, None)
    assert "found.encoder.save('encoder.json')" in unwritten


def test_scales_are_written_in_full():
    rewards = pd.DataFrame({"x": [0.0, 1.0, 0.5], "a": [1234567891.0, 1234567893.5, 1234567892.0]})
    rewards["b"] = rewards.a + 1
    payment = prepare(rewards, Rewards(("a", "b"))).payment
    assert "# (yours - 1234567891.0) / 3.5" in snippet(LinUCB(), payment, None)


def test_intervals_show_their_width_and_nothing_impossible():
    assert str(Interval(0.5, 0.4, 0.6)) == "0.5 [0.4, 0.6]"
    assert str(Interval(0.70123, 0.70121, 0.70125)) == "0.70123 [0.70121, 0.70125]"
    assert str(Interval(2e9 + 0.5, 2e9, 2e9 + 1)) == "2000000000.5 [2000000000, 2000000001]"
    assert Interval(0.9, 0.7, 1.1).within(0.0, 1.0) == Interval(0.9, 0.7, 1.0)
    for unknown in (np.nan, 52349.25):  # one run, or all alike
        assert str(Interval(52349.25, unknown, unknown)).startswith("52349.25")
    alone = Interval(0.9, np.nan, np.nan).within(0.0, 1.0)
    assert not alone.known

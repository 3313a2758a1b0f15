"""Which policies take part, and under which names."""

import numpy as np
import pandas as pd
import pytest

from bandstrap import (
    ContextualEpsilonGreedy,
    Decay,
    DecisionTree,
    EigenExamples,
    LinUCB,
    LogisticRegression,
    compare,
)
from bandstrap.cli import split
from bandstrap.comparison.candidates import LEAN, QUICK, USUAL, WIDE, Selection, affordable
from bandstrap.errors import InvalidInput, UnknownName


def greedy(pace):
    return ContextualEpsilonGreedy(LogisticRegression(), Decay(pace), EigenExamples())


def table():
    return pd.DataFrame({"x": [0.1, 0.9, 0.2, 0.8] * 5, "y": ["low", "high"] * 10})


class Tang(LinUCB):
    """Called as one of ours is."""


def test_two_of_a_class_both_take_part():
    found = Selection(own_policies=(greedy(5.0), greedy(500.0))).candidates(())
    assert [*found] == ["contextualepsilongreedy", "contextualepsilongreedy-2"]
    assert found["contextualepsilongreedy-2"] == greedy(500.0)


def test_nobody_takes_the_name_of_another():
    with pytest.raises(InvalidInput, match="'tang': another policy has this name"):
        Selection(("eg-lin",), own_policies=(Tang(),)).candidates(())


def test_names_as_people_give_them():
    assert split(["a, b", "c"]) == ("a", "b", "c")
    assert split(['"r,1",r2', "a,"]) == ("r,1", "r2", "a")
    assert split([""]) == ("",)
    found = compare(table(), label="y", policies="eg-lin, ts-laplace", rounds=20, runs=1, workers=0)
    assert {standing.policy for standing in found.ranking} == {"eg-lin", "ts-laplace"}


OWN = """
from bandstrap import OnlineLogistic, Replicas


def Small():
    return Replicas(OnlineLogistic(), count=3)
"""


def test_models_of_ones_own_meet_every_way_to_explore(tmp_path, monkeypatch):
    from bandstrap.comparison.candidates import Selection

    (tmp_path / "own_models_of_test.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    names = Selection(own_models=("own_models_of_test:Small",)).candidates(("eg-lin",))
    assert [*names] == ["eg-lin", "eg-replicas", "npb-replicas", "wb-replicas"]
    assert [*Selection(("wb", "ts-lin")).candidates(())] == ["wb", "ts-lin"]
    assert [*Selection(("wb",), ("lin", "log")).candidates(())] == ["wb-lin", "wb-log"]
    assert [*Selection(("wb", "eg-lin"), ("log",)).candidates(())] == ["wb-log", "eg-lin"]
    for wrong in (("wbb",), ("besa",)):  # besa is a policy, though of no model
        with pytest.raises(UnknownName, match=f"{wrong[0]}-log"):
            Selection(wrong, ("log",)).candidates(())
    with pytest.raises(UnknownName, match="model 'lgo': did you mean 'log'"):
        Selection((), ("lgo",)).candidates(())
    assert "ucb-lin" in Selection((), ("lin",)).candidates(())


def test_a_model_that_there_is_not_is_refused_beside_one_that_there_is():
    for asked in (("wb",), ("eg-lin", "wb"), ()):
        with pytest.raises(UnknownName, match="unknown model 'lni': did you mean 'lin'"):
            Selection(asked, ("log", "lni")).candidates(())
    with pytest.raises(UnknownName, match="unknown model 'poisson'"):  # a scheme, of no contexts
        Selection(("wb",), ("poisson",)).candidates(())
    with pytest.raises(UnknownName, match="unknown model 'heuristic'"):
        Selection((), ("heuristic",)).candidates(())


def test_a_model_that_no_policy_takes_is_refused():
    with pytest.raises(InvalidInput, match="'nn': none of wb-log can be joined with it"):
        Selection(("wb-log",), ("nn",)).candidates(())
    with pytest.raises(InvalidInput, match="'decisiontree': none of eg-lin"):
        Selection(("eg-lin",), own_models=(DecisionTree(),)).candidates(())
    found = Selection(("eg-lin", "wb"), ("nn",), own_models=(DecisionTree(),)).candidates(())
    assert [*found] == ["eg-lin", "wb-nn", "wb-decisiontree"]
    found = Selection(("wb", "ts"), ("lin", "log")).candidates(())  # there is no ts-log
    assert [*found] == ["wb-lin", "wb-log", "ts-lin"]


def test_wide_contexts_are_played_by_those_that_cost_least_also_where_it_is_to_be_quick():
    assert affordable(USUAL, WIDE) == USUAL
    assert {*affordable(USUAL, WIDE + 1)} == {*LEAN}
    quick = {*LEAN} - {"auto", "ensemble-nn", "squarecb-nn"}
    assert {*affordable(QUICK, WIDE + 1)} == quick
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((30, WIDE + 1)))
    table["y"] = ["a", "b"] * 15
    found = compare(table, label="y", quick=True, rounds=2, runs=1)
    assert {each.policy for each in found.ranking} == quick

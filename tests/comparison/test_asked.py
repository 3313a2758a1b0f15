"""Who takes part: all that is asked for or a refusal, and what others' packages offer."""

from importlib.metadata import EntryPoint

import numpy as np
import pandas as pd
import pytest

from bandstrap import DecisionTree, LinUCB, compare
from bandstrap.commands import names
from bandstrap.commands.listing import registered
from bandstrap.comparison import offers
from bandstrap.comparison.candidates import LEAN, QUICK, USUAL, WIDE, Asked, affordable
from bandstrap.errors import InvalidInput, UnknownName
from called import called, failed, in_one_line


def test_a_model_that_there_is_not_is_refused_beside_one_that_there_is():
    for asked in (("wb",), ("eg-lin", "wb"), ()):
        with pytest.raises(UnknownName, match="unknown model 'lni': did you mean 'lin'"):
            Asked(asked, ("log", "lni")).candidates(())
    with pytest.raises(UnknownName, match="unknown model 'poisson'"):  # a scheme, of no contexts
        Asked(("wb",), ("poisson",)).candidates(())
    with pytest.raises(UnknownName, match="unknown model 'heuristic'"):
        Asked((), ("heuristic",)).candidates(())


def test_a_model_that_no_policy_takes_is_refused():
    with pytest.raises(InvalidInput, match="'nn': no policy of wb-log was joined with it"):
        Asked(("wb-log",), ("nn",)).candidates(())
    with pytest.raises(InvalidInput, match="'decisiontree': no policy of eg-lin"):
        Asked(("eg-lin",), own_models=(DecisionTree(),)).candidates(())
    found = Asked(("eg-lin", "wb"), ("nn",), own_models=(DecisionTree(),)).candidates(())
    assert [*found] == ["eg-lin", "wb-nn", "wb-decisiontree"]
    found = Asked(("wb", "ts"), ("lin", "log")).candidates(())  # there is no ts-log
    assert [*found] == ["wb-lin", "wb-log", "ts-lin"]


def test_wide_contexts_are_played_by_those_that_cost_least_also_where_it_is_to_be_quick():
    assert affordable(USUAL, WIDE) == USUAL
    assert {*affordable(USUAL, WIDE + 1)} == {*LEAN}
    assert {*affordable(QUICK, WIDE + 1)} == {*LEAN} - {"ensemble-nn"}
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((30, WIDE + 1)))
    table["y"] = ["a", "b"] * 15
    found = compare(table, label="y", quick=True, rounds=2, runs=1)
    assert {each.policy for each in found.ranking} == {*LEAN} - {"ensemble-nn"}


def test_a_policy_that_cannot_play_the_table_is_named():
    table = pd.DataFrame({"x": [0.1, 0.7, 0.3], "a": [0.2, 0.9, 0.4], "b": [0.5, 0.1, 0.3]})
    with pytest.raises(InvalidInput, match="policy = 'ts-dirichlet': it cannot play table"):
        compare(table, rewards="a,b", policies="eg-lin,ts-dirichlet", rounds=2, runs=1)


BROKEN = {"bandstrap.policies": "gone_module:Policy", "bandstrap.models": "math:inf"}
SOUND = {"bandstrap.policies": "bandstrap:LinUCB", "bandstrap.models": "bandstrap:DecisionTree"}


def offering(monkeypatch, values, name="other"):
    def points(group):
        return [EntryPoint(name, values[group], group)]

    monkeypatch.setattr(offers, "entry_points", points)
    monkeypatch.setattr(names, "entry_points", points)


def test_a_broken_entry_point_stops_only_those_who_ask_for_it(monkeypatch):
    offering(monkeypatch, BROKEN)
    assert [*Asked().candidates(("eg-lin",))] == ["eg-lin"]
    assert [*Asked(("wb",), ("log",)).candidates(())] == ["wb-log"]
    with pytest.raises(InvalidInput, match=r"entry point 'other' of .* = 'gone_module:Policy'"):
        Asked(("other",)).candidates(())
    for asked in (Asked(("wb-other",)), Asked(("wb",), ("other",))):
        with pytest.raises(InvalidInput, match=r"entry point 'other' of .* give a Model"):
            asked.candidates(())


def test_what_is_installed_is_listed(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    before = called("list", "--json")[1]
    offering(monkeypatch, SOUND)
    listed = registered().groups
    assert listed["policies with contexts"][-4:] == ["other", "eg-other", "npb-other", "wb-other"]
    assert listed["models"][-1] == "other"
    assert '"wb-other"' in called("list", "--json")[1]  # though names were remembered
    offering(monkeypatch, BROKEN)
    assert called("list", "--json")[1] == before


def test_a_class_that_needs_arguments_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="a class that needs no arguments"):
        Asked(own_policies=("bandstrap:ContextualBootstrap",)).candidates(())
    (tmp_path / "t.csv").write_text("x,y\n" + "0.5,a\n0.1,b\n" * 5)
    given = ("compare", tmp_path / "t.csv", "--label", "y", "--out", tmp_path / "out")
    said = in_one_line(failed(*given, "--policy", "bandstrap:ContextualBootstrap"))
    assert "--policy = 'bandstrap:ContextualBootstrap': cannot be made (TypeError" in said
    assert Asked(own_policies=(LinUCB,)).candidates(()) == {"linucb": LinUCB()}

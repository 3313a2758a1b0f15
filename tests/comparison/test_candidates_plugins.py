"""Policies and models of other packages: named by entry points, or refused."""

from importlib.metadata import EntryPoint

import pandas as pd
import pytest

from bandstrap import LinUCB, compare
from bandstrap.commands import names
from bandstrap.commands.listing import registered
from bandstrap.comparison import candidates
from bandstrap.comparison.candidates import Selection
from bandstrap.errors import InvalidInput
from called import called, failed, in_one_line


def test_a_policy_that_cannot_play_the_table_is_named():
    table = pd.DataFrame({"x": [0.1, 0.7, 0.3], "a": [0.2, 0.9, 0.4], "b": [0.5, 0.1, 0.3]})
    with pytest.raises(InvalidInput, match="policy = 'ts-dirichlet': it cannot play table"):
        compare(table, rewards="a,b", policies="eg-lin,ts-dirichlet", rounds=2, runs=1)


BROKEN = {"bandstrap.policies": "gone_module:Policy", "bandstrap.models": "math:inf"}


SOUND = {"bandstrap.policies": "bandstrap:LinUCB", "bandstrap.models": "bandstrap:DecisionTree"}


def offering(monkeypatch, values, name="other"):
    def points(group):
        return [EntryPoint(name, values[group], group)]

    monkeypatch.setattr(candidates, "entry_points", points)
    monkeypatch.setattr(names, "entry_points", points)


def test_a_broken_entry_point_stops_only_those_who_ask_for_it(monkeypatch):
    offering(monkeypatch, BROKEN)
    assert [*Selection().candidates(("eg-lin",))] == ["eg-lin"]
    assert [*Selection(("wb",), ("log",)).candidates(())] == ["wb-log"]
    with pytest.raises(InvalidInput, match=r"entry point 'other' of .* = 'gone_module:Policy'"):
        Selection(("other",)).candidates(())
    for asked in (Selection(("wb-other",)), Selection(("wb",), ("other",))):
        with pytest.raises(InvalidInput, match=r"entry point 'other' of .* give a Model"):
            asked.candidates(())


def test_a_class_that_needs_arguments_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="give what it needs in parentheses"):
        Selection(own_policies=("bandstrap:ContextualBootstrap",)).candidates(())
    (tmp_path / "t.csv").write_text("x,y\n" + "0.5,a\n0.1,b\n" * 5)
    given = ("compare", tmp_path / "t.csv", "--label", "y", "--out", tmp_path / "out")
    said = in_one_line(failed(*given, "--policy", "bandstrap:ContextualBootstrap"))
    assert "--policy = 'bandstrap:ContextualBootstrap': cannot be made (TypeError" in said
    assert Selection(own_policies=(LinUCB,)).candidates(()) == {"linucb": LinUCB()}


def test_installed_packages_take_part_by_entry_points(monkeypatch):
    from importlib.metadata import EntryPoint

    offered = {
        "bandstrap.policies": "bandstrap:LinUCB",
        "bandstrap.models": "bandstrap:DecisionTree",
    }
    monkeypatch.setattr(
        candidates, "entry_points", lambda group: [EntryPoint("other", offered[group], group)]
    )
    names = candidates.Selection().candidates(("eg-lin",))
    assert [*names] == ["eg-lin", "other", "eg-other", "npb-other", "wb-other"]
    assert names["other"] == LinUCB()
    assert [*candidates.Selection(("wb",)).candidates(())] == ["wb"]
    assert [*candidates.Selection(("wb",), ("other",)).candidates(())] == ["wb-other"]


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

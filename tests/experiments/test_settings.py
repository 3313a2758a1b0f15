"""Sizes of a run, and what results remember of them."""

import json

import pytest

from bandstrap.errors import UnknownName
from bandstrap.experiments import RunSize, Settings


@pytest.mark.parametrize(
    ("size", "given", "usual"), [("quick", 1, 1), ("short", 2, 3), ("full", 3, 3)]
)
def test_a_short_run_takes_what_a_full_one_does_unless_told(size, given, usual):
    settings = Settings(RunSize.named(size))
    assert settings.at(full=3, quick=1, short=2) == given
    assert settings.at(full=3, quick=1) == usual


def test_given_numbers_come_before_those_of_the_size():
    settings = Settings(RunSize.SHORT, horizon=7)
    assert settings.runs_and_rounds((5, 50), (2, 20), (3, 30)) == (3, 7)


def test_an_unknown_size_is_told_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'short'"):
        RunSize.named("shrot")


def test_results_of_full_and_quick_runs_are_known_as_before():
    facts = Settings(RunSize.QUICK, runs=5).facts()
    none = dict.fromkeys(("horizon", "arms", "policies", "exact_horizon"))
    assert facts == {"quick": True, "runs": 5, **none}
    assert Settings().facts() == {"quick": False, "runs": None, **none}
    for settings in (Settings(), Settings(RunSize.QUICK, 5), Settings(RunSize.SHORT, arms=3)):
        assert Settings.from_facts(settings.facts()) == settings
    chosen = json.loads(json.dumps(Settings(policies=("wb", "ts")).facts()))
    assert Settings.from_facts(chosen) == Settings(policies=("wb", "ts"))
    assert Settings(RunSize.SHORT).facts() == {**Settings().facts(), "size": "short"}

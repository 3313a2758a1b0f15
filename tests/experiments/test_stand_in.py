"""Digits stand in for the paper's data where a size says so, never for a file that is wrong."""

import numpy as np
import pytest

from bandstrap import datasets
from bandstrap.environments import Labelled
from bandstrap.errors import OutputError, UnreachableData
from bandstrap.experiments import RunSize, Settings, stand_in
from bandstrap.experiments.stand_in import STAND_IN, world_of


@pytest.fixture
def asked(monkeypatch):
    """The data sets that were looked for; only CovType is there."""
    names = []

    def load(name):
        names.append(name)
        if name != "covtype":
            raise UnreachableData(name, "no network", "put it somewhere")
        return datasets.load("digits")

    monkeypatch.setattr("bandstrap.environments.labelled.load", load)
    stand_in._reachable.cache_clear()
    yield names
    stand_in._reachable.cache_clear()


def test_quick_runs_play_digits_and_full_ones_the_papers_data(asked):
    assert world_of("mnist", Settings(RunSize.QUICK)) == Labelled(STAND_IN)
    assert world_of("mnist", Settings()) == Labelled("mnist")
    assert asked == []


def test_short_runs_play_what_can_be_had(asked):
    short = Settings(RunSize.SHORT)
    with pytest.warns(UserWarning, match="digits stand in for mnist: mnist: no network"):
        worlds = [world_of(name, short) for name in ("covtype", "mnist", "mnist")]
    assert worlds == [Labelled("covtype"), Labelled(STAND_IN), Labelled(STAND_IN)]
    assert asked == ["covtype", "mnist"], "each is looked for once"


def test_a_wrong_file_is_an_error_at_every_size_that_needs_it(tmp_path, monkeypatch):
    np.savez(tmp_path / "covtype.npz", X=np.zeros((4, 2), np.int16), y=np.array([0, 1, 0, 1]))
    monkeypatch.setenv("BANDSTRAP_DATA", str(tmp_path))
    stand_in._reachable.cache_clear()
    datasets.forget()
    with pytest.raises(OutputError, match="does not hold the covtype data set"):
        world_of("covtype", Settings(RunSize.SHORT))

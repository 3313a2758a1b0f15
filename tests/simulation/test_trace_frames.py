"""Traces as frames of other libraries, and as charts."""

import sys
from io import BytesIO

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from matplotlib import pyplot

from bandstrap import UCB1, BetaThompson, InvalidInput, Trace, UnknownName, plot, simulate
from bandstrap.environments import Bernoulli
from bandstrap.simulation.curves import look

mpl.use("agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def traces():
    policies = {"one": UCB1(), "two": BetaThompson()}
    return simulate(policies, Bernoulli(n_arms=3), horizon=200, runs=20, seed=2)


def test_frames_hold_every_run_and_round(traces):
    trace = traces["one"]
    frame = trace.to_pandas()
    assert [*frame.columns] == [*trace.table().column_names]
    wide = frame.pivot(index="run", columns="round", values="regret")
    assert (wide.to_numpy() == trace.regret).all()
    assert trace.to_polars().equals(pl.from_arrow(trace.table()))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_not_there_is_named(traces, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InvalidInput, match=f"is not installed: pip install {library}"):
        getattr(traces["one"], f"to_{library}")()


def test_a_chart_shows_the_means_and_their_bands(traces):
    axes = traces["one"].plot()
    (line,) = axes.get_lines()
    assert (line.get_xdata() == traces["one"].rounds).all()
    assert (line.get_ydata() == traces["one"].mean()).all()
    band = axes.collections[0].get_paths()[0].vertices
    low, high = traces["one"].band()
    np.testing.assert_allclose([band[:, 1].min(), band[:, 1].max()], [low.min(), high.max()])
    assert axes.get_ylim()[0] <= 0.0


def test_several_in_one_chart_by_name(traces):
    axes = plot(traces, measure="reward")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["one", "two"]
    for line, trace in zip(axes.get_lines(), traces.values(), strict=True):
        np.testing.assert_allclose(line.get_ydata(), trace.reward_per_step())
    assert axes.get_ylabel() == "reward per round"
    same = plot([*traces.values()], axes=pyplot.figure().add_subplot())
    assert [text.get_text() for text in same.get_legend().get_texts()] == ["one", "two"]
    twice = plot([traces["one"], traces["one"]])
    assert len(twice.get_lines()) == 2


def test_a_single_run_has_no_band(traces):
    trace = simulate(UCB1(), Bernoulli(n_arms=2), horizon=20, runs=1)
    assert not trace.plot().collections
    assert not trace.plot("reward").collections


def test_names_cannot_start_formulas_or_hide():
    trace = simulate(UCB1(), Bernoulli(n_arms=2), horizon=20, runs=2, name="_a$b$")
    axes = trace.plot()
    axes.figure.savefig(BytesIO(), format="png")
    assert axes.get_legend().get_texts()[0].get_text() == r"a\$b\$"


def test_many_curves_can_be_told_apart():
    assert len({str(look(f"variant {i}", i)) for i in range(25)}) == 25


def test_what_is_refused(traces):
    with pytest.raises(UnknownName, match="unknown measure 'reg': did you mean 'regret'"):
        traces["one"].plot("reg")
    with pytest.raises(InvalidInput, match="at least one trace"):
        plot([])


def test_rewards_have_a_band_of_their_own(traces):
    trace: Trace = traces["two"]
    low, high = trace.reward_band()
    middle = trace.reward_per_step()
    np.testing.assert_allclose((low + high) / 2, middle)
    spread = (trace.reward / trace.rounds).std(axis=0, ddof=1) / np.sqrt(20)
    np.testing.assert_allclose(high - middle, 1.959964 * spread, rtol=1e-5)

"""What rounds cost: from traces made to order, and from a small run on digits."""

import numpy as np
import pytest
from synthetic import trace

from bandstrap.environments import Labelled
from bandstrap.experiments import EXPERIMENTS, Settings, Verdict
from bandstrap.experiments.figure2.lineup import COVTYPE, MNIST
from bandstrap.experiments.runtime import recipe
from bandstrap.experiments.runtime.costs import against_paper, against_recipe, cost_at, curve, table
from bandstrap.experiments.runtime.experiment import TIMED, _papers
from bandstrap.experiments.session import Session
from bandstrap.experiments.statements import Outcome, seconds_per_round
from bandstrap.simulation import Trace, runner
from bandstrap.simulation.progress import Quiet
from bandstrap.simulation.store.results import Results


def growing(policy, slope, **options):
    """A round costs `slope` seconds for each round before it."""
    made = trace(policy, 0.5, **options)
    made.seconds[:] = slope * made.rounds**2 / 2 * made.runs
    return made


def timed_recipe(costs, environment="covtype"):
    """The recipe with these seconds a round, by length of history."""
    rounds = np.array([point for t in costs for point in (t, t + 3)])
    seconds = np.cumsum([cost for each in costs.values() for cost in (0.0, 3 * each)])
    nothing = np.zeros((1, rounds.size))
    return Trace("x", environment, recipe.NAME, rounds, nothing, nothing, seconds)


def test_cost_at_a_length_of_history():
    made = growing("wb-log", 1e-6, runs=3)
    for t in (1000, 20_000):
        assert cost_at(made, t) == pytest.approx(1e-6 * t, rel=0.25)
    assert cost_at(made, 60_000) is None
    assert seconds_per_round(made, 50_000) == pytest.approx(0.025, rel=0.03)


def test_loading_is_not_counted():
    made = trace("wb-log", 0.5, cost=1e-3)
    made.seconds[:] += 1000.0
    assert seconds_per_round(made, 50_000) == pytest.approx(1e-3)


def test_cost_of_the_recipe_where_it_was_timed():
    rounds, seconds = curve(timed_recipe({1000: 0.1, 5000: 0.4}))
    assert rounds.tolist() == [1000, 5000]
    assert seconds == pytest.approx([0.1, 0.4])


@pytest.mark.parametrize(
    ("cost", "horizon", "outcome"),
    [
        (0.1, 50_000, Outcome.HOLDS),
        (0.2, 50_000, Outcome.FAILS),
        (0.01, 5000, Outcome.HOLDS),  # even if it grows like history
        (0.1, 5000, Outcome.OPEN),  # it may grow past the paper's
        (0.2, 5000, Outcome.FAILS),
    ],
)
def test_against_the_papers_figures(cost, horizon, outcome):
    (statement,) = against_paper([trace("wb-log", 0.5, cost=cost, horizon=horizon)])
    assert statement.outcome is outcome
    assert "paper 160 ms" in statement.numbers


def test_against_the_recipe_at_the_longest_history_of_both():
    theirs = timed_recipe({1000: 0.1, 20_000: 1.0})
    (holds,) = against_recipe([growing("wb-log", 1e-6), theirs])
    assert holds.outcome is Outcome.HOLDS
    assert "at t = 20000" in holds.numbers
    (fails,) = against_recipe([growing("wb-log", 1e-3), theirs])
    assert fails.outcome is Outcome.FAILS
    (short,) = against_recipe([growing("wb-log", 1e-6, horizon=3000), theirs])
    assert "at t = 1000" in short.numbers
    assert "20000" not in short.numbers


def test_the_recipe_is_timed_only_where_it_decides():
    made = recipe.timed("x", Labelled("digits"), (30, 90), draws=2, seed=0)
    again = recipe.timed("x", Labelled("digits"), (30, 90), draws=2, seed=0)
    assert made.rounds.tolist() == [30, 32, 90, 92]
    steps = np.diff(made.seconds, prepend=0.0)
    assert steps[0] == steps[2] == 0
    assert steps[1] > 0
    assert steps[3] > 0
    assert np.array_equal(made.reward, again.reward)


def test_runtime_in_small(tmp_path):
    policies = ("wb-log", "wb-log-grouped")
    settings = Settings(quick=True, horizon=150, policies=policies)
    (claim,) = Session(tmp_path, settings).run(EXPERIMENTS["runtime"](), Quiet())
    assert claim.verdict is Verdict.UNDECIDED
    assert "digits wb-log below the recipe: holds" in claim.evidence
    rows = (tmp_path / "runtime" / "table.md").read_text().splitlines()
    assert len(rows) == 2 + len(policies) + 1
    (again,) = Session(tmp_path, settings).run(EXPERIMENTS["runtime"](), Quiet())  # as stored
    assert again == claim


def test_runs_of_figure_2_are_not_played_again(tmp_path, monkeypatch):
    settings = Settings(quick=True, horizon=30, policies=("eg-log", "wb-nn", "ensemble-log"))
    Session(tmp_path, settings).run(EXPERIMENTS["figure2-covtype"](), Quiet())
    batches = {path: path.stat().st_mtime_ns for path in (tmp_path / "batches").iterdir()}
    monkeypatch.setattr(runner, "run_batch", None)  # which would be an error
    Session(tmp_path, settings).run(EXPERIMENTS["runtime"](), Quiet())
    assert batches == {path: path.stat().st_mtime_ns for path in (tmp_path / "batches").iterdir()}
    figure, timed = (Results(tmp_path / name).load() for name in ("figure2-covtype", "runtime"))
    for first, again in zip(figure, timed[:-1], strict=True):  # the last is the recipe
        assert again.policy == first.policy
        assert np.array_equal(again.reward, first.reward[:1])


def test_what_is_timed_is_played_in_both_figures():
    for lineup in (COVTYPE, MNIST):
        known = lineup.of(TIMED)
        assert {*known.full, *known.reduced} == set(TIMED)


def test_costs_that_lie_close_share_a_label():
    assert _papers("covtype") == [("npb-log, wb-log", 0.16)]
    assert _papers("mnist") == [("npb-log, npb-nn", 1.16), ("wb-nn, wb-log", 1.88)]


def test_the_table_has_the_papers_figures():
    rows = table([trace("wb-log", 0.6), trace("npb-nn", 0.9, environment="mnist")]).splitlines()
    assert "| 160 | 0.6" in rows[2]
    assert "| 1160 | 0.9" in rows[3]

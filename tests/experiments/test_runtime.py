"""What rounds cost: from timings made to order, and from a small run on digits."""

import numpy as np
import pytest
from synthetic import trace

from bandstrap.environments import Labelled
from bandstrap.experiments import EXPERIMENTS, RunSize, Settings, Verdict
from bandstrap.experiments.base import Statements
from bandstrap.experiments.figure2.players import policy_of
from bandstrap.experiments.figure2.readings import readings_of
from bandstrap.experiments.runtime.experiment import (
    Runtime,
    _papers,
    against_paper,
    against_recipe,
    against_trees,
    curve,
    mean_cost,
    seconds_per_round,
    table,
)
from bandstrap.experiments.runtime.history import RECIPE, History, timed, timed_recipe
from bandstrap.experiments.runtime.measured import Measured
from bandstrap.experiments.session import Session
from bandstrap.experiments.statements import Outcome
from bandstrap.resampling import Exponential
from bandstrap.simulation import Trace
from bandstrap.simulation.progress import Quiet
from bandstrap.simulation.store.results import Results

LENGTHS = (1000, 5000, 20_000, 50_000)
HEADLINE = readings_of("C13-cost")[0][0]


def timings(policy, cost, lengths=LENGTHS, environment="covtype"):
    """A round costs `cost(t)` seconds after t rounds."""
    rounds = np.array([point for t in lengths for point in (t, t + 3)])
    seconds = np.cumsum([spent for t in lengths for spent in (0.0, 3 * cost(t))])
    nothing = np.zeros((1, rounds.size))
    return Trace("x", environment, policy, rounds, nothing, nothing, seconds)


def constant(seconds):
    return lambda t: seconds


def test_cost_at_lengths_of_history():
    lengths, seconds = curve(timings("wb-log", lambda t: 1e-6 * t))
    assert lengths.tolist() == [*LENGTHS]
    assert seconds == pytest.approx([1e-3, 5e-3, 20e-3, 50e-3])


def test_the_mean_of_a_cost_that_is_affine():
    """As a network's is: its cost at t = 100 times 500 would be 180 seconds."""
    network = timings("wb-nn", lambda t: 0.36 + 0.88 * t / 50_000, (100, 5000, 25_000, 50_000))
    assert mean_cost(network) == pytest.approx(0.36 + 0.44, rel=1e-3)
    assert mean_cost(timings("wb-log", constant(0.1))) == pytest.approx(0.1)
    assert mean_cost(timings("wb-log", constant(0.1), LENGTHS[:3])) is None
    assert mean_cost(timings("wb-log", lambda t: 1.0 * (t > 50_000), (50_000, 90_000))) == 0


def test_seconds_of_played_rounds():
    made = trace("wb-log", 0.5, cost=1e-3)
    made.seconds[:] += 1000.0  # loading is not counted
    assert seconds_per_round(made, 50_000) == pytest.approx(1e-3)
    growing = trace("wb-log", 0.5, runs=3)
    growing.seconds[:] = 1e-6 * growing.rounds**2 / 2 * growing.runs
    assert seconds_per_round(growing, 50_000) == pytest.approx(0.025, rel=0.03)


@pytest.mark.parametrize(
    ("cost", "lengths", "outcome"),
    [
        (constant(0.1), LENGTHS, Outcome.HOLDS),
        (constant(0.2), LENGTHS, Outcome.FAILS),
        (lambda t: 0.3 * t / 50_000, LENGTHS, Outcome.HOLDS),  # above the paper's at the end only
        (constant(0.01), LENGTHS[:3], Outcome.OPEN),  # no history as long as the paper's
        (constant(0.2), LENGTHS[:3], Outcome.OPEN),
    ],
)
def test_against_the_papers_figures(cost, lengths, outcome):
    (statement,) = against_paper([timings("wb-log", cost, lengths), timings("eg-log", cost)])
    assert statement.outcome is outcome
    assert "paper 160 ms" in statement.numbers
    assert "ms at t = 1000, 5000, 20000" in statement.numbers


def test_against_the_recipe_at_the_longest_history_of_both():
    theirs = timings(RECIPE, lambda t: 1e-4 * t**0.9, (1000, 20_000))
    (holds,) = against_recipe([timings("wb-log", lambda t: 1e-6 * t), theirs])
    assert holds.outcome is Outcome.HOLDS
    assert "at t = 20000" in holds.numbers
    (fails,) = against_recipe([timings("wb-log", lambda t: 1e-3 * t), theirs])
    assert fails.outcome is Outcome.FAILS
    (short,) = against_recipe([timings("wb-log", constant(1e-6), (1000, 5000)), theirs])
    assert "at t = 1000" in short.numbers
    assert "20000" not in short.numbers
    (neither,) = against_recipe([timings("wb-log", constant(1e-6), (5000,)), theirs])
    assert neither.outcome is Outcome.OPEN
    other = timings("wb-log", constant(1e-6), environment="mnist")
    assert against_recipe([other, theirs]) == []


def test_against_trees():
    ours, slow, fast = (
        timings(*each)
        for each in (
            ("wb-log", constant(1e-3)),
            ("tree-heuristic", constant(5e-3)),
            ("npb-tree", constant(1e-4)),
        )
    )
    found = against_trees([ours, slow, fast], HEADLINE)
    assert [each.outcome for each in found] == [Outcome.HOLDS, Outcome.FAILS]
    absent = against_trees([ours, slow], HEADLINE)[1]
    assert (absent.outcome, absent.numbers) == (Outcome.OPEN, "not timed: npb-tree")
    short = timings("wb-log", constant(1e-3), LENGTHS[:3])
    assert against_trees([short, slow], HEADLINE)[0].outcome is Outcome.OPEN


def test_trees_have_a_verdict_in_every_reading():
    costs = {"wb-log": 1e-3, "tree-heuristic": 5e-3, "npb-tree": 5e-3, "wb-log-paper": 1e-2}
    traces = [timings(name, constant(cost)) for name, cost in costs.items()]
    (claim,) = [each for each in Runtime().check(Settings(), traces) if each.id == "C13-cost"]
    assert claim.verdict is Verdict.REPRODUCED
    assert claim.evidence.startswith("2 of 2 statements hold (draws: solved; ")
    assert "five passes in vain: not reproduced, 0 of 2 statements hold, 2 fail; " in claim.evidence
    mnist = [timings(name, constant(cost), environment="mnist") for name, cost in costs.items()]
    assert Runtime().check(Settings(), mnist)[1].id == "C13-cost-mnist"
    (alone,) = Runtime().check(Settings(), traces[:1])  # no tree was timed
    assert (alone.id, alone.verdict) == ("C11", Verdict.IN_PART)
    assert alone.statements == Statements(hold=1, open=7)
    assert "mnist wb-nn at most the paper's: open (not timed)" in alone.evidence


def test_costs_are_of_the_rounds_after_each_length():
    world = Labelled("digits")
    history = History(world, 95, seed=0)
    again = History(world, 95, seed=0)
    assert np.array_equal(history.rewards, again.rewards)
    seen = []

    class Watched:
        def start(self, problem, runs):
            return None

        def select(self, state, contexts, rng):
            assert np.array_equal(contexts[0], history.contexts[len(seen)])
            seen.append("select")

        def update(self, state, contexts, arm, reward, rng):
            assert (contexts.shape, arm.shape, reward.shape) == ((1, 64), (1,), (1,))
            if seen and seen[-1] == "select":
                seen[-1] = "both"
            else:
                seen.append("update")

    costs = timed(Watched(), history, [30, 90], draws=2)
    assert list(costs) == [30, 90]
    assert min(costs.values()) > 0
    chosen = [place for place, what in enumerate(seen) if what == "both"]
    assert chosen == [29, 30, 31, 89, 90, 91]  # the first of three is not timed
    made = history.trace("x", "wb-log", costs, 2)
    assert made.rounds.tolist() == [30, 32, 90, 92]
    steps = np.diff(made.seconds, prepend=0.0)
    assert steps[0] == steps[2] == 0
    assert steps[1] == costs[30]
    assert made.reward[0, -1] == history.rewards[:92].sum()


def test_policies_and_the_recipe_are_timed():
    history = History(Labelled("digits"), 34, seed=0)
    for costs in (
        timed(policy_of("eg-log-bare", history.environment), history, [30], 2),
        timed_recipe(history, [30], 2),
    ):
        assert list(costs) == [30]
        assert costs[30] > 0


def test_runtime_in_small(tmp_path):
    policies = ("wb-log", "wb-log-grouped")
    settings = Settings(RunSize.QUICK, horizon=150, policies=policies)
    (claim,) = Session(tmp_path, settings).run(EXPERIMENTS["runtime"](), Quiet())
    assert claim.verdict is Verdict.UNDECIDED
    assert "digits wb-log below the recipe: holds" in claim.evidence
    rows = (tmp_path / "runtime" / "table.md").read_text().splitlines()
    assert len(rows) == 2 + len(policies) + 1
    stored = Results(tmp_path / "runtime").load()
    assert {tuple(each.rounds) for each in stored} == {(100, 110)}
    (again,) = Session(tmp_path, settings).run(EXPERIMENTS["runtime"](), Quiet())  # as stored
    assert again == claim
    assert len([*tmp_path.glob("*/cost-*.json")]) == len(policies) + 1


def test_digits_in_place_of_one_data_set_leave_its_statements_open():
    costs = {"wb-log": 1e-3, "tree-heuristic": 5e-3, "npb-tree": 5e-3}
    real = [timings(name, constant(cost)) for name, cost in costs.items()]
    digits = [timings(name, constant(cost), environment="digits") for name, cost in costs.items()]
    cost, trees, mnist = Runtime().check(Settings(), [*real, *digits])
    assert (cost.statements, cost.stand_in) == (Statements(hold=1, open=7), "digits")
    assert cost.claim.startswith("with digits in place of mnist, which decides nothing: ")
    assert (trees.id, trees.statements, trees.stand_in) == ("C13-cost", Statements(hold=2), "")
    assert (mnist.id, mnist.statements, mnist.stand_in) == (
        "C13-cost-mnist",
        Statements(open=2),
        "digits",
    )
    assert Runtime().titled(real) == Runtime.title
    assert Runtime().titled([*real, *digits]).endswith(", on digits in place of mnist")
    assert Runtime().titled(digits).endswith(", on digits in place of covtype and mnist")


def test_rankings_are_by_the_cost_after_the_longest_history():
    slow, fast = timings("wb-nn", constant(0.2)), timings("wb-log", lambda t: 1e-7 * t)
    (ranking,) = Runtime().rankings(Settings(), [slow, fast])
    assert (ranking.title, ranking.rounds) == ("covtype", 50_000)
    assert [str(each) for each in ranking.standings] == ["5", "200"]
    assert [each.policy for each in ranking.standings] == ["wb-log", "wb-nn"]


def test_costs_that_lie_close_share_a_label():
    assert _papers("covtype") == [("npb-log, wb-log", 0.16)]
    assert _papers("mnist") == [("npb-log, npb-nn", 1.16), ("wb-nn, wb-log", 1.88)]


def test_the_table_has_the_papers_figures():
    traces = [
        timings("wb-log", constant(0.01)),
        timings("npb-nn", constant(0.5), LENGTHS[:2], environment="mnist"),
    ]
    rows = table(traces).splitlines()
    assert rows[0].startswith("| data | policy | ms at 1000 | ms at 5000 | ms at 20000 |")
    assert rows[2] == "| covtype | wb-log | 10 | 10 | 10 | 10 | 10 | 160 |"
    assert rows[3] == "| mnist | npb-nn | 500 | 500 |  |  |  | 1160 |"


def test_a_policy_that_was_timed_is_not_timed_again(tmp_path):
    asked = []

    def measure():
        asked.append(0)
        return {100: 0.25}

    first = Measured(tmp_path, ("digits", [100], 10, 0))
    assert [first.costs("wb", Exponential(), measure) for _ in range(2)] == [{100: 0.25}] * 2
    assert len(asked) == 1
    first.costs("npb", Exponential(), measure)
    Measured(tmp_path, ("digits", [100], 10, 1)).costs("wb", Exponential(), measure)
    Measured(None, ("digits", [100], 10, 0)).costs("wb", Exponential(), measure)
    assert len(asked) == 4

"""The rules by which comparisons become statements, and statements a verdict."""

import numpy as np
import pytest
from synthetic import trace

from bandstrap.experiments import Verdict
from bandstrap.experiments.statements import (
    BETTER,
    FAR_BETTER,
    HORIZON,
    NO_WORSE,
    SAME,
    SLIGHTLY_BETTER,
    Outcome,
    Relation,
    RewardDifference,
    Statement,
    decided,
    quantile,
    regret_difference,
    reward_difference,
    tally_of,
    verdict_of,
)
from bandstrap.simulation import Trace

HOLDS, OPEN, FAILS = Outcome.HOLDS, Outcome.OPEN, Outcome.FAILS


def made(low, high, complete=True, name="a"):
    """A difference with this interval."""
    mean, half = (low + high) / 2, (high - low) / 2
    return RewardDifference(name, "b", mean, half, f"{mean:+.4f}", complete)


@pytest.mark.parametrize(
    ("low", "high", "relation"),
    [
        (0.03, 0.05, Relation.BETTER),
        (0.01, 0.03, Relation.BETTER),  # above zero, and not shown to be within .02
        (0.001, 0.015, Relation.ALIKE),  # within .02, though above zero
        (-0.015, 0.015, Relation.ALIKE),
        (-0.03, -0.01, Relation.WORSE),
        (-0.01, 0.03, Relation.OPEN),
        (-0.03, 0.01, Relation.OPEN),
        (-0.5, 0.5, Relation.OPEN),
    ],
)
def test_a_comparison_ends_as_better_alike_or_worse(low, high, relation):
    assert made(low, high).relation is relation
    assert str(made(low, high)).endswith(f", {relation.value}")
    assert made(low, high, complete=False).relation is Relation.OPEN


@pytest.mark.parametrize(
    ("interval", "better", "no_worse", "same", "slightly", "far"),
    [
        ((0.06, 0.08), HOLDS, HOLDS, FAILS, FAILS, HOLDS),
        ((0.03, 0.04), HOLDS, HOLDS, FAILS, HOLDS, FAILS),
        ((0.03, 0.07), HOLDS, HOLDS, FAILS, OPEN, OPEN),
        ((0.002, 0.01), FAILS, HOLDS, HOLDS, HOLDS, FAILS),
        ((-0.01, 0.01), FAILS, HOLDS, HOLDS, FAILS, FAILS),  # a tie is settled
        ((-0.05, -0.03), FAILS, FAILS, FAILS, FAILS, FAILS),
        ((-0.05, 0.03), OPEN, OPEN, OPEN, OPEN, OPEN),
    ],
)
def test_rules(interval, better, no_worse, same, slightly, far):
    rules = (BETTER, NO_WORSE, SAME, SLIGHTLY_BETTER, FAR_BETTER)
    found = [rule.outcome(made(*interval)) for rule in rules]
    assert found == [better, no_worse, same, slightly, far]
    assert {rule.outcome(made(*interval, complete=False)) for rule in rules} == {OPEN}


def test_the_comparison_that_decided_is_shown():
    wins, ties, loses = made(0.03, 0.05), made(-0.01, 0.01, name="tie"), made(-0.09, -0.07)
    opens = made(-0.05, 0.05, name="wide")
    assert decided("x", [wins, opens, loses], BETTER) == Statement("x", FAILS, str(loses))
    assert decided("x", [wins, ties, loses], BETTER).numbers == str(loses)  # by how much it fails
    assert decided("x", [wins, opens], BETTER) == Statement("x", OPEN, str(opens))
    narrow = made(0.025, 0.03, name="narrow")
    assert decided("x", [wins, narrow], BETTER) == Statement("x", HOLDS, str(narrow))
    edge = made(-0.019, -0.001, name="edge")
    assert decided("x", [ties, edge], SAME) == Statement("x", HOLDS, str(edge))
    assert decided("x", [], BETTER).outcome is OPEN


@pytest.mark.parametrize(
    ("outcomes", "verdict", "count"),
    [
        ([HOLDS, HOLDS], Verdict.REPRODUCED, "2 of 2 statements hold"),
        ([HOLDS, HOLDS, HOLDS, OPEN], Verdict.IN_PART, "3 of 4 statements hold, 1 open"),
        ([HOLDS, FAILS], Verdict.IN_PART, "1 of 2 statements hold, 1 fails"),
        ([HOLDS, OPEN, OPEN, OPEN], Verdict.IN_PART, "1 of 4 statements hold, 3 open"),
        ([FAILS, OPEN], Verdict.NOT_REPRODUCED, "0 of 2 statements hold, 1 fails, 1 open"),
        ([HOLDS, FAILS, FAILS], Verdict.NOT_REPRODUCED, "1 of 3 statements hold, 2 fail"),
        ([OPEN, OPEN], Verdict.UNDECIDED, "0 of 2 statements hold, 2 open"),
        ([], Verdict.UNDECIDED, "0 of 0 statements hold"),
    ],
)
def test_statements_are_counted_and_open_ones_are_no_failures(outcomes, verdict, count):
    statements = [Statement("x", outcome, "") for outcome in outcomes]
    assert verdict_of(statements) is verdict
    assert str(tally_of(statements)) == count


def test_fewer_rounds_than_the_papers_decide_nothing():
    long, other = trace("a", 0.9), trace("b", 0.5)
    short = trace("c", 0.9, horizon=40_000)
    assert reward_difference(long, other).relation is Relation.BETTER
    assert reward_difference(short, other).relation is Relation.OPEN
    assert reward_difference(other, short).relation is Relation.OPEN
    assert reward_difference(long, other, 4516).relation is Relation.BETTER  # on the way to the end
    assert f"over {short.rounds[-1]} rounds, open" in str(reward_difference(short, other))
    assert "over" not in str(reward_difference(long, other))
    assert HORIZON == 50_000


def test_policies_are_compared_where_both_have_played():
    short = trace("wb-nn", lambda t: np.where(t < 4000, 0.5, 0.9), horizon=3000)
    long = trace("wb-log", lambda t: np.where(t < 4000, 0.4, 0.9))
    assert reward_difference(short, long).mean == pytest.approx(0.1, abs=1e-3)


def test_errors_of_few_runs_are_wider():
    rng = np.random.default_rng(0)
    # Of true differences of zero, as many are taken for real as promised, and no more.
    assert quantile(5) > quantile(30) > 2.5
    taken = 0
    for _ in range(4000):
        sample = rng.standard_normal(5)
        half = quantile(5) * sample.std(ddof=1) / np.sqrt(5)
        taken += abs(sample.mean()) > half
    assert taken / 4000 == pytest.approx(0.0124, abs=0.006)


def test_one_or_two_runs_decide_nothing():
    for runs in (1, 2):
        pair = trace("a", 0.9, noise=0.0, runs=runs), trace("b", 0.5, noise=0.0, runs=runs)
        assert reward_difference(*pair).relation is Relation.OPEN


def test_regrets_are_paired():
    rng, rounds = np.random.default_rng(0), np.array([10])
    luck = 100 * rng.random((50, 1))
    first, second = (
        Trace("x", "y", name, rounds, luck + extra, -luck, np.ones(1))
        for name, extra in (("a", 1.0 + 0.1 * rng.standard_normal((50, 1))), ("b", 0.0))
    )
    difference = regret_difference(first, second)
    assert difference.sign == 1
    assert regret_difference(second, first).sign == -1
    assert regret_difference(first, first).sign == 0
    assert difference.half == pytest.approx(quantile(50) * 0.1 / np.sqrt(50), rel=0.3)

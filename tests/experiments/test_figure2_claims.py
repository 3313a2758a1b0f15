"""Verdicts on figure 2 from traces made to order: the right order, the wrong one, and noise."""

import numpy as np
import pytest
from synthetic import trace, traces

from bandstrap.experiments.base import Verdict
from bandstrap.experiments.figure2.claims import verdicts
from bandstrap.experiments.statements import Outcome, quantile, reward_difference
from bandstrap.simulation import Trace

COVTYPE = {
    **{"eg-log": 0.70, "npb-log": 0.695, "wb-log": 0.695},
    **{"ucb-lin": 0.67, "eg-lin": 0.672, "npb-lin": 0.668, "wb-lin": 0.669, "ts-lin": 0.5},
    **{"eg-nn": 0.70, "npb-nn": 0.70, "wb-nn": 0.70},
}
MNIST = {
    **{"eg-log": 0.86, "npb-log": 0.845, "wb-log": 0.845, "ucb-lin": 0.70, "eg-lin": 0.69},
    **{"eg-nn": 0.92, "npb-nn": 0.90, "wb-nn": 0.90},
}


def verdict(levels, claim, dataset="covtype", **options):
    found = traces(levels, **{"environment": dataset, **options})
    return {each.id: each for each in verdicts(dataset, found)}[claim].verdict


def with_levels(levels, **changed):
    return {**levels, **{name.replace("_", "-"): level for name, level in changed.items()}}


def test_the_papers_order_is_reproduced():
    assert verdict(COVTYPE, "C9") is Verdict.REPRODUCED
    assert verdict(MNIST, "C10", "mnist") is Verdict.REPRODUCED


def test_the_opposite_order_is_not():
    upside_down = {name: 1 - level for name, level in COVTYPE.items()}
    assert verdict(upside_down, "C9") is Verdict.NOT_REPRODUCED
    upside_down = {name: 1 - level for name, level in MNIST.items()}
    assert verdict(upside_down, "C10", "mnist") is Verdict.NOT_REPRODUCED


@pytest.mark.parametrize(
    "changed",
    [
        {"ts_lin": 0.669},  # no longer the worst
        {"ucb_lin": 0.6},  # not like other linear ones
        {"eg_nn": 0.78},  # networks better than logistic
        {"eg_log": 0.66, "eg_nn": 0.66},  # below linear
    ],
)
def test_one_wrong_piece_leaves_a_part(changed):
    assert verdict(with_levels(COVTYPE, **changed), "C9") is Verdict.IN_PART


@pytest.mark.parametrize(
    "changed",
    [
        {"eg_nn": 0.83, "npb_nn": 0.815, "wb_nn": 0.815},  # below logistic
        {"npb_log": 0.79},  # far below tuned EG, and not like WB
        {"eg_lin": 0.8},  # linear above UCB
        {"ucb_lin": 0.82},  # not far below
        {"wb_log": 0.865, "npb_log": 0.865},  # above EG, not slightly below
    ],
)
def test_one_wrong_piece_leaves_a_part_of_mnist(changed):
    assert verdict(with_levels(MNIST, **changed), "C10", "mnist") is Verdict.IN_PART


def test_noise_decides_nothing():
    assert verdict(COVTYPE, "C9", noise=1.0) is Verdict.UNDECIDED
    assert verdict(COVTYPE, "C9", runs=1) is Verdict.UNDECIDED
    assert verdict(COVTYPE, "C9", runs=2, noise=0.0) is Verdict.UNDECIDED  # they agree by accident


def test_best_in_all_rounds_looks_at_all_rounds():
    found = traces(COVTYPE)
    found["eg-lin"] = trace("eg-lin", lambda t: np.where(t < 5000, 0.72, 0.672))
    claim = next(each for each in verdicts("covtype", found) if each.id == "C9")
    assert claim.verdict is Verdict.IN_PART
    assert "in all rounds: fails" in claim.evidence
    assert "eg-log − eg-lin = +0.02" in claim.evidence  # at the end


def test_digits_decide_nothing_about_covtype():
    found = traces(COVTYPE, environment="digits")
    claim = verdicts("covtype", found)[0]
    assert claim.verdict is Verdict.UNDECIDED
    assert "digits in its place" in claim.evidence
    assert "rules say: reproduced" in claim.evidence


def test_pseudo_examples_alike_or_not():
    alike = {"wb-log": 0.69, "wb-log-random-prior": 0.68}
    assert verdict(alike, "C12") is Verdict.REPRODUCED
    assert verdict({**alike, "wb-log-random-prior": 0.6}, "C12") is Verdict.NOT_REPRODUCED
    assert verdict(alike, "C12", noise=0.05) is Verdict.UNDECIDED
    assert verdict(alike, "C12-mnist", "mnist") is Verdict.REPRODUCED


def test_faster_than_trees_and_better_than_tang():
    levels = {"wb-log": 0.69, "ensemble-log": 0.6}
    slow, fast = trace("tree-heuristic", 0.7, cost=0.1), trace("tree-heuristic", 0.7, cost=1e-5)
    for tree, tang, expected in (
        (slow, 0.6, Verdict.REPRODUCED),
        (fast, 0.6, Verdict.IN_PART),
        (fast, 0.75, Verdict.NOT_REPRODUCED),
    ):
        found = {**traces({**levels, "ensemble-log": tang}), "tree-heuristic": tree}
        (claim,) = verdicts("covtype", found)
        assert (claim.id, claim.verdict) == ("C13", expected)


def test_times_are_compared_over_all_that_both_have_played():
    """Rounds recorded of runs of different lengths are mostly different ones."""
    tree = trace("tree-heuristic", 0.7, cost=2e-3, horizon=4600)
    ours = trace("wb-log-paper", 0.7, cost=1e-3, horizon=1900)
    odd = np.arange(tree.rounds.size) % 2 == 1
    odd[tree.rounds == ours.rounds[-1]] = False
    parts = (part[..., odd] for part in (tree.rounds, tree.regret, tree.reward, tree.seconds))
    tree = Trace(tree.experiment, tree.environment, tree.policy, *parts)
    found = {
        **traces({"wb-log": 0.69, "ensemble-log": 0.6}),
        "tree-heuristic": tree,
        "wb-log-paper": ours,
    }
    (claim,) = verdicts("covtype", found)
    assert "(1.00 against 2.00 ms a round over 1884 rounds)" in claim.evidence


def test_a_claim_about_trees_needs_a_tree():
    found = traces({"eg-log": 0.69, "npb-log": 0.69, "wb-log": 0.69, "ensemble-log": 0.6})
    (claim,) = [each for each in verdicts("covtype", found) if each.id == "C13"]
    assert claim.verdict is Verdict.IN_PART
    assert "no tree was played" in claim.evidence


def test_one_better_schedule_is_enough():
    best = {"eg-log": 0.70, "eg-log-c5": 0.69, "eg-log-c500": 0.66, "eg-log-0.1": 0.64}
    assert verdict(best, "C14") is Verdict.REPRODUCED
    assert verdict({**best, "eg-log-c5": 0.71}, "C14") is Verdict.NOT_REPRODUCED
    assert verdict({**best, "eg-log-c5": 0.70}, "C14") is Verdict.IN_PART


def test_policies_are_compared_where_both_have_played():
    short = trace("wb-nn", lambda t: np.where(t < 4000, 0.5, 0.9), horizon=3000)
    long = trace("wb-log", lambda t: np.where(t < 4000, 0.4, 0.9))
    difference = reward_difference(short, long)
    assert f"over {short.rounds[-1]} rounds" in str(difference)
    assert difference.mean == pytest.approx(0.1, abs=1e-3)


@pytest.mark.parametrize(("levels", "claim", "dataset"), [
    (COVTYPE, "C9", "covtype"),
    (MNIST, "C10", "mnist"),
    ({"wb-log": 0.69, "wb-log-random-prior": 0.6}, "C12", "covtype"),
    ({"wb-log": 0.69, "ensemble-log": 0.6, "tree-heuristic": 0.6}, "C13", "covtype"),
    ({"eg-log": 0.70, "eg-log-c5": 0.72}, "C14", "covtype"),
])  # fmt: skip
def test_a_few_rounds_decide_nothing_and_say_how_few(levels, claim, dataset):
    assert verdict(levels, claim, dataset, horizon=4900) is Verdict.UNDECIDED
    assert verdict(levels, claim, dataset, horizon=5100) is not Verdict.UNDECIDED
    found = traces(levels, environment=dataset, horizon=4900)
    evidence = {each.id: each for each in verdicts(dataset, found)}[claim].evidence
    assert "over 4516 rounds" in evidence


def test_errors_of_few_runs_are_wider():
    rng = np.random.default_rng(0)
    # Of true differences of zero, so many are taken for real: as many as promised, and no more.
    assert quantile(5) > quantile(30) > 2.5
    taken = 0
    for _ in range(4000):
        sample = rng.standard_normal(5)
        half = quantile(5) * sample.std(ddof=1) / np.sqrt(5)
        taken += abs(sample.mean()) > half
    assert taken / 4000 == pytest.approx(0.0124, abs=0.006)


def test_bounds_of_a_difference():
    wide, narrow = trace("a", 0.6, noise=0.05), trace("a", 0.6)
    other = trace("b", 0.55)
    assert reward_difference(narrow, other).above(0.02) is Outcome.HOLDS
    assert reward_difference(narrow, other).above(0.08) is Outcome.FAILS
    assert reward_difference(wide, other).above(0.02) is Outcome.OPEN
    assert reward_difference(narrow, other).between(0.0, 0.06) is Outcome.HOLDS
    assert reward_difference(narrow, other).between(0.06, 0.1) is Outcome.FAILS
    assert reward_difference(wide, other).between(0.0, 0.06) is Outcome.OPEN

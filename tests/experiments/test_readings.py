"""Readings of what the paper leaves open: each can be played."""

from dataclasses import replace

import numpy as np
import pytest

from bandstrap.environments import Labelled
from bandstrap.experiments import Settings
from bandstrap.experiments.figure2.claims import _BOTH, _ORDERS
from bandstrap.experiments.figure2.experiment import COVTYPE, MNIST
from bandstrap.experiments.figure2.players import KNOWN, PLAYERS, policy_of, root_mean_square
from bandstrap.experiments.figure2.readings import READINGS, readings_of
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples, NoExamples
from bandstrap.simulation import simulate

DIGITS = Labelled("digits")
CLAIMS = {*_BOTH, "C13-cost", *(id_ for orders in _ORDERS.values() for id_ in orders)}


@pytest.mark.filterwarnings("ignore::bandstrap.models.cost.CostWarning")
@pytest.mark.parametrize("name", PLAYERS)
def test_what_a_reading_needs_plays(name):
    policy = policy_of(name, DIGITS)
    played = simulate(policy, DIGITS, horizon=12, runs=1)
    assert np.array_equal(played.reward + played.regret, played.rounds[None])
    assert repr(policy) not in {repr(policy_of(other, DIGITS)) for other in KNOWN if other != name}


def test_names_are_one_policy_each():
    assert not PLAYERS.keys() & CONTEXTUAL.keys()
    assert Settings(policies=("eg-log-bare",)).policies == ("eg-log-bare",)


def test_every_question_has_one_headline():
    for question in {reading.question for reading in READINGS}:
        some = [reading for reading in READINGS if reading.question == question]
        assert [reading.headline for reading in some].count(True) == 1
        assert len({reading.answer for reading in some}) == len(some) > 1


def test_every_reading_is_played():
    for lineup in (COVTYPE, MNIST):
        played = {*lineup.full, *lineup.reduced}
        for reading in READINGS:
            assert reading.claims
            assert CLAIMS.issuperset(reading.claims)
            assert played.issuperset(reading.players.values())


def test_a_reading_departs_from_the_headline_in_one_question():
    headline, others = readings_of("C9")
    assert [each.answer for each in headline] == ["1", "none", "solved"]
    published = next(each for each in others if each.answer == "as published")
    assert published.player("ucb-lin") == "ucb-lin"
    assert published.player("eg-log") == "eg-log-bare"
    assert headline[0].player("ucb-lin") == "ucb-lin-fixed"
    assert headline[0].player("wb-log") == "wb-log"


def test_epsilon_greedy_without_pseudo_examples():
    policy, usual = policy_of("eg-log-bare", DIGITS), policy_of("eg-log", DIGITS)
    assert policy.prior == NoExamples()
    assert usual.prior == EigenExamples(DIGITS.covariance)
    assert (policy.model, policy.schedule) == (usual.model, usual.schedule)
    assert policy_of("eg-log-c5-bare", DIGITS).schedule == policy_of("eg-log-c5", DIGITS).schedule


@pytest.mark.parametrize(
    ("name", "examples", "rms"),
    [("-d", 1, False), ("-d-rms", 1, True), ("-4d-rms", 4, True), ("", 4, False)],
)
def test_gaussian_examples(name, examples, rms):
    prior = policy_of(f"wb-log-random-prior{name}", DIGITS).prior
    contexts = DIGITS.data.contexts
    assert prior.start(DIGITS.problem).count == examples * contexts.shape[1]
    assert prior.scale == pytest.approx(np.sqrt(np.mean(contexts**2)) if rms else 1.0)


def test_the_root_mean_square_of_bytes_is_that_of_shares():
    table = np.array([[0, 255], [51, 204]], dtype=np.uint8)
    assert root_mean_square(table) == pytest.approx(np.sqrt((1 + 0.2**2 + 0.8**2) / 4))
    assert root_mean_square(table / 255) == pytest.approx(root_mean_square(table))


def test_the_papers_optimiser_stops_by_two_rules():
    for name in ("eg-lin", "npb-log", "wb-lin"):
        usual, first = (policy_of(f"{name}-{word}", DIGITS) for word in ("paper", "paper-first"))
        assert (usual.model.patience, first.model.patience) == (5, 1)
    assert policy_of("eg-log-paper", DIGITS).prior == NoExamples()
    assert policy_of("tree-heuristic-30", DIGITS).pulls == 30
    assert policy_of("npb-tree-30", DIGITS).pulls == 30
    assert policy_of("npb-tree-30", DIGITS).policy == policy_of("npb-tree", DIGITS)


def test_npb_by_repeated_rows_differs_in_nothing_else():
    _, others = readings_of("C10")
    repeated = [each for each in others if each.answer.endswith("NPB by repeated rows")]
    for reading, word in zip(repeated, ("paper", "paper-first"), strict=True):
        assert reading.player("wb-log") == f"wb-log-{word}"
        assert reading.player("eg-lin") == f"eg-lin-{word}"
        for curve in ("npb-lin", "npb-log"):
            policy = policy_of(reading.player(curve), DIGITS)
            usual = policy_of(f"{curve}-{word}", DIGITS)
            assert replace(policy, model=policy.model.model) == usual

"""Contextual policies by name: each plays, and says by its text alone what it is."""

import numpy as np
import pytest

from bandstrap.environments import Labelled
from bandstrap.policies.registry import CONTEXTUAL, SCHEDULES
from bandstrap.priors import EigenExamples
from bandstrap.simulation import simulate

DIGITS = Labelled("digits")


@pytest.fixture(scope="module")
def prior():
    return EigenExamples(DIGITS.covariance)


@pytest.mark.filterwarnings("ignore::bandstrap.models.cost.CostWarning")
@pytest.mark.parametrize("name", sorted(CONTEXTUAL))
def test_every_policy_plays(name, prior):
    played = simulate(CONTEXTUAL[name](prior), DIGITS, horizon=12, runs=1)
    assert np.array_equal(played.reward + played.regret, played.rounds[None])


def test_texts_tell_policies_apart(prior):
    # What is kept of a killed run is found again by this text.
    texts = {name: repr(make(prior)) for name, make in CONTEXTUAL.items()}
    assert len(set(texts.values())) == len(texts)
    assert texts == {name: repr(make(prior)) for name, make in CONTEXTUAL.items()}
    assert not any(" at 0x" in text for text in texts.values())


def test_schedules_differ_from_the_papers_only_in_exploration(prior):
    usual = CONTEXTUAL["eg-log"](prior)
    assert usual.schedule(50) == 0.5
    for make in map(CONTEXTUAL.get, SCHEDULES):
        rival = make(prior)
        assert (rival.model, rival.prior) == (usual.model, usual.prior)
        assert rival.schedule(50) != 0.5

"""Verdicts on WB and Thompson sampling: from made-up p-values, and from laws that are not equal."""

import numpy as np
import pytest

from bandstrap.experiments import RunSize, Settings, Verdict
from bandstrap.experiments.equivalence import posteriors
from bandstrap.experiments.equivalence.experiment import PAIRS, Equivalence
from bandstrap.experiments.equivalence.posteriors import LEVEL, PValues
from bandstrap.priors import PseudoRewards
from bandstrap.simulation import Trace

TESTS = ("beta_tests", "dirichlet_tests", "additive_tests")
OTHER = PseudoRewards(2, 1)


def played():
    rounds, regret = np.array([10]), np.array([[1.0], [2.0], [4.0]])
    return [
        Trace("equivalence", env, name, rounds, regret + place, 10 - regret, np.ones(1))
        for env, names in PAIRS.items()
        for place, name in enumerate(names)
    ]


def verdicts():
    return [claim.verdict for claim in Equivalence().check(Settings(RunSize.QUICK), played())]


@pytest.mark.parametrize("which", range(3))
def test_a_small_p_value_refutes_its_own_claim_alone(monkeypatch, which):
    for place, name in enumerate(TESTS):
        values = (0.3, LEVEL / 10, 0.8) if place == which else (0.3, LEVEL, 0.8)
        monkeypatch.setattr(posteriors, name, lambda draws, rng, values=values: PValues(values, 9))
    expected = [Verdict.REPRODUCED] * 3
    expected[which] = Verdict.NOT_REPRODUCED
    assert verdicts() == expected


def test_the_level_is_shared_by_all_tests():
    assert PValues((1.01 * LEVEL,), 10).passed
    assert PValues((1.01 * LEVEL / 4, 0.5, 0.5, 0.5), 10).passed
    assert not PValues((0.99 * LEVEL / 4, 0.5, 0.5, 0.5), 10).passed
    assert "4 distribution tests of 10 draws each" in str(PValues((0.1,) * 4, 10))


def test_wb_is_thompson_sampling():
    claims = Equivalence().check(Settings(RunSize.QUICK), played())
    assert [claim.id for claim in claims] == ["C1", "C2", "C3"]
    assert {claim.verdict for claim in claims} == {Verdict.REPRODUCED}
    assert "regret on gaussian: wb-additive − ts-gaussian = -1.00 ± 0.00" in claims[2].evidence


@pytest.mark.parametrize("name", TESTS[:2])
def test_another_prior_is_not(monkeypatch, name):
    bootstrap = posteriors.Bootstrap
    monkeypatch.setattr(posteriors, "Bootstrap", lambda prior=None: bootstrap(prior=OTHER))
    assert not getattr(posteriors, name)(2000, np.random.default_rng(0)).passed

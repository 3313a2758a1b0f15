"""Verdicts on figure 1 from regrets made to order."""

import numpy as np
import pytest

from bandstrap.experiments import Settings, Verdict
from bandstrap.experiments.figure1 import ENVIRONMENT_NAMES, Figure1, Figure1K2
from bandstrap.simulation import Trace

PAPER = {"bernoulli": (45, 60, 45), **dict.fromkeys(ENVIRONMENT_NAMES[1:], (17, 20, 46))}


def traces(levels, noise=0.5, runs=200, **more):
    """Runs that end with the regrets of wb, npb and ts, in each environment."""
    rng, rounds, made = np.random.default_rng(1), np.array([10_000]), []
    for env, regrets in levels.items():
        named = dict(zip(("wb", "npb", "ts"), regrets, strict=True), **more)
        for policy, regret in named.items():
            final = regret + noise * rng.standard_normal((runs, 1))
            made.append(Trace("figure1", env, policy, rounds, final, rounds - final, np.ones(1)))
    return made


def claim_of(levels, experiment=Figure1, **options):
    (claim,) = experiment().check(Settings(), traces(levels, **options))
    return claim


def test_the_papers_order_is_reproduced():
    claim = claim_of(PAPER)
    assert (claim.id, claim.verdict) == ("C8", Verdict.REPRODUCED)
    assert "9 of 9 statements hold" in claim.evidence
    assert "wb equals ts: holds" in claim.evidence


def test_the_opposite_order_is_not():
    other = {"bernoulli": (60, 45, 70), **dict.fromkeys(ENVIRONMENT_NAMES[1:], (46, 20, 17))}
    assert claim_of(other).verdict is Verdict.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("env", "regrets"),
    [("beta", (20, 17, 46)), ("triangular", (17, 46, 20)), ("bernoulli", (45, 60, 50))],
)
def test_one_wrong_order_leaves_a_part(env, regrets):
    claim = claim_of({**PAPER, env: regrets})
    assert claim.verdict is Verdict.IN_PART
    assert "8 of 9 statements hold, 1 fails" in claim.evidence


@pytest.mark.parametrize("options", [{"noise": 500.0}, {"runs": 1}])
def test_noise_decides_nothing(options):
    """Not even that WB equals TS, which no small sample contradicts."""
    assert claim_of(PAPER, **options).verdict is Verdict.UNDECIDED


def test_the_other_reading_of_npb_is_shown():
    claim = claim_of(PAPER, **{"npb-binomial": 56.0})
    assert "beta npb-binomial − ts = +9.97" in claim.evidence
    assert "binomial" not in claim_of(PAPER).evidence


def test_policies_that_decide_nothing_make_no_claim():
    some = [trace for trace in traces(PAPER) if trace.policy != "ts"]
    assert Figure1().check(Settings(), some) == []
    assert claim_of(PAPER, Figure1K2).id == "C8-k2"

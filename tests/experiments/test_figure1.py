"""Verdicts on figure 1 from regrets made to order."""

import numpy as np
import pytest

from bandstrap.experiments import Settings, Verdict
from bandstrap.experiments.figure1 import ENVIRONMENT_NAMES, Figure1, Figure1K2, Figure1K5
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
    """With a verdict of its own."""
    claim = claim_of(PAPER, **{"npb-binomial": 56.0})
    assert claim.verdict is Verdict.REPRODUCED
    assert (
        "binomial estimator: reproduced in part, 6 of 9 statements hold, 3 fail" in claim.evidence
    )
    assert "beta ts above npb-binomial: fails (ts − npb-binomial = -9.97 ±" in claim.evidence
    assert "binomial" not in claim_of(PAPER).evidence


@pytest.mark.parametrize("experiment", [Figure1K5, Figure1K2])
def test_fewer_arms_are_beyond_the_text(experiment):
    below = {**PAPER, "triangular": (17, 15, 46), "truncated-normal": (17, 16.5, 46)}
    claim = claim_of(below, experiment)
    assert claim.claim.startswith("beyond the text, which states this order for K = 10: K = ")
    finding = claim.evidence.splitlines()[-1]
    assert finding.startswith("Finding: NPB is below WB: truncated-normal npb − wb = -0.4")
    assert "triangular npb − wb = -2.0" in finding
    assert "beta" not in finding
    assert "Finding" not in claim_of(PAPER, experiment).evidence
    assert experiment.runs == 5000


def test_ten_arms_are_in_the_text():
    claim = claim_of({**PAPER, "triangular": (17, 15, 46)})
    assert claim.claim.startswith("K = 10:")
    assert "Finding" not in claim.evidence


def test_policies_that_decide_nothing_make_no_claim():
    some = [trace for trace in traces(PAPER) if trace.policy != "ts"]
    assert Figure1().check(Settings(), some) == []
    assert claim_of(PAPER, Figure1K2).id == "C8-k2"

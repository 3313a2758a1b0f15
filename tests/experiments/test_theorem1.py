"""Verdicts on the lemmas and on Theorem 1, from made-up results."""

from dataclasses import replace

import numpy as np
import pytest

from bandstrap.experiments import RunSize, Settings, Verdict
from bandstrap.experiments.theorem1.experiment import (
    BadHistoryCheck,
    Theorem1,
    TruncatedGeometricCheck,
    bad_history,
    in_numbers,
    near_linear,
    truncated_geometric,
)
from bandstrap.simulation import Runner, Trace

HORIZONS = np.geomspace(10, 1e300, 300)
LOG = np.log10(HORIZONS)


def made(policy, regret, horizons=HORIZONS):
    regret = np.broadcast_to(regret, horizons.shape)[None]
    return Trace("theorem1", "two-arm", policy, horizons, regret, 0 * regret, 0 * horizons)


def rising(horizons=HORIZONS):
    """Regret whose exponent rises from 0 to 1: far above the lemma's bound."""
    logs = np.log10(horizons)
    return 10.0 ** (0.9 * logs + logs**2 / 6000)


FLAT = made("wb", 1.35)


def test_the_bad_history_holds_at_every_m_or_in_part():
    found = BadHistoryCheck(100, 100, 2.9, 18, 15)
    assert bad_history(found).verdict is Verdict.REPRODUCED
    part = bad_history(replace(found, holding=99))
    assert part.verdict is Verdict.IN_PART
    assert "99 of 100 values" in part.evidence


@pytest.mark.parametrize(
    ("equal", "bounded", "verdict"),
    [
        (100, 100, Verdict.REPRODUCED),
        (99, 100, Verdict.NOT_REPRODUCED),
        (100, 99, Verdict.NOT_REPRODUCED),
    ],
)
def test_one_point_refutes_the_truncated_geometric(equal, bounded, verdict):
    found = TruncatedGeometricCheck(100, equal, bounded, 1.2, (0.1, 5))
    assert truncated_geometric(found).verdict is verdict


def test_rising_exponents_above_the_bound_reproduce_the_theorem():
    claim = near_linear(made("npb", rising()), FLAT)
    assert claim.verdict is Verdict.REPRODUCED
    assert claim.evidence.startswith("4 of 4 statements hold\n")
    assert "5 of 5 values of γ" in claim.evidence


@pytest.mark.parametrize(
    ("npb", "wb"),
    [
        (made("npb", 10.0 ** (LOG - LOG**2 / 6000)), FLAT),  # the exponent falls
        (made("npb", rising() / 1e250), FLAT),  # below the lemma's bound
        (made("npb", rising()), made("wb", LOG)),  # WB does not stay flat
    ],
)
def test_one_wrong_curve_leaves_a_part(npb, wb):
    claim = near_linear(npb, wb)
    assert claim.verdict is Verdict.IN_PART
    assert claim.evidence.startswith("3 of 4 statements hold, 1 fails\n")


def test_three_wrong_curves_refute_it():
    npb, wb = made("npb", 10.0 ** (LOG / 9 - LOG**2 / 6000)), made("wb", LOG)
    assert near_linear(npb, wb).verdict is Verdict.NOT_REPRODUCED


def test_short_horizons_leave_the_exponent_open():
    short = HORIZONS[HORIZONS < 1e50]
    claim = near_linear(made("npb", rising(short), short), made("wb", 1.35, short))
    assert claim.evidence.startswith("3 of 4 statements hold, 1 open\n")
    assert "the exponent rises: open" in claim.evidence


def test_what_the_theorem_means_in_numbers():
    claim = in_numbers(made("npb", rising()), FLAT)
    assert (claim.id, claim.verdict) == ("C6-numbers", Verdict.REPRODUCED)
    late = in_numbers(made("npb", rising() / 1e30), FLAT)
    assert late.verdict is Verdict.NOT_REPRODUCED
    assert "the better of the two until T ≈ 10^33.3" in late.evidence
    assert "exponent 0.993 by T = 10^300" in late.evidence
    short = HORIZONS[HORIZONS < 1e6]
    claim = in_numbers(made("npb", rising(short), short), made("wb", 1.35, short))
    assert claim.verdict is Verdict.UNDECIDED


def test_npb_is_better_until_far_beyond_what_can_be_played():
    horizons = np.array([*np.geomspace(10, 1e40, 80), *10.0 ** np.arange(60.0, 301.0, 40.0)])
    claim = in_numbers(*Theorem1().run_at(horizons))
    assert "until T ≈ 10^32.4" in claim.evidence
    assert "exponent 0.465 by T = 10^300" in claim.evidence


def test_theorem_1_in_small():
    experiment, settings = Theorem1(), Settings(RunSize.QUICK)
    traces = experiment.run(settings, Runner(0))
    found = {claim.id: claim.verdict for claim in experiment.check(settings, traces)}
    assert found["C4"] is found["C5"] is Verdict.REPRODUCED
    assert found["C6"] is Verdict.IN_PART  # one window of decades is too few for its exponent
    assert found["C6-numbers"] is Verdict.NOT_REPRODUCED
    assert len(experiment.check(settings, traces[:1])) == 2  # the theorem needs both policies

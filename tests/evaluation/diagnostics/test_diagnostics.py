"""Checks say what they should, of logs that are right and of logs that are not."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import genpareto

from bandstrap.evaluation.diagnostics import RULES, Severity, Verdict
from bandstrap.evaluation.diagnostics.checks import check_log, check_target
from bandstrap.evaluation.diagnostics.log_summary import summarised
from bandstrap.evaluation.diagnostics.pareto import pareto_k
from bandstrap.evaluation.diagnostics.target_summary import TargetSummary
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets import Always, Uniform, base
from small_logs import log_of_arms

MEANS, SHARES = [0.2, 0.5, 0.6], [0.6, 0.25, 0.15]


def checked(log, target):
    summary = summarised(log)
    weights = TargetSummary(log, 0.0, summary.chosen)
    for shares in target.shares(log):
        weights.add(shares)
    found = [*check_log(summary), *check_target(target.name, weights, summary)]
    return {each.check: each for each in found}, weights


@pytest.mark.parametrize("k", [0.2, 0.5, 0.9])
def test_pareto_k_is_that_of_the_tail(k):
    found = [
        pareto_k(np.append(genpareto.rvs(k, size=1000, random_state=seed), 0.0))
        for seed in range(20)
    ]
    assert np.mean(found) == pytest.approx(k, abs=0.05)  # 4 standard errors, and the weak prior


def test_weights_without_spread_have_no_tail():
    assert pareto_k(np.full(100, 3.0)) == -np.inf
    assert pareto_k(np.array([])) == -np.inf


def test_a_sound_log_is_trusted():
    found, weights = checked(log_of_arms(5000, MEANS, SHARES, every=True), Uniform())
    assert Verdict.of(found.values()).word == "trust"
    ratios = (1 / 3) / log_of_arms(5000, MEANS, SHARES).propensities
    assert weights.size == pytest.approx(ratios.sum() ** 2 / (ratios**2).sum())
    assert weights.mean == pytest.approx(ratios.mean())
    assert weights.mean_error == pytest.approx(ratios.std() / np.sqrt(5000))


def test_slices_do_not_matter(monkeypatch):
    log = log_of_arms(3000, MEANS, SHARES, every=True)
    whole, weights = checked(log, Uniform())
    monkeypatch.setattr(base, "ROWS", 77)
    pieces, in_pieces = checked(log, Uniform())
    assert [*whole] == [*pieces]
    for check, each in whole.items():
        assert pieces[check].value == pytest.approx(each.value, rel=1e-9)
    assert in_pieces.bins.tolist() == weights.bins.tolist()


@pytest.mark.parametrize("every", [True, False])
def test_choices_by_other_probabilities_are_noticed(every):
    wrong = log_of_arms(3000, MEANS, SHARES, every=every, skewed=[0.5, 0.25, 0.25])
    found, _ = checked(wrong, Uniform())
    assert found["choices"].severity is Severity.STOP
    assert "not chosen with the logged propensities" in str(found["choices"])


@pytest.mark.parametrize("every", [True, False])
def test_the_test_of_choices_may_be_looked_at_after_every_row(every):
    """A right log exceeds 20 at any time with probability 1/20 at most: of 200 logs, 10."""
    alarms = sum(
        summarised(log_of_arms(400, MEANS, SHARES, seed, every=every)).evidence > 20
        for seed in range(200)
    )
    assert alarms <= 14  # 10 and 1.3 standard errors


def test_an_arm_that_the_logger_never_chose_cannot_be_judged():
    log = log_of_arms(2000, MEANS, [0.7, 0.3, 0.0])
    found, weights = checked(log, Always("c"))
    assert weights.lost == 1
    assert found["support"].severity is Severity.STOP
    assert "'c'" in str(found["support"])
    found, weights = checked(log, Uniform())
    assert weights.lost == pytest.approx(1 / 3)
    assert found["mean"].severity is Severity.STOP  # the mean weight is 2/3


def test_an_arm_that_was_hardly_chosen_calls_for_care():
    found, _ = checked(log_of_arms(2000, MEANS, [0.6, 0.396, 0.004]), Uniform())
    assert found["support"].severity is Severity.CARE
    assert "hardly ever" in str(found["support"])


def test_one_enormous_weight_stops():
    log = log_of_arms(2000, MEANS, SHARES)
    propensities = log.propensities.copy()
    propensities[7] = 1e-6
    odd = Feedback(log.arms, log.chosen, log.rewards, propensities=propensities)
    found, weights = checked(odd, Uniform())
    assert weights.largest == pytest.approx(1 / 3e-6)
    for check in ("size", "largest"):
        assert found[check].severity is Severity.STOP
    assert Verdict.of(found.values()).word == "cannot say"


def test_rare_rewards_call_for_care():
    log = log_of_arms(4000, [0.004] * 3, [1 / 3] * 3)
    found, weights = checked(log, Uniform())
    assert weights.rewards == pytest.approx(log.rewards.sum())
    assert found["rewards"].severity is Severity.CARE


def test_drift_is_seen_and_does_not_cry_wolf():
    log = log_of_arms(4000, MEANS, SHARES)
    early = np.arange(4000) < 2000
    rewards = np.where(early, log.rewards, 1.0)
    drifted = Feedback(log.arms, log.chosen, rewards, propensities=log.propensities)
    assert checked(drifted, Uniform())[0]["drift"].severity is Severity.CARE
    wolves = sum(
        checked(log_of_arms(1000, MEANS, SHARES, seed), Uniform())[0]["drift"].severity > 0
        for seed in range(60)
    )
    assert wolves <= 1  # the rule allows one in a thousand


def test_missing_and_late_rewards():
    log = log_of_arms(2000, MEANS, SHARES)
    rewards = log.rewards.copy()
    rewards[1900:] = np.nan
    late = Feedback(log.arms, log.chosen, rewards, propensities=log.propensities)
    found, _ = checked(late, Uniform())
    assert found["missing"].value == pytest.approx(0.05)
    assert "seem to be late" in str(found["late"])


def test_a_log_without_propensities_rests_on_a_model():
    log = log_of_arms(500, MEANS, SHARES)
    found, _ = checked(Feedback(log.arms, log.chosen, log.rewards), Uniform())
    assert found["propensities"].severity is Severity.CARE


def test_a_logger_that_may_have_learnt_needs_more_decisions():
    log = log_of_arms(500, MEANS, [1 / 3] * 3)
    moved = replace(log, propensities=log.propensities * np.where(np.arange(500) < 250, 1, 0.99))
    fixed, varied = (checked(each, Uniform())[0]["size"] for each in (log, moved))
    assert (fixed.severity, varied.severity) == (Severity.FINE, Severity.CARE)
    assert fixed.value == pytest.approx(varied.value, rel=0.01)


def test_rules_judge_at_their_limits():
    assert RULES["size"].judge(400) is Severity.FINE
    assert RULES["learnt size"].judge(599) is Severity.CARE
    assert RULES["size"].judge(399) is Severity.CARE
    assert RULES["size"].judge(99) is Severity.STOP
    assert RULES["tail"].judge(0.7) is Severity.FINE
    assert RULES["size"].judge(float("nan")) is Severity.STOP

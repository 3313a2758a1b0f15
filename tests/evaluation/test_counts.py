"""Rows that stand for several decisions: as if every one of these were there."""

from dataclasses import replace

import numpy as np
import pytest

from bandstrap import evaluate
from bandstrap.evaluation.diagnostics.log_summary import summarised
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets import BestArm, Learnt, Uniform
from bandstrap.policies import POLICIES
from small_logs import log_of_arms

MEANS, SHARES = [0.2, 0.5, 0.6], [0.6, 0.25, 0.15]


def kept(log, keep, counts):
    """Some rows of a log, which stand for this many each."""
    return Feedback(
        log.arms, log.chosen[keep], log.rewards[keep],
        propensities=log.propensities[keep], counts=counts[keep],
    )  # fmt: skip


def half_without_clicks(rows, seed=0):
    """Half of the decisions without a click were dropped, so that one left stands for two."""
    log = log_of_arms(rows, MEANS, SHARES, seed)
    clicked = log.rewards == 1
    keep = clicked | (np.random.default_rng(seed + 1).random(rows) < 0.5)
    return log, kept(log, keep, np.where(clicked, 1.0, 2.0))


def test_a_log_whose_dull_half_was_dropped_is_trusted():
    whole, log = half_without_clicks(6000)
    found = evaluate(log, ["uniform", "always=c"])
    for each, truth in zip(found.targets, (np.mean(MEANS), 0.6), strict=True):
        assert each.verdict.word == "trust"
        assert truth in each.interval
    assert found.logger.value == pytest.approx(whole.rewards.mean(), abs=0.02)
    assert found.logger.shares == pytest.approx(SHARES, abs=0.03)
    assert found.logger.means == pytest.approx(MEANS, abs=0.06)
    findings = {each.check: each for each in found.findings}
    assert "cannot be tested" in str(findings["choices"])
    assert findings["drift"].severity == 0
    assert found.targets[0].view.rewards.mean() == pytest.approx(np.mean(MEANS), abs=0.03)
    assert found.targets[0].view.wanted == pytest.approx([1 / 3] * 3)


def test_drift_does_not_cry_wolf_where_counts_depend_on_rewards():
    wolves = sum(
        summarised(half_without_clicks(1200, seed)[1]).drift()[0] < 0.05 for seed in range(60)
    )
    assert wolves <= 7  # 3 of 60, and 2.5 standard errors


def test_constant_counts_change_no_estimate_and_no_diagnosis():
    log = log_of_arms(3000, MEANS, SHARES)
    double = replace(log, counts=np.full(3000, 2.0))
    one, two = (evaluate(each, ["uniform", "best-arm"]) for each in (log, double))
    for single, several in zip(one.targets, two.targets, strict=True):
        assert several.value == pytest.approx(single.value, abs=0.01)
        assert several.verdict == single.verdict
        mean = [next(x for x in each.findings if x.check == "mean") for each in (single, several)]
        assert mean[1].value == pytest.approx(mean[0].value, abs=0.1)
    assert two.findings[0].value == pytest.approx(one.findings[0].value)
    assert summarised(double).drift()[0] == pytest.approx(summarised(log).drift()[0])


def repeated(log):
    """The same log with a row for each decision."""
    many = log.counts.astype(int)
    return Feedback(
        log.arms, np.repeat(log.chosen, many), np.repeat(log.rewards, many),
        propensities=np.repeat(log.propensities, many),
    )  # fmt: skip


@pytest.mark.parametrize("target", [BestArm(), Learnt(POLICIES["eg"](), "eg")])
def test_targets_learn_a_row_as_often_as_it_counts(target):
    _, log = half_without_clicks(150)
    log.counts[-1] = 1.0  # nobody is judged after it
    found, wanted = ([*target.shares(each)][-1].every[-1] for each in (log, repeated(log)))
    assert found == pytest.approx(wanted)


def test_policies_that_take_no_fractions_learn_them_by_chance():
    log = log_of_arms(400, MEANS, SHARES)
    contexts = np.random.default_rng(0).random((400, 1))
    odd = replace(log, counts=np.where(log.rewards == 1, 1.0, 1.4), contexts=contexts)
    found = evaluate(odd, ["npb", "wb-log-replicas", "wb"])
    assert all(0.2 < each.value < 0.8 for each in found.targets)


def test_the_share_without_support_is_one_of_decisions():
    _, log = half_without_clicks(600)
    log = replace(log, arms=(*log.arms, "d"))
    lost = next(x for x in evaluate(log, Uniform()).targets[0].findings if x.check == "support")
    assert lost.value == pytest.approx(0.25)

"""Had it run: what is accepted is distributed as if the policy had run by itself."""

from dataclasses import replace

import numpy as np
import pytest

from bandstrap import Bootstrap, EpsilonGreedy, LaplaceThompson, Support
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.diagnostics import Severity
from bandstrap.evaluation.diagnostics.checks import check_rerun
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets import HadItRun
from bandstrap.evaluation.targets.problem import played
from bandstrap.evaluation.targets.rerun import _Choices, _largest, _replay
from bandstrap.policies import Constant
from bandstrap.problem import Problem
from bandstrap.seeding import generator
from small_logs import chances, log_of_arms, log_of_contexts

MEANS, SHARES = [0.2, 0.5, 0.6], [0.6, 0.25, 0.15]
CLICKS = Problem(3, 0, Support.binary())


def simulated(policy, world, problem, rounds, runs):
    """Mean reward per round of runs in the world itself."""
    rng, state, total = generator(5, "world"), policy.start(problem, runs), np.zeros(runs)
    for _ in range(rounds):
        contexts = rng.standard_normal((runs, 2)) if problem.n_features else None
        arms = policy.select(state, contexts, rng)
        rewards = world(contexts, arms, rng)
        policy.update(state, contexts, arms, rewards, rng)
        total += rewards
    return total / rounds


def clicks(contexts, arms, rng):
    return (rng.random(len(arms)) < np.array(MEANS)[arms]).astype(float)


def shares_of_a_whole(contexts, arms, rng):
    means = np.array(MEANS)[arms]
    return rng.beta(4 * means, 4 * (1 - means))


def by_context(contexts, arms, rng):
    return (rng.random(len(arms)) < chances(contexts)[np.arange(len(arms)), arms]).astype(float)


def log_of_shares(rows):
    log, rng = log_of_arms(rows, MEANS, SHARES), np.random.default_rng(3)
    rewards = shares_of_a_whole(None, log.chosen, rng)
    return Feedback(log.arms, log.chosen, rewards, propensities=log.propensities)


@pytest.mark.parametrize(
    ("log", "policy", "world", "problem", "runs"),
    [
        (
            log_of_arms(4000, MEANS, SHARES),
            Bootstrap(),
            clicks,
            CLICKS,
            200,
        ),
        (log_of_shares(3000), Bootstrap(), shares_of_a_whole, Problem(3), 100),
        (log_of_contexts(4000), LaplaceThompson(), by_context, Problem(3, 2, CLICKS.support), 20),
    ],
    ids=["clicks", "shares", "contexts"],
)
def test_it_agrees_with_a_simulation(log, policy, world, problem, runs):
    found = HadItRun(policy, replays=4).run(log, seed=1)
    truth = simulated(policy, world, problem, found.rounds, runs)
    error = np.hypot(found.error, truth.std() / np.sqrt(runs))
    assert abs(found.value - truth.mean()) < 1.96 * error


def test_acceptance_is_that_of_the_rarest_arm_whatever_the_policy_wants():
    log = log_of_arms(6000, MEANS, SHARES)
    for policy in (Bootstrap(), EpsilonGreedy(Constant(1.0))):
        found = HadItRun(policy, replays=2).run(log)
        assert found.acceptance == pytest.approx(0.15, abs=0.02)  # 4 standard errors
        assert found.rows == 6000


def test_a_policy_that_picks_any_arm_accepts_all_arms_alike():
    log = log_of_arms(9000, MEANS, SHARES)
    number = Feedback(log.arms, log.chosen, log.chosen / 2.0, propensities=log.propensities)
    ready = played(EpsilonGreedy(Constant(1.0)), number, "any")
    counted, rng = _Choices(frozenset()), generator(0, "x")
    paid = _replay(ready, number, _largest(number), counted, rng, lambda rows: None)
    counts = np.bincount((2 * paid).astype(int))
    assert counts / counts.sum() == pytest.approx(1 / 3, abs=0.05)  # 4 standard errors


def test_rows_without_reward_are_passed_over():
    log = log_of_arms(2000, MEANS, SHARES)
    gone = np.where(np.arange(2000) % 2 == 0, np.nan, log.rewards)
    some = Feedback(log.arms, log.chosen, gone, propensities=log.propensities)
    found = HadItRun(EpsilonGreedy(), replays=2).run(some)
    assert found.rows == 1000
    assert np.isfinite(found.value)


def test_without_propensities_it_cannot_run():
    log = log_of_arms(50, MEANS, SHARES)
    with pytest.raises(InvalidInput, match="no propensities"):
        HadItRun(Bootstrap()).run(Feedback(log.arms, log.chosen, log.rewards))


def test_choices_of_arms_that_the_log_never_has_are_reported():
    """A policy that likes the fourth arm best is not heard there."""
    log = log_of_arms(900, MEANS, [1 / 3] * 3)
    log = replace(log, arms=(*log.arms, "d"))
    found = HadItRun(EpsilonGreedy(Constant(1.0))).run(log)
    assert found.lost == pytest.approx(0.25, abs=0.05)
    support = check_rerun(found)[0]
    assert support.severity is Severity.STOP
    assert "arms that the log never has" in str(support)
    assert HadItRun(EpsilonGreedy(Constant(1.0))).run(log_of_arms(300, MEANS, SHARES)).lost == 0

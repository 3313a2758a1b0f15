import numpy as np
import pytest

from bandstrap import (
    Bandit,
    Bootstrap,
    EpsilonGreedy,
    LaplaceThompson,
    LinThompson,
    LinUCB,
    Propensity,
    Support,
    evaluate,
)
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets import Frozen, Learnt, Trained
from bandstrap.evaluation.targets.problem import support_of
from bandstrap.problem import Problem
from small_logs import log_of_arms, log_of_contexts


def every(target, feedback, seed=0):
    return np.concatenate([each.every for each in target.shares(feedback, seed)])


def test_learnt_is_the_policy_fed_row_by_row():
    log = log_of_contexts(60)
    policy = LinUCB()
    found = every(Learnt(policy), log)
    state = policy.start(Problem(3, 2, Support.binary()))
    means, deviations = log.contexts.mean(axis=0), log.contexts.std(axis=0)
    rng = np.random.default_rng(0)
    for at in range(60):
        row = (log.contexts[at : at + 1] - means) / deviations
        known = policy.probabilities(state, row, np.ones((1, 3), bool))
        assert found[at] == pytest.approx(known)
        policy.update(state, row, log.chosen[at : at + 1], log.rewards[at : at + 1], rng)


@pytest.mark.parametrize("policy", [Bootstrap(), LinThompson()])
def test_a_row_is_judged_before_its_reward(policy):
    log = log_of_contexts(300)
    changed = log.rewards.copy()
    changed[200:] = 1 - changed[200:]
    other = Feedback(log.arms, log.chosen, changed, log.contexts, log.propensities)
    a, b = every(Learnt(policy), log), every(Learnt(policy), other)
    assert (a[:201] == b[:201]).all()
    assert (a[210:] != b[210:]).any()


def test_shares_of_draws_have_no_bias():
    rng = np.random.default_rng(1)
    log = Feedback(("a", "b"), np.array([0, 1, 0, 1, 0]), rng.random(5))
    few = np.mean([every(Learnt(Bootstrap(), draws=2), log, seed)[-1] for seed in range(150)], 0)
    many = every(Learnt(Bootstrap(), draws=20_000), log)[-1]
    assert few == pytest.approx(many, abs=0.09)  # 3 standard errors: √(¼ / 300) = 0.03
    assert next(Learnt(Bootstrap(), draws=2).shares(log)).draws == 2


def learnt_bandit(seed=1):
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=seed, rewards=Support.interval())
    rng = np.random.default_rng(0)
    for reward in rng.random(12):
        bandit.learn(arm=["a", "b"], reward=[reward, rng.random()])
    return bandit


@pytest.mark.parametrize(
    "target", [Frozen(learnt_bandit(), draws=50), Trained(Bootstrap(), draws=50)]
)
def test_every_hundredth_of_the_rows_has_draws_of_its_own(target):
    rng = np.random.default_rng(1)
    log = Feedback(("a", "b"), rng.integers(2, size=1000), rng.random(1000))
    found = every(target, log).reshape(-1, 10, 2)
    assert (found == found[:, :1]).all()
    assert len({*found[:, 0, 0].tolist()}) > 5
    assert found[:, 0, 0].std() == pytest.approx(np.sqrt(found.mean(0)[0].prod() / 50), rel=0.4)


@pytest.mark.parametrize("sets", [False, True])
def test_rows_vary_together_as_their_shared_draws_say(sets):
    rng = np.random.default_rng(2)
    chosen, pays, allowed = rng.integers(2, size=300), np.array([0.2, 0.8]), np.ones((300, 2), bool)
    if sets:
        allowed[np.arange(0, 300, 3), 1 - chosen[::3]] = False
    paid = pays[chosen] + 0.001 * rng.random(300)  # hardly varies, so that draws alone matter
    log = Feedback(
        ("a", "b"), chosen, paid, propensities=np.full(300, 0.5), allowed=allowed if sets else None
    )
    every = [next(Frozen(learnt_bandit(seed), draws=20).shares(log)) for seed in range(16)]
    expected, ones = np.tile(pays, (300, 1)), np.ones(300)
    spread = np.std([float((each.every @ pays).sum()) for each in every])
    said = np.sqrt(np.mean([each.variance(expected, ones) for each in every]))
    assert said == pytest.approx(spread, rel=0.5)  # 3 standard errors
    if not sets:
        [it] = evaluate(log, Frozen(learnt_bandit(), draws=20)).targets
        for each in it.estimates[:2]:
            assert each.error == pytest.approx(spread / 300, rel=0.4)
            assert each.interval.high - each.value == pytest.approx(2 * each.error, rel=0.4)
        assert it.gain.difference.error > 0.7 * spread / 300


@pytest.mark.parametrize("policy", [LaplaceThompson(), LinUCB()])
def test_rows_with_contexts_share_no_draws(policy):
    assert next(Trained(policy).shares(log_of_contexts(40))).shared is None


def test_binary_rewards_need_no_draws():
    log = log_of_arms(50, [0.2, 0.7], [0.5, 0.5])
    assert [each.draws for each in Learnt(Bootstrap()).shares(log)] == [0]


def test_missing_rewards_teach_nothing():
    log = log_of_arms(40, [0.2, 0.7], [0.5, 0.5])
    gone = np.where(np.arange(40) < 20, np.nan, log.rewards)
    later = Feedback(log.arms, log.chosen, gone, propensities=log.propensities)
    assert (every(Learnt(EpsilonGreedy()), later)[:21] == 0.5).all()


def test_allowed_arms_are_respected():
    log = log_of_contexts(80)
    allowed = np.ones((80, 3), bool)
    allowed[::2, 1] = False
    closed = Feedback(log.arms, log.chosen, log.rewards, log.contexts, allowed=allowed)
    for policy in (Bootstrap(), LaplaceThompson()):
        found = every(Learnt(policy), closed)
        assert (found[::2, 1] == 0).all()
        assert found.sum(axis=1) == pytest.approx(1)


def test_trained_is_judged_on_later_rows_alone():
    log = log_of_arms(200, [0.1, 0.9], [0.5, 0.5])
    target = Trained(EpsilonGreedy(), share=0.25)
    assert target.first(log) == 50
    found = every(target, log)
    assert found.shape == (150, 2)
    assert (found == found[0]).all()
    assert found[0, 1] > 0.5


def test_a_frozen_bandit_keeps_its_floor_and_learns_nothing():
    bandit = Bandit(Bootstrap(), ["b", "a"], seed=1, propensity=Propensity(floor=0.1))
    bandit.learn(arm=["a", "b"] * 30, reward=[1.0, 0.0] * 30)
    found = every(Frozen(bandit), log_of_arms(30, [0.1, 0.9], [0.5, 0.5]))
    assert found[0] == pytest.approx([0.95, 0.05], abs=1e-6)
    assert bandit.rewards_learnt == 60
    assert bandit.decisions_waiting == 0


def test_a_frozen_bandit_with_arms_that_the_log_lacks_leaves_their_mass_out():
    bandit = Bandit(EpsilonGreedy(), ["a", "b", "new"], seed=1)
    found = every(Frozen(bandit), log_of_arms(5, [0.1, 0.9], [0.5, 0.5]))
    assert found.sum(axis=1) == pytest.approx(2 / 3)
    strange = Bandit(EpsilonGreedy(), ["x", "y"], seed=1)
    with pytest.raises(InvalidInput, match="none of the log's arms"):
        every(Frozen(strange), log_of_arms(5, [0.1, 0.9], [0.5, 0.5]))


def test_a_frozen_bandit_reads_contexts():
    log = log_of_contexts(12)
    bandit = Bandit(LaplaceThompson(), ["a", "b", "c"], rewards=Support.binary(), seed=1)
    bandit.learn(context=log.contexts, arm=["a", "b", "c"] * 4, reward=log.rewards)
    found = every(Frozen(bandit, draws=50), log)
    assert found.sum(axis=1) == pytest.approx(1)
    assert len({*map(tuple, found)}) > 6


def test_rewards_beyond_the_unit_interval_are_scaled():
    log = log_of_arms(400, [0.1, 0.9], [0.5, 0.5])
    euros = Feedback(log.arms, log.chosen, 100 * log.rewards - 20, propensities=log.propensities)
    assert every(Learnt(Bootstrap()), euros) == pytest.approx(every(Learnt(Bootstrap()), log))


@pytest.mark.parametrize(
    ("rewards", "support"),
    [
        ([0.0, 1.0, np.nan], Support.binary()),
        ([0.0, 0.0], Support.binary()),
        ([0.2, 0.9, 0.4], Support.interval()),
        ([-1.0, 3.0], Support.categories([-1, 3])),
        ([-1.0, 0.0, 7.0], Support.interval(-1, 7)),
        ([5.0, 5.0], Support.interval(4.5, 5.5)),
    ],
)
def test_the_support_of_rewards(rewards, support):
    rewards = np.array(rewards)
    assert support_of(Feedback(("a",), np.zeros(len(rewards), int), rewards)) == support


def test_a_policy_that_cannot_play_says_why():
    with pytest.raises(InvalidInput, match="cannot play this log"):
        every(Learnt(LaplaceThompson()), log_of_arms(5, [0.1, 0.9], [0.5, 0.5]))


@pytest.mark.parametrize("policy", [Bootstrap(), EpsilonGreedy()])
def test_equal_rewards_are_learnt_at_once(policy, monkeypatch):
    log = log_of_arms(3000, [0.2, 0.25], [0.5, 0.5])
    at_once = every(Trained(policy), log)
    monkeypatch.setattr("bandstrap.evaluation.targets.learning.MANY", 10**9)
    assert at_once[0] == pytest.approx(every(Trained(policy), log)[0], rel=1e-9)

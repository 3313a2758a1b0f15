"""Propensities are honest: decisions follow them, and weighting by them is unbiased."""

import numpy as np
import pytest
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression as SklearnLogistic

from bandstrap import (
    Bandit,
    Bootstrap,
    EigenExamples,
    Exponential,
    InvalidInput,
    LogisticRegression,
    OnlineLogistic,
    Propensity,
    Replicas,
    SharedBootstrap,
    Support,
    from_sklearn,
)
from bandstrap.policies import POLICIES
from bandstrap.policies.registry import CONTEXTUAL, SCHEDULES, named

DECISIONS = 500  # benchmarks/propensities.py makes 10⁵
CONTEXTS = np.random.default_rng(3).standard_normal((40, 2))
SLOW = {*named(variant="paper"), "eg-nn", "npb-nn", "wb-nn", "ts-langevin-nn"}


def frozen(policy, contextual, **given):
    """A bandit that has learnt something, and will learn no more."""
    bandit = Bandit(policy, list("abcd"), seed=8, rewards=Support.binary(), **given)
    rng = np.random.default_rng(2)
    for i in range(40):
        arm = "abcd"[i % 4]
        context = CONTEXTS[i] if contextual else None
        bandit.learn(context=context, arm=arm, reward=float(rng.random() < 0.3 + 0.1 * (i % 4)))
    return bandit


def check(bandit, context, decisions, allowed=None):
    """Chi-square of counts against the sums of the probabilities that were reported."""
    counts, expected, variance = np.zeros(4), np.zeros(4), np.zeros(4)
    for _ in range(decisions):
        decision = bandit.decide(context, allowed)
        p = np.array(list(decision.propensities.values()))
        assert p.sum() == pytest.approx(1.0)
        assert 0 < decision.propensity <= 1
        assert ((p > 0) == np.isin(list("abcd"), allowed or list("abcd"))).all()
        counts["abcd".index(decision.arm)] += 1
        expected += p
        variance += p * (1 - p)
        bandit.drop(decision)
    open_ = variance > 0.5  # the statistic is far from chi-square where less is expected
    statistic = ((counts - expected)[open_] ** 2 / variance[open_]).sum()
    assert statistic < chi2(max(open_.sum(), 1)).isf(1e-5)  # a bound: the counts are dependent
    assert (np.abs(counts - expected)[~open_] < 3).all()


# One that learns no more stays as it is: arms that lose for now lose for good.
@pytest.mark.filterwarnings("ignore::bandstrap.bandit.lock_in.LockInWarning")
@pytest.mark.parametrize("name", POLICIES)
def test_decisions_follow_their_propensities(name):
    bandit = frozen(POLICIES[name](), False, propensity=Propensity(draws=4))
    check(bandit, None, DECISIONS)
    check(bandit, None, DECISIONS // 4, ["a", "c"])


@pytest.mark.filterwarnings("ignore::bandstrap.bandit.lock_in.LockInWarning")
@pytest.mark.parametrize("name", [name for name in CONTEXTUAL if name not in SCHEDULES])
def test_decisions_in_contexts_follow_their_propensities(name):
    few = Propensity(draws=4)
    bandit = frozen(CONTEXTUAL[name](EigenExamples(np.eye(2))), True, propensity=few)
    check(bandit, np.array([0.3, -0.2]), 30 if name in SLOW else 100)


SHARED = {
    "replicas": Replicas(OnlineLogistic(), count=5),
    "solved": LogisticRegression(),
    "estimator": from_sklearn(SklearnLogistic(), replicas=5),
}


@pytest.mark.filterwarnings("ignore::bandstrap.bandit.lock_in.LockInWarning")
@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize("context", [0.2, 10.0, 200.0])
def test_decisions_of_one_model_for_all_arms_follow_their_propensities(name, context):
    """Far out all arms are expected to pay 1 as nearly as a double can say."""
    features = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.0], "d": [1.0, 1.0]}
    policy = SharedBootstrap(Exponential(), SHARED[name], EigenExamples())
    few = Propensity(draws=4)
    bandit = Bandit(policy, features, seed=8, rewards=Support.binary(), propensity=few)
    rng = np.random.default_rng(2)
    for i, x in enumerate(rng.standard_normal((60, 1))):
        bandit.learn(context=x, arm="abcd"[i % 4], reward=float(x[0] > 0))
    check(bandit, np.array([context]), DECISIONS if name == "replicas" else 60)
    check(bandit, np.array([context]), 60, ["a", "c"])


def test_weighting_by_the_inverse_recovers_the_value_of_another_policy():
    """Few draws make rough propensities, but no bias: 'always b' is worth 0.6."""
    pays = {"a": 0.3, "b": 0.6, "c": 0.5}
    rng = np.random.default_rng(5)
    estimates = []
    for seed in range(300):
        bandit = Bandit(
            Bootstrap(), list("abc"), seed=seed, rewards=Support.binary(),
            propensity=Propensity(draws=8, floor=0.1),
        )  # fmt: skip
        total = 0.0
        for _ in range(40):
            decision = bandit.decide()
            reward = float(rng.random() < pays[decision.arm])
            bandit.learn(decision, reward)
            total += reward / decision.propensity if decision.arm == "b" else 0.0
        estimates.append(total / 40)
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert error < 0.05
    assert abs(np.mean(estimates) - 0.6) < 3.5 * error


def test_more_draws_report_a_smaller_error():
    coarse = frozen(Bootstrap(), False, propensity=Propensity(draws=8)).decide()
    fine = frozen(Bootstrap(), False, propensity=Propensity(draws=2000)).decide()
    assert 0 < fine.error < coarse.error < 0.2
    assert frozen(POLICIES["ucb1"](), False).decide().error == 0


def test_the_floor_is_kept():
    bandit = frozen(POLICIES["ucb1"](), False, propensity=Propensity(floor=0.2))
    assert sorted(bandit.decide().propensities.values()) == pytest.approx([0.05, 0.05, 0.05, 0.85])


@pytest.mark.parametrize(("given", "told"), [({"draws": 0}, "draws"), ({"floor": 0}, "floor")])
def test_bad_parameters(given, told):
    with pytest.raises(InvalidInput, match=told):
        Propensity(**given)

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
    Poisson,
    Propensity,
    Replicas,
    SharedBootstrap,
    Support,
    from_sklearn,
)
from bandstrap.policies import POLICIES
from bandstrap.policies.registry import CONTEXTUAL, SCHEDULES

DECISIONS = 500  # benchmarks/propensities.py makes 10⁵
CONTEXTS = np.random.default_rng(3).standard_normal((40, 2))


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
    check(bandit, np.array([0.3, -0.2]), 60)


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
            Bootstrap(Poisson()), list("abc"), seed=seed, rewards=Support.binary(),
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


def check_weights(bandit, decisions, allowed=None):
    """Given an arm's decisions, its weights add up to all decisions, as nearly as they vary."""
    arms = allowed or list("abcd")
    terms = np.zeros((decisions, len(arms)))
    for i in range(decisions):
        decision = bandit.decide(allowed=allowed)
        terms[i, arms.index(decision.arm)] = decision.weight
        assert decision.weight * decision.propensity == pytest.approx(1.0)
        bandit.drop(decision)
    doubt = terms.std(axis=0) / np.sqrt(decisions)
    assert (np.abs(terms.mean(axis=0) - 1) < 4 * doubt + 1e-9).all()


@pytest.mark.filterwarnings("ignore::bandstrap.bandit.lock_in.LockInWarning")
@pytest.mark.parametrize("name", POLICIES)
def test_weights_undo_how_often_arms_are_chosen(name):
    bandit = frozen(POLICIES[name](), False, propensity=Propensity(repeats=2, floor=0.2))
    check_weights(bandit, 400)
    check_weights(bandit, 200, ["a", "c"])


def test_more_draws_and_more_repeats_report_smaller_errors():
    for name in ("draws", "repeats"):
        coarse = frozen(Bootstrap(Poisson()), False, propensity=Propensity(**{name: 8})).decide()
        fine = frozen(Bootstrap(Poisson()), False, propensity=Propensity(**{name: 90})).decide()
        assert 0 < fine.error < coarse.error < 0.3
        assert 0 < fine.weight_error < coarse.weight_error
    assert frozen(POLICIES["ucb1"](), False).decide().error == 0
    assert frozen(POLICIES["wb"](), False).decide().weight_error == 0


def test_logs_say_what_other_policies_are_worth():
    """Uniformly random arms, at the floor of earlier versions, whose votes had an error of 0.28.

    benchmarks/floors.py has 60 logs.
    """
    rng, found = np.random.default_rng(0), []
    for seed in range(12):
        bandit = Bandit(Bootstrap(), range(5), seed=seed, propensity=Propensity(floor=0.001))
        bandit.learn(arm=range(5), reward=[0.5] * 5)  # a third value: no closed form
        terms = []
        for _ in range(1500):
            decision = bandit.decide()
            reward = float(rng.random() < (0.5, 0.45, 0.4, 0.3, 0.2)[decision.arm])
            bandit.learn(decision, reward)
            terms.append(reward * decision.weight / 5)
        assert decision.method == "geometric"
        found.append(np.mean(terms))
    assert np.sqrt(np.mean((np.array(found) - 0.37) ** 2)) < 0.11


# Networks, and those that go on from the draw before, change when they draw.
STILL = [*POLICIES, "wb-lin", "wb-log", "npb-log", "wb-log-onestep", "eg-log", "wb-log-replicas"]


@pytest.mark.filterwarnings("ignore::bandstrap.bandit.lock_in.LockInWarning")
@pytest.mark.parametrize("name", STILL)
def test_arms_do_not_depend_on_how_propensities_are_found(name):
    told = []
    for given in ({}, {"draws": 5}, {"repeats": 2}):
        prior = [EigenExamples(np.eye(2))] if name in CONTEXTUAL else []
        policy = (CONTEXTUAL if prior else POLICIES)[name](*prior)
        rewards = Support.categories((0, 0.5, 1)) if name == "ts-dirichlet" else Support.interval()
        bandit = Bandit(policy, range(3), seed=5, rewards=rewards, propensity=Propensity(**given))
        arms = []
        for i in range(12):
            decision = bandit.decide(CONTEXTS[i] if prior else None)
            arms.append((decision.arm, decision.scores))
            bandit.learn(decision, (0.0, 0.5, 1.0)[i % 3])
        told.append(arms)
    assert told[0] == told[1] == told[2]


AT_ONCE = [name for name in POLICIES if name != "ts-dirichlet" and not POLICIES[name]().costly]


@pytest.mark.parametrize("name", AT_ONCE)
def test_what_is_asked_for_later_is_what_it_was(name):
    """However much is learnt since."""
    bandit, twin = (frozen(POLICIES[name](), False) for _ in range(2))
    later, at_once = bandit.decide(), twin.decide()
    expected = (at_once.propensity, at_once.weight, at_once.error, at_once.method)
    bandit.learn(arm=["a"] * 9 + ["d"] * 9, reward=[1.0] * 9 + [0.0] * 9)
    assert (later.propensity, later.weight, later.error, later.method) == expected


def test_only_the_chosen_arm_is_known_by_geometric_resampling():
    decision = frozen(Bootstrap(Poisson()), False).decide()
    assert decision.method == "geometric"
    with pytest.raises(InvalidInput, match=r"propensities = 'geometric': .*Propensity\(draws=…\)"):
        _ = decision.propensities


@pytest.mark.parametrize(("arms", "repeats"), [(2, 12), (5, 4), (24, 1)])
def test_a_decision_pays_for_24_draws_on_average(arms, repeats):
    bandit = Bandit(Bootstrap(Poisson()), range(arms), seed=1)
    kept = 1 - 0.02 + 0.02 / arms
    for _ in range(5):
        draws = bandit.decide().weight * kept * repeats
        assert draws == pytest.approx(round(draws))  # a whole number
    assert Bandit(Bootstrap(Poisson()), range(25), seed=1).decide().method == "deferred"


def test_the_floor_is_kept():
    bandit = frozen(POLICIES["ucb1"](), False, propensity=Propensity(floor=0.2))
    assert sorted(bandit.decide().propensities.values()) == pytest.approx([0.05, 0.05, 0.05, 0.85])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"draws": 0}, "draws = 0"),
        ({"draws": 200_000}, "draws = 200000"),
        ({"floor": 0}, "floor = 0"),
        ({"floor": float("nan")}, "floor = nan"),
        ({"repeats": 0}, "repeats = 0"),
        ({"repeats": 1.5}, "repeats = 1.5"),
        ({"cap": 0}, "cap = 0"),
        ({"repeats": 4, "draws": 8}, "repeats or draws, not both"),
        ({"repeats": 1000, "cap": 10_000}, "at most 1,000,000"),
    ],
)
def test_bad_parameters(given, told):
    with pytest.raises(InvalidInput, match=told):
        Propensity(**given)

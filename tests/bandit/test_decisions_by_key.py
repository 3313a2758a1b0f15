"""Decisions by a key: all that is random in them follows from the key."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from bandstrap import Bandit, Bootstrap, Control, Expiry, InvalidInput, Propensity, Support
from bandstrap.policies.registry import REGISTRY
from bandstrap.priors import EigenExamples
from states import everything

STEADY = [name for name, entry in REGISTRY.items() if not entry.draws_train]
CONTEXT = [0.3, -0.2]


def taught(name, seed=1, lessons=24):
    entry = REGISTRY[name]
    policy = entry.make(EigenExamples(np.eye(2))) if entry.contextual else entry.make()
    bandit = Bandit(policy, ["a", "b", "c"], seed=seed, rewards=Support.binary())
    rng = np.random.default_rng(0)
    for i in range(lessons):
        context = rng.standard_normal(2).tolist() if entry.contextual else None
        bandit.learn(context=context, arm="abc"[i % 3], reward=float(rng.random() < 0.5))
    bandit.settle()
    return bandit, CONTEXT if entry.contextual else None


def told(decision):
    return decision.arm, decision.propensity, decision.weight, decision.scores


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STEADY)
def test_it_matters_what_was_learnt_and_the_key(name):
    one, context = taught(name)
    other = Bandit.from_bytes(one.to_bytes())
    for i in range(3):
        other.decide(context)
        other.decide(context, key=f"another {i}")
    keys = ["x", "y", "z"]
    decisions = [told(one.decide(context, key=key)) for key in keys]
    assert decisions == [told(other.decide(context, key=key)) for key in reversed(keys)][::-1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STEADY)
def test_a_foreseen_decision_is_the_one_that_would_be_made(name):
    one, context = taught(name)
    numbers = one._rng.bit_generator.state
    foreseen = [told(one.foresee(key, context)) for key in "xyz"]
    assert (one._rng.bit_generator.state, one.stats().decisions) == (numbers, 0)
    assert foreseen == [told(one.decide(context, key=key)) for key in "xyz"]


def test_a_foreseen_decision_is_not_counted():
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=1, control=Control(0.5, arm="a"))
    found = [bandit.foresee(key, allowed=["a", "b"]) for key in "pqrstu"]
    assert len({each.control for each in found}) == 2
    stats = bandit.stats()
    assert (stats.decisions, stats.waiting, stats.controlled, stats.dropped) == (0, 0, 0, 0)
    assert [told(each) for each in found] == [told(bandit.decide(key=key)) for key in "pqrstu"]
    assert bandit.stats().controlled == sum(each.control for each in found)
    with pytest.raises(InvalidInput):
        bandit.learn(found[0], 1.0)


def test_decisions_without_a_key_do_not_change():
    one, other = (Bandit(Bootstrap(), ["a", "b"], seed=1) for _ in range(2))
    for i in range(20):
        assert one.decide(key=f"{i}").arm in ("a", "b")
        one.drop(one.decide(key=f"{i}"))
    numbers = [bandit._rng.random(3).tolist() for bandit in (one, other)]
    assert numbers[0] == numbers[1]


def test_other_processes_decide_alike(tmp_path):
    bandit = taught("wb")[0]
    bandit.save(tmp_path / "bandit")
    code = (
        "from bandstrap import Bandit; import sys; bandit = Bandit.load(sys.argv[1]);"
        "print([bandit.decide(key=str(i)).arm for i in range(20)])"
    )
    found = subprocess.run([sys.executable, "-c", code, str(tmp_path / "bandit")],
                           check=True, capture_output=True, text=True, env=os.environ)  # fmt: skip
    assert found.stdout.strip() == str([bandit.decide(key=str(i)).arm for i in range(20)])


def test_arms_follow_propensities():
    bandit = taught("wb")[0]
    decisions = [bandit.decide(key=f"{i}") for i in range(3000)]
    for arm, share in decisions[0].propensities.items():
        found = np.mean([each.arm == arm for each in decisions])
        assert found == pytest.approx(share, abs=4 * np.sqrt(share / 3000))


def test_weights_that_are_asked_for_later_follow_from_the_key():
    policies = [Bandit(Bootstrap(), range(100), seed=seed) for seed in (1, 2)]
    for bandit in policies:
        bandit.learn(arm=range(100), reward=[0.3, 0.7] * 50)
    policies[1].decide()
    decisions = [bandit.decide(key="k") for bandit in policies]
    assert {each.method for each in decisions} == {"deferred"}
    assert decisions[0].weight == decisions[1].weight


def test_controls_and_votes_follow_from_the_key():
    given = {"control": Control(0.5, arm="a"), "propensity": Propensity(draws=20)}
    one, other = (Bandit(Bootstrap(), ["a", "b"], seed=seed, **given) for seed in (1, 2))
    for key in "pqrstu":
        first, second = one.decide(key=key), other.decide(key=key)
        assert (first.control, told(first)) == (second.control, told(second))


def test_what_expires_is_learnt_by_the_bandits_own_numbers():
    now = [0.0]
    bandits = [
        Bandit(REGISTRY["online-bootstrap"].make(), ["a", "b"], seed=1, clock=lambda: now[0],
               expiry=Expiry(seconds=10, reward=0.0))
        for _ in range(2)
    ]  # fmt: skip
    for bandit in bandits:
        bandit.decide()
    now[0] = 100.0
    bandits[0].drop(bandits[0].decide(key="x"))
    bandits[1].drop(bandits[1].decide(key="y"))
    one, other = (everything(bandit) for bandit in bandits)
    assert one[1] == other[1]


def test_refusals(tmp_path):
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=1)
    with pytest.raises(InvalidInput, match="give text"):
        bandit.decide(key=7)
    with pytest.raises(InvalidInput, match="give one"):
        bandit.decide([[1.0], [2.0]], key="x")
    logged = Bandit(Bootstrap(), ["a", "b"], seed=1, log=tmp_path / "log")
    with pytest.raises(InvalidInput, match="without log"):
        logged.decide(key="x")
    logged.decide()
    assert everything(Bandit.rebuild(tmp_path / "log")) == everything(logged)


def test_a_decision_with_a_key_can_be_learnt_and_pickled():
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=1)
    decision = bandit.decide(key="x")
    assert pickle.loads(pickle.dumps(decision)).key == "x"
    bandit.learn(decision, reward=1.0)
    assert bandit.rewards_learnt == 1

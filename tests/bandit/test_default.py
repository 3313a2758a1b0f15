"""A bandit without a policy: `Auto()` with contexts, `Bootstrap()` without."""

import numpy as np
import pytest

from bandstrap import Auto, Bandit, Bootstrap, HalfLife, InvalidInput, Support, Window
from bandstrap.policies import Default

CONTEXT = {"age": 0.3, "visits": 2.0}


def play(bandit, rounds, context=None, seed=0):
    """Arms and propensities of some rounds with random rewards."""
    rng, played = np.random.default_rng(seed), []
    for _ in range(rounds):
        decision = bandit.decide(context)
        bandit.learn(decision, float(rng.random() < 0.5))
        played.append((decision.arm, decision.propensity))
    return played


@pytest.mark.parametrize(("context", "policy"), [(None, Bootstrap()), (CONTEXT, Auto())])
def test_it_decides_as_the_policy_that_suits_it(context, policy):
    named = Bandit(policy, ["a", "b"], seed=3)
    unnamed = Bandit(arms=["a", "b"], seed=3)
    assert play(unnamed, 12, context) == play(named, 12, context)
    assert unnamed.memory(None).policy == policy


@pytest.mark.parametrize("context", [None, CONTEXT])
@pytest.mark.parametrize("before", [0, 5])
def test_it_goes_on_after_a_file_and_from_a_log(context, before, tmp_path):
    bandit = Bandit(arms=["a", "b"], seed=3, log=tmp_path / "log")
    play(bandit, before, context)
    bandit.save(tmp_path / "file")
    loaded = Bandit.load(tmp_path / "file")
    rebuilt = Bandit.rebuild(tmp_path / "log", upto=1e18)
    assert loaded.policy == rebuilt.policy == Default()
    expected = play(bandit, 6, context, seed=1)
    assert play(loaded, 6, context, seed=1) == expected
    assert play(rebuilt, 6, context, seed=1) == expected


@pytest.mark.parametrize("forgetting", [HalfLife(20), Window(20)])
@pytest.mark.parametrize("context", [None, CONTEXT])
def test_it_forgets_and_arms_come_and_go(forgetting, context):
    bandit = Bandit(arms=["a", "b"], seed=3, forgetting=forgetting)
    play(bandit, 4, context)
    bandit.add_arm("c")
    bandit.remove_arm("a")
    assert {arm for arm, _ in play(bandit, 30, context)} == {"b", "c"}


def test_the_first_decision_says_whether_there_are_contexts():
    bandit = Bandit(arms=["a", "b"], seed=3)
    bandit.decide()
    with pytest.raises(InvalidInput, match="contexts"):
        bandit.decide(CONTEXT)
    bandit = Bandit(arms=["a", "b"], seed=3)
    bandit.learn(arm="a", context=CONTEXT, reward=1.0)
    with pytest.raises(InvalidInput, match="contexts"):
        bandit.decide()


def test_it_refuses_what_nobody_can_do():
    with pytest.raises(InvalidInput, match="arm"):
        Bandit()
    with pytest.raises(InvalidInput, match="SharedBootstrap"):
        Bandit(arms={"a": [1.0], "b": [2.0]})
    with pytest.raises(InvalidInput, match="support"):
        Bandit(arms=["a", "b"], rewards=Support.real())

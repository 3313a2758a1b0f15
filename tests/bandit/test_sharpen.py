"""Weights that are found later: when somebody asks, or from a state as it was."""

import pickle
from copy import deepcopy

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    Bootstrap,
    ContextualBootstrap,
    EigenExamples,
    Exponential,
    InvalidInput,
    LogisticRegression,
    Propensity,
    Support,
)

CONTEXTS = np.random.default_rng(3).standard_normal((30, 2))
LOGISTIC = ContextualBootstrap(Exponential(), LogisticRegression(), EigenExamples(np.eye(2)))


def taught(policy=LOGISTIC, **given):
    bandit = Bandit(policy, ["a", "b", "c"], seed=2, rewards=Support.binary(), **given)
    rewards = [1, 0, 0, 0, 1, 1] * 5  # arms are about as good
    bandit.learn(context=CONTEXTS, arm=["a", "b", "c"] * 10, reward=rewards)
    return bandit


def test_costly_draws_are_made_when_somebody_asks():
    bandit, eager = taught(), taught(propensity=Propensity(repeats=6))
    late, at_once = bandit.decide(CONTEXTS[0]), eager.decide(CONTEXTS[0])
    assert repr(late) == f"Decision(number=0, arm={late.arm!r}, propensity=deferred)"
    assert (late.method, at_once.method) == ("deferred", "geometric")
    assert (late.weight, late.error) == (at_once.weight, at_once.error)
    assert late.method == "geometric"
    assert late.propensity == 1 / late.weight


def test_who_asks_changes_nothing():
    asked, silent = taught(), taught()
    for x in CONTEXTS[:8]:
        one, other = asked.decide(x), silent.decide(x)
        assert one.weight >= 1
        assert (one.arm, one.scores) == (other.arm, other.scores)
        asked.learn(one, 1.0)
        silent.learn(other, 1.0)


def test_after_more_is_learnt_only_a_state_of_then_can_tell(tmp_path):
    bandit = taught()
    bandit.save(tmp_path / "then")
    decision, twin = bandit.decide(CONTEXTS[0]), deepcopy(bandit)
    bandit.learn(decision, 1.0)
    with pytest.raises(InvalidInput, match="made after 30 rewards and this bandit has learnt 31"):
        _ = decision.propensity
    with pytest.raises(InvalidInput, match=r"Propensity\(repeats=…\)"):
        bandit.sharpen(decision)
    found = Bandit.load(tmp_path / "then").sharpen(decision, repeats=4)
    assert found.weight == twin.sharpen(decision, repeats=4).weight
    assert (found.id, found.arm, found.method) == (decision.id, decision.arm, "geometric")
    assert decision.method == "deferred"


def test_many_at_once_and_more_repeats():
    bandit = taught()
    decisions = bandit.decide(CONTEXTS[:4])
    rough, fine = bandit.sharpen(decisions, repeats=2), bandit.sharpen(decisions, repeats=60)
    assert [each.id for each in fine] == [each.id for each in decisions]
    assert np.mean([each.weight_error for each in fine]) < np.mean(
        [each.weight_error for each in rough]
    )
    assert bandit.sharpen(fine[0], repeats=2).weight == rough[0].weight


def test_weights_are_honest():
    """Of a context in which arms are close: each arm's weights add up to all decisions."""
    bandit, terms = taught(), np.zeros((150, 3))
    for i in range(150):
        decision = bandit.decide(0.1 * CONTEXTS[1])
        terms[i, "abc".index(decision.arm)] = bandit.sharpen(decision, repeats=2).weight
    doubt = terms.std(axis=0) / np.sqrt(len(terms))
    assert (np.abs(terms.mean(axis=0) - 1) < 4 * doubt).all()
    assert doubt.max() < 0.4


def test_what_is_exact_stays():
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=1)
    decision = bandit.decide()
    bandit.learn(decision, 1.0)
    assert bandit.sharpen(decision) is decision


def test_counts_are_remembered_and_drawn_from_when_somebody_asks():
    """Where they are all that a draw needs, for however many arms."""
    stars = Support.categories((1, 2, 3))
    for n_arms, repeats in ((4, 6), (50, 1)):
        bandit = Bandit(Bootstrap(), range(n_arms), seed=1, rewards=stars)
        bandit.learn(arm=[*range(n_arms)] * 3, reward=[1, 2, 3] * n_arms)
        decision = bandit.decide()
        now = bandit.sharpen(decision, repeats=repeats)
        bandit.learn(arm=[*range(n_arms)] * 9, reward=[1, 2, 2] * (3 * n_arms))
        assert decision.method == "geometric"
        assert decision.weight == pickle.loads(pickle.dumps(decision)).weight == now.weight


def test_allowed_arms_are_kept():
    bandit = taught()
    decision = bandit.decide(CONTEXTS[0], allowed=["b"])
    assert decision.allowed == ("b",)
    assert decision.weight == pytest.approx(1.0)
    assert bandit.decide(CONTEXTS[0]).allowed == ("a", "b", "c")


def test_a_decision_that_travels_leaves_its_bandit_behind():
    bandit = taught()
    decision = bandit.decide(CONTEXTS[0])
    for travelled in (pickle.loads(pickle.dumps(decision)), deepcopy(decision)):
        assert travelled.method == "deferred"
        assert len(pickle.dumps(travelled)) < 3000
        with pytest.raises(InvalidInput, match=r"bandit\.sharpen\(decision\)"):
            _ = travelled.weight
        assert bandit.sharpen(travelled).weight == decision.weight


def test_other_arms_and_other_things_are_refused():
    bandit = taught()
    decision = bandit.decide(CONTEXTS[0])
    bandit.add_arm("d")
    with pytest.raises(InvalidInput, match="among other arms"):
        bandit.sharpen(decision)
    with pytest.raises(InvalidInput, match="give the Decision"):
        bandit.sharpen(decision.id)
    with pytest.raises(InvalidInput, match="repeats = 0"):
        bandit.sharpen(decision, repeats=0)

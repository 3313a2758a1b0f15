"""How probable a bandit makes each arm: what it would decide by, and nothing of it is changed."""

import numpy as np
import pytest

from bandstrap import Bandit, Bootstrap, Control, LinThompson, Propensity
from bandstrap.problem import Support
from bandstrap.service.judging.chances import chances, control_arm, without_control

ARMS = ("a", "b", "c")


def taught(policy=None, control=None, rewards=None, context=None):
    bandit = Bandit(
        policy, ARMS, seed=1, rewards=rewards, control=control, propensity=Propensity(floor=0.1)
    )
    for arm, reward in (("a", 0.3), ("b", 0.6), ("b", 0.2), ("c", 0.1), ("a", 0.8)):
        paid = round(reward) + 0.0 if rewards is not None else reward
        bandit.learn(context=context, arm=arm, reward=paid)
    return bandit


@pytest.mark.parametrize("control", [None, Control(0.2, arm="b")])
def test_known_probabilities_are_those_of_decisions(control):
    bandit = taught(rewards=Support.binary(), control=control)
    decision = bandit.decide()
    assert decision.method == "exact"
    found = chances(bandit, None, ARMS, "1")
    assert dict(zip(ARMS, found, strict=True)) == pytest.approx(decision.propensities)
    if control is not None:
        assert found[1] > 0.2
        plain = chances(taught(rewards=Support.binary()), None, ARMS, "1")
        assert without_control(found, bandit, 1) == pytest.approx(plain)


def test_others_are_shares_of_draws_that_the_id_decides():
    bandit, twin = taught(Bootstrap()), taught(Bootstrap())
    one, same, other = (chances(bandit, None, ARMS, name) for name in ("1", "1", "2"))
    assert one.tolist() == same.tolist() != other.tolist()
    assert one.sum() == pytest.approx(1.0)
    many = np.mean([chances(bandit, None, ARMS, f"{n}") for n in range(50)], axis=0)
    decided = [bandit.decide().arm for _ in range(2000)]
    assert decided[:99] == [twin.decide().arm for _ in range(99)]
    shares = [decided.count(arm) / 2000 for arm in ARMS]
    assert many == pytest.approx(shares, abs=0.04)


def test_contexts_of_any_kind_are_read():
    bandit = taught(LinThompson(), context=[1.0, 0.5])
    before = bandit.to_bytes()
    row = np.array([[1.0, 0.5]])
    found = [chances(bandit, given, ARMS, "1").tolist() for given in (row, row[0], [1.0, 0.5])]
    assert found[0] == found[1] == found[2]
    assert bandit.to_bytes() == before


def test_arms_that_are_not_allowed_have_none():
    bandit = taught(rewards=Support.binary(), control=Control(0.2, arm="b"))
    found = chances(bandit, None, ("a", "c"), "1")
    assert found[1] == 0.0
    assert found.sum() == pytest.approx(1.0)
    bandit.retire_arm("c")
    assert chances(bandit, None, ARMS, "1")[2] > 0  # it was allowed then


def test_a_control_by_a_rule_follows_the_context():
    rule = Control(0.5, rule=lambda context: "a" if context[0, 0] > 0 else "c")
    bandit = taught(LinThompson(), control=rule, context=[1.0])
    assert [control_arm(bandit, [x]) for x in (1.0, -1.0)] == ["a", "c"]
    assert chances(bandit, [-1.0], ARMS, "1")[2] > 0.5
    assert control_arm(taught(), None) is None

"""Rewards in any units: the policy inside sees what it would have seen from 0 to 1."""

import numpy as np
import pytest

from bandstrap import (
    UCB1,
    Bandit,
    Bootstrap,
    ForcedPulls,
    InvalidInput,
    LaplaceThompson,
    LinUCB,
    ScaledRewards,
    Support,
)
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples
from bandstrap.problem import Problem
from bandstrap.testing import check_policy

LOW, HIGH = -3.0, 5.0
POLICIES = {
    "ucb": LinUCB(),
    "laplace": LaplaceThompson(),  # which takes rewards from 0 to 1 alone
    "wb": CONTEXTUAL["wb-log-gaussian"](EigenExamples()),
    "network": CONTEXTUAL["ensemble-nn"](EigenExamples()),
}


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("binary", [False, True])
def test_it_decides_as_the_policy_would_from_0_to_1(name, binary, tmp_path):
    rng = np.random.default_rng(0)
    ends = (0.0, 1.0), (LOW, HIGH)
    kind = Support.categories if binary else lambda both: Support.interval(*both)
    plain = Bandit(POLICIES[name], ["a", "b"], rewards=kind(ends[0]), seed=1)
    scaled = Bandit(ScaledRewards(POLICIES[name]), ["a", "b"], rewards=kind(ends[1]), seed=1)
    for step, context in enumerate(rng.standard_normal((60, 3))):
        first, second = plain.decide(context), scaled.decide(context)
        assert (first.arm, first.propensity) == (second.arm, second.propensity)
        in_units = LOW + (HIGH - LOW) * np.array([*first.scores.values()])
        assert [*second.scores.values()] == pytest.approx(in_units.tolist())
        paid = float(rng.integers(2)) if binary else rng.random()
        plain.learn(first, paid)
        scaled.learn(second, LOW + (HIGH - LOW) * paid)
        if step == 30:
            scaled.save(tmp_path / "scaled.bandit")
            scaled = Bandit.load(tmp_path / "scaled.bandit")
            plain.add_arm("c")
            scaled.add_arm("c")


def test_it_obeys_the_rules_of_policies():
    check_policy(ScaledRewards(Bootstrap()), draws=300)
    check_policy(ScaledRewards(LinUCB()), Problem(3, n_features=2), draws=300)


def test_what_has_no_scale_is_refused():
    with pytest.raises(InvalidInput, match="ScaledRewards needs bounded rewards"):
        Bandit(ScaledRewards(UCB1()), ["a", "b"], rewards=Support.real())
    bandit = Bandit(ScaledRewards(UCB1()), ["a", "b"], rewards=Support.interval(LOW, HIGH))
    with pytest.raises(InvalidInput, match=r"rewards lie in \[-3, 5\]"):
        bandit.learn(arm="a", reward=5.1)
    assert bandit.rewards_learnt == 0


def test_it_can_stand_inside_another():
    inside = ForcedPulls(1, ScaledRewards(UCB1()))
    bandit = Bandit(inside, ["a", "b"], rewards=Support.interval(LOW, HIGH), seed=1)
    for _ in range(10):
        bandit.learn(bandit.decide(), reward=4.0)
    assert bandit.rewards_learnt == 10

"""An arm that resampling can tell nothing new of is noticed (Theorem 1)."""

import warnings

import numpy as np
import pytest

from bandstrap import Bandit, Bootstrap, LockInWarning, Multinomial, Propensity, PseudoRewards
from bandstrap.bandit.lock_in import frozen


def played(policy):
    bandit = Bandit(policy, ["good", "bad"], seed=0, propensity=Propensity(floor=0.001))
    bandit.learn(arm="good", reward=0.0)  # bad luck at first
    for i in range(200):
        decision = bandit.decide()
        bandit.learn(decision, 1.0 if decision.arm == "good" else 0.3 + 0.1 * (i % 2))
    return bandit


def test_npb_without_a_prior_locks_in_and_says_so():
    with pytest.warns(LockInWarning, match="arm 'good' has in effect been frozen out"):
        played(Bootstrap(Multinomial(), PseudoRewards(0, 0)))


def test_wb_with_a_prior_does_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        played(Bootstrap())


def test_which_arms_are_frozen():
    rng = np.random.default_rng(0)
    draws = np.column_stack([rng.random(64) + 1, np.full(64, 0.5), rng.random(64), np.full(64, 9)])
    assert frozen(draws[:, :3]) == [1]
    assert frozen(draws) == [1]
    assert frozen(np.full((64, 3), [1.0, 2.0, 3.0])) == []  # nothing is drawn at random


def test_new_arms_do_not_bring_a_look_forward(monkeypatch):
    from bandstrap.bandit import lock_in

    looks = []
    monkeypatch.setattr(
        lock_in, "draw_scores", lambda *given: looks.append(given) or np.zeros((2, 3))
    )
    bandit = Bandit(Bootstrap(), ["red", "green", "blue"], seed=0)
    for _ in range(70):
        bandit.drop(bandit.decide())
    bandit._lock_in.suspects, bandit._lock_in.warned = ["red", "blue"], ["red"]
    bandit.add_arm("black")
    bandit.remove_arm("red")
    for _ in range(20):
        bandit.drop(bandit.decide())
    assert len(looks) == 1
    assert (bandit._lock_in.suspects, bandit._lock_in.warned) == (["blue"], [])

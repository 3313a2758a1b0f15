"""Why a decision came about: every arm's draws, without a change and without a wait."""

import threading

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    BetaThompson,
    ContextualBootstrap,
    EigenExamples,
    Exponential,
    GaussianLimit,
    LogisticRegression,
    Support,
)
from bandstrap.storage.packing import pack

COLOURS = ["red", "green", "blue"]


def saved(bandit):
    """Everything that decides what it will do."""
    packed = pack(bandit)
    return packed.text, {name: array.tobytes() for name, array in packed.arrays.items()}


def test_an_explanation_shows_every_arm_and_changes_nothing():
    policy = ContextualBootstrap(
        Exponential(), GaussianLimit(LogisticRegression()), EigenExamples()
    )
    bandit = Bandit(policy, COLOURS, seed=0, rewards=Support.binary())
    decision = bandit.decide(np.array([1.0, 0.0]))
    before = saved(bandit)
    explanation = bandit.explain(decision, draws=300)
    assert saved(bandit) == before
    assert {each.arm for each in explanation.arms} == set(COLOURS)
    assert sum(each.share for each in explanation.arms) == pytest.approx(1.0)
    assert all(each.draw == decision.scores[each.arm] for each in explanation.arms)
    assert "<- chosen" in str(explanation)


def test_an_explanation_keeps_no_other_thread_waiting():
    """Another thread decides while draws are made: they are made of a copy."""
    decided = []

    class Slow(BetaThompson):
        def scores(self, state, contexts, rng):
            thread = threading.Thread(target=lambda: decided.append(bandit.decide().arm))
            thread.start()
            thread.join(timeout=20)
            return super().scores(state, contexts, rng)

    bandit = Bandit(Slow(), COLOURS, seed=0, rewards=Support.binary())
    bandit.explain(bandit.decide(), draws=2)
    assert len(decided) == 2


def test_an_explanation_has_the_draws_mean_and_spread():
    bandit = Bandit(BetaThompson(), ["a", "b"], seed=0, rewards=Support.binary())
    bandit.learn(arm=["a"] * 10, reward=[1.0] * 7 + [0.0] * 3)
    a = next(e for e in bandit.explain(bandit.decide(), draws=4000).arms if e.arm == "a")
    assert a.mean == pytest.approx(8 / 12, abs=0.01)
    assert a.spread == pytest.approx(np.sqrt(8 * 4 / (144 * 13)), rel=0.05)

"""Forced pulls come first, are even, and fit into the horizon."""

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    BetaThompson,
    EigenExamples,
    ForcedPulls,
    InvalidInput,
    Problem,
)
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.testing import check_policy
from states import ARMS, BINARY, ONE, RUNS, play, rng_of


def test_forced_pulls_count_no_refused_update():
    policy = ForcedPulls(3, BetaThompson())
    state = policy.start(Problem(2), 1)
    with pytest.raises(InvalidInput, match="pass a generator"):
        policy.update(state, None, np.array([0]), np.array([0.5]))
    assert (state.owed == 3).all()


@pytest.mark.parametrize("pulls", [1, 5])
def test_forced_pulls_come_first_and_are_even(pulls):
    policy = ForcedPulls(pulls, BetaThompson())
    chosen, _ = play(policy, rounds=pulls * ARMS)
    for run in range(RUNS):
        assert (np.bincount(chosen[:, run], minlength=ARMS) == pulls).all()
    allowed = np.tile([True, False, True, False], (RUNS, 1))
    state = policy.start(Problem(ARMS, support=BINARY), RUNS)
    for _ in range(2 * pulls):
        arms = policy.select(state, None, rng_of(0), allowed)
        policy.update(state, None, arms, ONE, rng_of(0))
    assert (state.owed == pulls * ~allowed).all()
    assert allowed[0, policy.select(state, None, rng_of(1), allowed)].all()


@pytest.mark.parametrize("horizon", [2, 3, 10, 1000, 10_000, 10**6])
def test_forced_pulls_fit_into_the_horizon(horizon):
    assert 1 <= ForcedPulls.for_horizon(horizon).pulls <= horizon // 2


WITH_CONTEXTS = ("npb-tree", "wb-log", "eg-log", "ucb-lin", "ensemble-log")


@pytest.mark.parametrize("name", WITH_CONTEXTS)
def test_policies_with_contexts_keep_the_rules_after_forced_pulls(name):
    inner = CONTEXTUAL[name](EigenExamples(np.eye(2)))
    check_policy(ForcedPulls(3, inner), Problem(3, 2, BINARY), draws=30, rounds=60)


@pytest.mark.parametrize("name", WITH_CONTEXTS)
def test_what_contexts_taught_while_pulls_were_forced_is_known_afterwards(name):
    """Forced pulls are learnt as any others: from there on the policy decides as it would alone."""
    inner, rng = CONTEXTUAL[name](EigenExamples(np.eye(2))), rng_of(3)
    forced, problem = ForcedPulls(4, inner), Problem(3, 2, BINARY)
    state, alone = forced.start(problem, 1), inner.start(problem, 1)
    pulled = []
    for turn in range(12):
        context = rng.normal(size=(1, 2))
        arms = forced.select(state, context, rng_of(turn))
        pulled.append(int(arms[0]))
        reward = np.array([float(context[0, 0] > 0)])
        forced.update(state, context, arms, reward, rng_of(turn))
        inner.update(alone, context, arms, reward, rng_of(turn))
    assert pulled == [0, 1, 2] * 4
    for turn in range(20):
        context = rng.normal(size=(1, 2))
        chosen = (
            policy.select(own, context, rng_of(turn))
            for policy, own in ((forced, state), (inner, alone))
        )
        assert len({int(arms[0]) for arms in chosen}) == 1


def test_a_bandit_with_contexts_saves_what_it_still_owes(tmp_path):
    policy = ForcedPulls(2, CONTEXTUAL["npb-tree"](EigenExamples()))
    bandit = Bandit(policy, ["a", "b"], rewards=BINARY, seed=1)
    arms = []
    for turn in range(4):
        if turn == 3:
            bandit.save(tmp_path / "a.bandit")
            bandit = Bandit.load(tmp_path / "a.bandit")
        decision = bandit.decide([0.5, turn])
        assert decision.propensity == 0.99  # the floor has the rest
        bandit.learn(decision, 1.0)
        arms.append(decision.arm)
    assert arms == ["a", "b", "a", "b"]
    assert bandit.decide([0.5, 1.0]).arm in "ab"

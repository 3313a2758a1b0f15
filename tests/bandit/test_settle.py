"""What learning has put off can be done at once."""

import numpy as np
import pytest

from bandstrap import Bandit, ForcedPulls, LinUCB, ScaledRewards, Support, Window
from bandstrap.policies.contextual import learners
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples

NETWORKS = ("ensemble-nn", "wb-nn-budgeted")


def taught(policy, rows=40, **more):
    bandit = Bandit(policy, ["a", "b"], rewards=Support.binary(), seed=1, **more)
    contexts = np.random.default_rng(0).standard_normal((rows, 3))
    arms = ["a", "b"] * (rows // 2)
    bandit.learn(context=contexts, arm=arms, reward=(contexts[:, 0] > 0).astype(float))
    return bandit


def learner(bandit):
    state = bandit._memory.state
    while hasattr(state, "inner"):
        state = state.inner
    return state.learners[0]


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("wrapped", [lambda it: it, ScaledRewards, lambda it: ForcedPulls(0, it)])
def test_networks_catch_up(name, wrapped):
    bandit = taught(wrapped(CONTEXTUAL[name](EigenExamples())))
    assert learner(bandit).owed == 41
    bandit.settle()
    assert learner(bandit).owed == 0
    decision = bandit.decide([0.5, 0.0, 0.0])
    assert decision.error == 0  # by votes of heads, which do not train meanwhile


def test_steps_that_are_due_beyond_the_limit_are_waived(monkeypatch):
    steps = []
    bandit = taught(CONTEXTUAL["ensemble-nn"](EigenExamples()))
    monkeypatch.setattr(learners, "SETTLED", 7)
    monkeypatch.setattr(type(learner(bandit)), "_step", lambda *given: steps.append(1))
    bandit.settle()
    assert (len(steps), learner(bandit).owed) == (7, 0)


def test_others_have_nothing_to_do():
    bandit = taught(LinUCB())
    before = bandit.decide([0.5, 0.0, 0.0]).scores
    bandit.settle()
    assert bandit.decide([0.5, 0.0, 0.0]).scores == before
    Bandit(LinUCB(), ["a", "b"]).settle()


def test_both_states_of_a_window_catch_up():
    bandit = taught(CONTEXTUAL["ensemble-nn"](EigenExamples()), forgetting=Window(100))
    bandit.settle()
    memory = bandit._memory
    assert [each.learners[0].owed for each in (memory.state, memory.younger)] == [0, 0]

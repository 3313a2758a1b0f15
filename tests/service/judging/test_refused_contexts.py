"""Lessons that a bandit refuses or that break a policy: nothing is left of them, others go on."""

import pytest

from bandstrap import Bandit
from bandstrap.policies.rewards.beta_thompson import BetaThompson
from bandstrap.service.config import Experiment
from bandstrap.service.fold import State, settings_of
from bandstrap.service.store.steps import Step


def folded(experiment, *contexts):
    """The state after a configuration and a lesson of each context."""
    made = {
        "arm": "a", "propensity": 0.5, "weight": 2.0, "allowed": ["a", "b"], "mode": "online",
        "control": False, "version": 0, "time": 0.0,
    }  # fmt: skip
    told = {"reward": 1.0, "weight": 1.0, "given": True, "at": 1.0, "metrics": {}}
    state = State.begun(experiment)
    state.apply([Step(1, "configure", settings_of(experiment), None, 0.0)])
    state.apply(
        Step(number, "lesson", told, f"{number}", 1.0, {**made, "context": context})
        for number, context in enumerate(contexts, 2)
    )
    return state


@pytest.mark.parametrize("policy", ["ts", None])
def test_after_a_refused_context_everything_can_be_read_again(policy):
    news = Experiment("news", ("a", "b"), policy, candidates={"linear": "ts-lin"})
    state = folded(news, {"city": "Oslo"}, {"city": "Rome"})
    for bandit in state.bandits.values():
        Bandit.from_bytes(bandit.to_bytes())
    again = State.restored(news, state.snapshots())
    assert again.facts.to_dict() == state.facts.to_dict()
    assert state.deciding.rewards_learnt == (0 if policy is None else 2)  # it refuses text too
    assert "linear refused the reward of 2" in " ".join(state.refusals)


@pytest.mark.parametrize("method", ["_update", "_probabilities"])
@pytest.mark.parametrize("error", [ValueError("x is odd"), ZeroDivisionError("by zero")])
def test_a_policy_that_fails_stops_nobody_else(monkeypatch, method, error):
    """As an own policy or a library may; the same each time, so it is a refusal."""

    def fail(*given, **more):
        raise error

    monkeypatch.setattr(BetaThompson, method, fail)
    news = Experiment("news", ("a", "b"), "eg", candidates={"poison": "ts"})
    state = folded(news, None, None)
    assert state.number == 3
    assert state.deciding.rewards_learnt == 2
    assert type(error).__name__ in state.refusals[0]
    assert all(str(error) in text for text in state.refusals)


def test_a_machine_that_fails_is_no_refusal(monkeypatch):
    def fail(*given, **more):
        raise MemoryError

    monkeypatch.setattr(BetaThompson, "_update", fail)
    with pytest.raises(MemoryError):
        folded(Experiment("news", ("a", "b"), "ts"), None)

"""Small services to try things on."""

from bandstrap.service.config import config_from
from bandstrap.service.messages import DecisionRequest, RewardRequest
from states import everything

NEWS = {"arms": ["a", "b", "c"], "policy": "wb", "window": 100.0}


def config(**news):
    service = {"reload": 60.0, "publish": 0.001}
    return config_from({"service": service, "experiments": {"news": {**NEWS, **news}}})


def decide(service, name=None, **request):
    [answer] = service.decide("news", [DecisionRequest(id=name, **request)]).result()
    return answer


def reward(service, name, value=1.0, **metrics):
    [answer] = service.reward([(name, RewardRequest(value, metrics))]).result()
    return answer


def same(state, other):
    """Whether two folds are equal bit for bit."""
    assert (state.number, state.deciding_name, state.former, state.settings) == (
        other.number, other.deciding_name, other.former, other.settings
    )  # fmt: skip
    assert state.bandits.keys() == other.bandits.keys()
    assert state.facts.to_dict() == other.facts.to_dict()
    for name, bandit in state.bandits.items():
        assert everything(bandit) == everything(other.bandits[name]), name
    return True

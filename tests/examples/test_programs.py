"""The examples run and learn, with the packages they are for if those are installed."""

import builtins
import importlib.util
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_gymnasium_s_stand_in(monkeypatch):
    """As if Gymnasium were not installed."""
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] == "gymnasium":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    example = load("gymnasium_loop")
    assert example.gym is None
    assert example.main() > 0.6  # 0.4 at random, 0.8 at best


def test_gymnasium_itself():
    gym = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    example = load("gymnasium_loop")
    assert issubclass(example.Adverts, gym.Env)
    check_env(example.Adverts(), skip_render_check=True)
    assert example.main() > 0.6


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_coba():
    pytest.importorskip("coba")
    ours, random = load("coba_learner").main(interactions=300)
    assert ours > random + 0.05


def test_a_coba_learner_keeps_to_the_actions_offered():
    example = load("coba_learner")
    from bandstrap import LinUCB

    learner = example.BandstrapLearner(LinUCB())
    for i in range(12):
        offered = [(1, 0), (0, 1), (1, 1)][: 2 + i % 2]
        action, chance, more = learner.predict((0.5, 1.0), offered)
        assert action in offered
        assert 0 < chance <= 1
        learner.learn((0.5, 1.0), action, 1.0, chance, **more)
    assert learner.bandit.rewards_learnt == 12
    assert learner.params["policy"] == "LinUCB"

"""The examples run and learn, with the packages they are for if those are installed."""

import builtins
import importlib.util
import json
import sys

import pytest

from pages import ROOT

EXAMPLES = ROOT / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # classes that are saved are looked up there
    spec.loader.exec_module(module)
    return module


def test_the_page_of_examples_names_each():
    page = (ROOT / "docs" / "examples.md").read_text()
    programs = [path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".ipynb"}]
    assert len(programs) >= 5
    assert [name for name in programs if f"| `{name}` |" not in page] == []


def test_a_shop_with_late_purchases():
    _, late, bandit = load("product_loop").main()
    assert late > 120  # of 400: about 87 at random, 170 at best
    assert 0 < bandit.decisions_waiting <= 60
    assert bandit.rewards_learnt + bandit.decisions_waiting == 1200  # none was lost on the way


def test_a_front_page_of_many_articles():
    _, late, bandit = load("news").main()
    assert late > 0.45  # 0.25 at random, 0.65 at best
    assert "news 7" in bandit.arms
    assert "article 7" not in bandit.arms


def test_exploration_of_one_s_own():
    regrets = load("own_exploration").main(runs=20, horizon=200)
    assert len(regrets) == 4
    assert max(regrets.values()) < 0.3 * 200  # at random an arm is a third below the best of five


def test_notebook(capsys):
    """Its cells in order, on fewer images than a reader plays."""
    cells = json.loads((EXAMPLES / "exploration.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert all(cell.get("outputs", []) == [] for cell in cells)
    size = "HORIZON, RUNS = 1500, 2"
    assert "\n".join(code).count(size) == 1
    names = {"__name__": "notebook"}
    for cell in code:
        exec(compile(cell.replace(size, "HORIZON, RUNS = 300, 1"), "notebook", "exec"), names)
    assert capsys.readouterr().out.count("right per image") == 5
    best = names["traces"][names["ranking"][0]]
    assert best.reward_per_step()[-1] > 0.2  # 0.1 by guessing


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

"""A torch module in a `Bandit`: a few lines, files, explanations, arms that come and go."""

import numpy as np
import pytest

from bandstrap import InvalidInput
from bandstrap.bandit import Bandit, HalfLife, Window
from bandstrap.errors import OutputError

torch = pytest.importorskip("torch")

from torch_worlds import mlp, policy_of, quick  # noqa: E402

NAMES = ["red", "green", "blue"]


def bandit_of(forgetting=None, **kinds):
    policy = policy_of(**{"loss": "log_loss", "optimiser": quick, **kinds})
    return Bandit(policy, arms=NAMES, seed=1, forgetting=forgetting)


def serve(bandit, rng, rounds):
    """Decisions, each rewarded if its arm's feature is the largest."""
    decisions = []
    for _ in range(rounds):
        context = rng.standard_normal(4)
        decision = bandit.decide(context)
        bandit.learn(decision, float(NAMES[int(context[:3].argmax())] == decision.arm))
        decisions.append(decision)
    return decisions


def test_a_few_lines():
    from bandstrap import ContextualBootstrap, Exponential, NoExamples, from_torch

    def network(n_features, n_arms):
        hidden = torch.nn.Linear(n_features, 32), torch.nn.ReLU()
        return torch.nn.Sequential(*hidden, torch.nn.Linear(32, n_arms))

    model = from_torch(network, loss="log_loss", optimiser=quick)
    bandit = Bandit(ContextualBootstrap(Exponential(), model, NoExamples()), NAMES, seed=1)
    rng, earned = np.random.default_rng(1), 0.0
    for _ in range(200):
        context = rng.standard_normal(4)
        decision = bandit.decide(context)
        reward = float(NAMES[int(context[:3].argmax())] == decision.arm)
        bandit.learn(decision, reward)
        earned += reward
    assert earned > 100  # by chance 67


@pytest.mark.parametrize("per_arm", [False, True])
def test_a_file_goes_on_as_if_never_stopped(per_arm, tmp_path):
    bandit = bandit_of(per_arm=per_arm)
    serve(bandit, np.random.default_rng(2), 20)
    bandit.save(tmp_path / "bandit")
    again = Bandit.load(tmp_path / "bandit", trusted=[mlp, quick])
    one = serve(bandit, np.random.default_rng(3), 20)
    two = serve(again, np.random.default_rng(3), 20)
    for mine, theirs in zip(one, two, strict=True):
        assert mine.arm == theirs.arm
        assert mine.propensity == theirs.propensity
        assert mine.scores == theirs.scores


def test_a_file_names_no_function_that_is_not_trusted(tmp_path):
    bandit = bandit_of()
    serve(bandit, np.random.default_rng(2), 4)
    bandit.save(tmp_path / "bandit")
    with pytest.raises(OutputError, match="trusted"):
        Bandit.load(tmp_path / "bandit")


def test_an_explanation_changes_nothing():
    bandit, twin = bandit_of(), bandit_of()
    decision = serve(bandit, np.random.default_rng(2), 20)[-1]
    serve(twin, np.random.default_rng(2), 20)
    bandit.explain(decision, draws=20)
    one, two = (serve(each, np.random.default_rng(3), 10) for each in (bandit, twin))
    assert [each.scores for each in one] == [each.scores for each in two]


def test_arms_come_and_go():
    bandit = bandit_of(per_arm=True)
    rng = np.random.default_rng(2)
    serve(bandit, rng, 10)
    bandit.add_arm("white")
    assert bandit.decide(rng.standard_normal(4)).arm == "white"  # never tried
    bandit.remove_arm("white")
    serve(bandit, rng, 5)
    shared = bandit_of()
    serve(shared, rng, 10)
    with pytest.raises(InvalidInput, match="per_arm=True"):
        shared.add_arm("white")


@pytest.mark.parametrize("forgetting", [HalfLife(20), Window(10)], ids=["half-life", "window"])
def test_forgetting(forgetting):
    bandit = bandit_of(forgetting)
    serve(bandit, np.random.default_rng(2), 30)
    assert bandit.rewards_learnt == 30

"""Bandits with torch modules, and whether their files are refused."""

from functools import partial

import numpy as np
import pytest
import torch

from bandstrap import (
    Bandit,
    ContextualBootstrap,
    Exponential,
    OutputError,
    SeenExamples,
    Support,
    from_torch,
)
from hostile import write

CONTEXTS = np.random.default_rng(7).standard_normal((200, 4))


def network(n_features, n_outputs, hidden=6, activation=torch.nn.ReLU):
    layers = torch.nn.Linear(n_features, hidden), activation()
    return torch.nn.Sequential(*layers, torch.nn.Linear(hidden, n_outputs))


class Shifted(torch.nn.Module):
    """A module with a buffer."""

    def __init__(self, n_features, n_outputs):
        super().__init__()
        self.line = torch.nn.Linear(n_features, n_outputs)
        self.register_buffer("shift", torch.ones(n_outputs))

    def forward(self, x):
        return self.line(x) + self.shift


def quick(parameters):
    return torch.optim.Adam(parameters, lr=0.01)


def huber(predictions, rewards):
    return torch.nn.functional.huber_loss(predictions, rewards, reduction="none")


MODELS = {
    "shared": from_torch(network, optimiser=quick, replicas=3, batch=4),
    "by arm": from_torch(network, per_arm=True, replicas=3, batch=4, memory=20),
    "bound": from_torch(
        partial(network, hidden=5, activation=torch.nn.Tanh),
        huber,
        partial(torch.optim.SGD, lr=0.01, momentum=0.9),
        standardise=False,
        replicas=3,
        batch=4,
        steps=2,
    ),
    "buffers": from_torch(Shifted, "log_loss", replicas=3, batch=4),
}
TRUSTED = [network, Shifted, quick, huber, torch.optim.SGD, torch.nn.Tanh]


def bandit_of(name, prior=None, forgetting=None):
    policy = ContextualBootstrap(Exponential(), MODELS[name], prior or SeenExamples())
    names = ["a", "b", "c"]
    return Bandit(policy, names, seed=4, rewards=Support.binary(), forgetting=forgetting)


def played(bandit, rounds):
    told = []
    for context in CONTEXTS[rounds]:
        decision = bandit.decide(context)
        told.append((decision.arm, decision.propensity, decision.scores))
        bandit.learn(decision, float(context[bandit.arms.index(decision.arm)] > 0))
    return told


def refused(raw, tmp_path, match="damaged"):
    write(raw, tmp_path / "b")
    with pytest.raises(OutputError, match=match):
        Bandit.load(tmp_path / "b", trusted=TRUSTED)

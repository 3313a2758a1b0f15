"""Modules and runs for tests of torch modules as models."""

from functools import partial

import numpy as np
import torch

from bandstrap import ContextualBootstrap, Exponential, NoExamples, Problem, Support, from_torch

PROBLEM = Problem(n_arms=3, n_features=4, support=Support.binary())


def mlp(n_features, n_outputs, hidden=16):
    layers = torch.nn.Linear(n_features, hidden), torch.nn.ReLU()
    return torch.nn.Sequential(*layers, torch.nn.Linear(hidden, n_outputs))


def line(n_features, n_outputs):
    return torch.nn.Linear(n_features, n_outputs)


def dropping(n_features, n_outputs):
    layers = torch.nn.Linear(n_features, 16), torch.nn.ReLU(), torch.nn.Dropout(0.3)
    return torch.nn.Sequential(*layers, torch.nn.Linear(16, n_outputs))


class Doubled(torch.nn.Module):
    """Double precision, one weight used twice, one that is frozen, a buffer, a lazy layer."""

    def __init__(self, n_features, n_outputs):
        super().__init__()
        self.first = torch.nn.LazyLinear(n_features)
        self.last = torch.nn.Linear(n_features, n_outputs, dtype=torch.float64)
        self.first.double()
        self.frozen = torch.nn.Parameter(torch.randn(n_outputs).double(), requires_grad=False)
        self.register_buffer("shift", torch.ones(n_outputs).double())

    def forward(self, x):
        twice = torch.tanh(self.first(torch.tanh(self.first(x))))
        return self.last(twice) + self.shift * self.frozen


momentum = partial(torch.optim.SGD, lr=0.01, momentum=0.9)


def quick(parameters):
    return torch.optim.Adam(parameters, lr=0.01)


def huge(parameters):
    return torch.optim.SGD(parameters, lr=1e30)


def policy_of(factory=mlp, resampling=None, prior=None, **kinds):
    model = from_torch(factory, **{"replicas": 4, "batch": 8, **kinds})
    return ContextualBootstrap(resampling or Exponential(), model, prior or NoExamples())


def play(policy, state, rng, rounds):
    """Rewards of 1 for the arm whose feature is the largest."""
    earned = []
    for _ in range(rounds):
        context = rng.standard_normal((1, state.problem.n_features))
        arms = policy.select(state, context, rng)
        reward = float(context[0, : state.problem.n_arms].argmax() == arms[0])
        policy.update(state, context, arms, np.array([reward]), rng)
        earned.append(reward)
    return np.array(earned)


def started(policy, rounds=10, seed=1, problem=PROBLEM):
    """A state after some rounds, and its generator."""
    rng = np.random.default_rng(seed)
    state = policy.start(problem)
    play(policy, state, rng, rounds)
    return state, rng


def learner(state):
    return state.learners[0]


def parameters(state):
    """Stacked parameters as copies."""
    return {name: array.copy() for name, array in learner(state).saved["parameters"].items()}

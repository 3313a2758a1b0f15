"""Worlds and runs for tests of scikit-learn estimators as models."""

import numpy as np

from bandstrap import (
    ContextualBootstrap,
    Exponential,
    NoExamples,
    Problem,
    SeenExamples,
    Support,
)
from bandstrap.storage.packing import pack
from bandstrap.storage.unpacking import Loaded, unpack

XOR = (lambda x: x[:, 0] * x[:, 1] > 0, lambda x: x[:, 0] * x[:, 1] <= 0)  # no line tells these
LINE = (lambda x: x[:, 0] > 0, lambda x: x[:, 0] <= 0)


def play(policy, state, rng, contexts, world=LINE, noise=0.0):
    """The rewards earned at these contexts, in a state of one run."""
    earned = []
    for context in contexts:
        x = context[None]
        arms = policy.select(state, x, rng)
        reward = float(world[int(arms[0])](x)[0])
        reward = 1 - reward if rng.random() < noise else reward
        policy.update(state, x, arms, np.array([reward]), rng)
        earned.append(reward)
    return np.array(earned)


def copied(thing):
    """Packed, as if written to a file, and unpacked."""
    packed = pack(thing)
    copies = {name: array.copy() for name, array in packed.arrays.items()}
    return unpack(packed._replace(arrays=copies), Loaded())


TWO = Problem(n_arms=2, n_features=2, support=Support.binary())


def started(model, resampling=None, prior=None, problem=TWO):
    policy = ContextualBootstrap(resampling or Exponential(), model, prior or SeenExamples())
    return policy, policy.start(problem)


def filled(model, rewards, resampling, support=None, prior=None):
    """A learner whose first arm has these rewards at contexts 0, 1, 2, …"""
    problem = Problem(2, 1, support or Support.binary())
    policy, state = started(model, resampling, prior or NoExamples(), problem)
    rng = np.random.default_rng(0)
    for i, reward in enumerate(rewards):
        policy.update(state, np.array([[float(i)]]), np.array([0]), np.array([reward]), rng)
    return state.learners[0], rng

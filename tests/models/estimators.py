"""Worlds and runs for tests of scikit-learn estimators as models."""

import numpy as np

from bandstrap.packing import pack, unpack

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
    return unpack(packed._replace(arrays=copies))

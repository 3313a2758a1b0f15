"""Traces made to order: so much reward per step, with so much noise between runs."""

import numpy as np

from bandstrap.simulation import Trace
from bandstrap.simulation.batch import recorded_rounds

HORIZON = 50_000


def trace(policy, reward, noise=1e-4, *, runs=5, horizon=HORIZON, environment="covtype", cost=1e-3):
    """`reward` is a number, or a function of rounds; `cost` is in seconds a round."""
    rounds = recorded_rounds(HORIZON)
    rounds = rounds[rounds <= horizon]
    level = reward(rounds) if callable(reward) else np.full(rounds.size, reward)
    rng = np.random.default_rng(sum(map(ord, policy)))
    per_step = level + noise * rng.standard_normal((runs, 1))
    total = per_step * rounds
    return Trace("x", environment, policy, rounds, rounds - total, total, cost * rounds * runs)


def traces(levels, **options):
    """A trace for each policy, by name."""
    return {name: trace(name, level, **options) for name, level in levels.items()}

"""A problem on which a policy with contexts has to earn more than random choices."""

from typing import Any

import numpy as np
from scipy.special import expit

from bandstrap.policies import Policy
from bandstrap.problem import Problem, Support

TRUTH = 3.0 * np.array([[1.0, 0.0], [-0.5, 0.87], [-0.5, -0.87]])


def earned_by(policy: Policy[Any], runs: int) -> float:
    """Mean reward of the last 200 of 400 rounds; the best of three arms depends on the context.

    At random 0.5 are earned, at best 0.91.
    """
    state, rng = policy.start(Problem(3, 2, Support.binary()), runs), np.random.default_rng(5)
    rewards = np.zeros((400, runs))
    for t in range(400):
        x = rng.standard_normal((runs, 2))
        arms = policy.select(state, x, rng)
        rewards[t] = rng.random(runs) < expit((x * TRUTH[arms]).sum(axis=1))
        policy.update(state, x, arms, rewards[t], rng)
    return float(rewards[200:].mean())

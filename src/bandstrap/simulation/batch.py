"""A batch of runs: the unit of seeding, of parallel work and of resumption."""

from dataclasses import dataclass
from time import thread_time
from typing import Any

import numpy as np

from bandstrap.environments import Environment
from bandstrap.kernels.accounting import account
from bandstrap.policies import Policy
from bandstrap.seeding import generator


def recorded_rounds(horizon: int, points: int = 100) -> np.ndarray:
    """About `points` log-spaced rounds up to and including the last."""
    return np.unique(np.rint(np.geomspace(1, horizon, points)).astype(np.int64))


@dataclass(frozen=True)
class Batch:
    """What to simulate: `runs` runs of a policy in an environment, and the names that seed it.

    Batches of the same `world` and `index` meet the same arms whatever the policy, so that policies
    can be compared run by run.
    """

    policy: Policy[Any]
    environment: Environment
    horizon: int
    runs: int
    seed: int
    world: str
    label: str
    index: int


@dataclass(frozen=True)
class BatchResult:
    """Cumulative regret and reward of each run at recorded rounds, and CPU seconds up to each."""

    regret: np.ndarray  # (runs, points)
    reward: np.ndarray  # (runs, points)
    seconds: np.ndarray  # (points,)


def run_batch(batch: Batch) -> BatchResult:
    """Play the batch from its own seed."""
    policy, environment = batch.policy, batch.environment
    arms = environment.start(batch.runs, generator(batch.seed, "arms", batch.world, batch.index))
    rng = generator(batch.seed, "policy", batch.world, batch.label, batch.index)
    chance = generator(batch.seed, "rewards", batch.world, batch.label, batch.index)
    best = arms.means.max(axis=1)
    rounds = recorded_rounds(batch.horizon)
    regret, reward = np.zeros((2, batch.runs, rounds.size))
    seconds = np.zeros(rounds.size)
    regret_so_far, reward_so_far = np.zeros((2, batch.runs))
    spent = 0.0
    played = 0
    state = policy.start(environment.problem, batch.runs)
    for point, last in enumerate(rounds):
        while played < last:
            started = thread_time()
            chosen = policy.select(state, None, rng)
            spent += thread_time() - started
            rewards = environment.pull(arms, chosen, chance)
            started = thread_time()
            policy.update(state, None, chosen, rewards, rng)
            spent += thread_time() - started
            account(arms.means, best, chosen, rewards, regret_so_far, reward_so_far)
            played += 1
        regret[:, point] = regret_so_far
        reward[:, point] = reward_so_far
        seconds[point] = spent
    return BatchResult(regret, reward, seconds)

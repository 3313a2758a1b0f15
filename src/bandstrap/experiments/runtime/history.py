"""A history to time decisions on: the same for all, however long it would take them to play it."""

from time import thread_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bandstrap.environments import Labelled
from bandstrap.models.cost import no_cost_warnings
from bandstrap.policies import Policy
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples
from bandstrap.seeding import generator
from bandstrap.simulation import Trace

Costs = dict[int, float]  # seconds by length of history
PLAYER = "wb-log-replicas"  # cheap, and close to what the exact bootstraps would play


class History:
    """Contexts, arms and rewards of a run on a data set, round by round."""

    def __init__(self, environment: Labelled, rounds: int, seed: int) -> None:
        self.environment, self.seed = environment, seed
        self.prior = EigenExamples(environment.covariance)
        self.problem = environment.problem
        policy = CONTEXTUAL[PLAYER](self.prior)
        rng = generator(seed, "recipe", environment.name)
        world, state = environment.start(1, rng), policy.start(self.problem, 1)
        self.contexts = np.zeros((rounds, self.problem.n_features), environment.data.contexts.dtype)
        self.arms, self.rewards = np.zeros(rounds, np.int64), np.zeros(rounds)
        for t in range(rounds):
            contexts = environment.look(world, t).contexts
            assert contexts is not None
            chosen = policy.select(state, contexts, rng)
            rewards = environment.pull(world, chosen, rng)
            policy.update(state, contexts, chosen, rewards, rng)
            self.contexts[t], self.arms[t], self.rewards[t] = contexts[0], chosen[0], rewards[0]

    def trace(self, experiment: str, policy: str, costs: Costs, draws: int) -> Trace:
        """Seconds of the `draws` rounds after each length of history; other rounds cost nothing."""
        rounds = np.array([point for t in costs for point in (t, t + draws)])
        seconds = np.cumsum([spent for cost in costs.values() for spent in (0.0, cost)])
        reward = np.cumsum(self.rewards)[rounds - 1][None]
        names = (experiment, self.environment.name, policy)
        return Trace(*names, rounds, rounds[None] - reward, reward, seconds)


def timed(
    policy: Policy[Any], history: History, lengths: list[int], draws: int
) -> dict[int, float]:
    """CPU seconds of the `draws` rounds after each length; the policy learns what was played.

    The round before them is not timed: it fits at once what in a run is fitted round by round.
    """
    rng = generator(history.seed, "timed", history.environment.name)
    with no_cost_warnings():  # the cost is what is measured here
        state = policy.start(history.problem, 1)
    seen, costs = 0, {}
    rows = (history.contexts[:, None], history.arms[:, None], history.rewards[:, None])
    with threadpool_limits(1):
        for t in lengths:
            for contexts, arm, reward in zip(*(part[seen : t - 1] for part in rows), strict=True):
                policy.update(state, contexts, arm, reward, rng)
            costs[t] = 0.0
            for i in range(max(seen, t - 1), t + draws):
                contexts, arm, reward = (part[i] for part in rows)
                started = thread_time()
                policy.select(state, contexts, rng)
                policy.update(state, contexts, arm, reward, rng)
                costs[t] += thread_time() - started if i >= t else 0.0
            seen = t + draws
    return costs

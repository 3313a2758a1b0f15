"""A history to time policies and the paper's recipe on, however long they would take to play it."""

import warnings
from time import thread_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bandstrap.arrays import Array
from bandstrap.contexts import as_numbers
from bandstrap.environments import Labelled
from bandstrap.models.cost import no_cost_warnings
from bandstrap.policies import Policy
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples, PseudoExamples
from bandstrap.resampling import Exponential
from bandstrap.seeding import generator
from bandstrap.simulation import Trace

Costs = dict[int, float]  # seconds by length of history
RECIPE, TOLERANCE = "recipe-sgd", 1e-3  # the paper's: scikit-learn's SGD, warm start, fresh weights
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


def timed(policy: Policy[Any], history: History, lengths: list[int], draws: int) -> Costs:
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


def timed_recipe(history: History, lengths: list[int], draws: int) -> Costs:
    """CPU seconds of the recipe's decisions in the `draws` rounds after each length.

    An untimed draw comes first, as the warm start.
    """
    pseudo = history.prior.start(history.problem)
    with threadpool_limits(1):
        return {t: _decisions(history, pseudo, t, draws) for t in lengths}


def _decisions(history: History, pseudo: PseudoExamples, t: int, draws: int) -> float:
    """Seconds of `draws` decisions, each a refit of all arms to the first t rounds."""
    from sklearn.exceptions import ConvergenceWarning  # takes seconds to import
    from sklearn.linear_model import SGDClassifier

    rng = generator(history.seed, "recipe weights", t)
    arms = [_examples(history, pseudo, arm, t) for arm in range(history.problem.n_arms)]
    how = {"loss": "log_loss", "tol": TOLERANCE, "warm_start": True}
    models = [SGDClassifier(**how, random_state=arm) for arm in range(history.problem.n_arms)]
    asked = as_numbers(history.contexts[t : t + 1]).astype(np.float64)
    spent = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for draw in range(draws + 1):
            started = thread_time()
            for model, (contexts, rewards) in zip(models, arms, strict=True):
                weights = Exponential().weights(rewards.shape, rng)
                model.fit(contexts, rewards, sample_weight=weights)
                model.decision_function(asked)
            spent += thread_time() - started if draw else 0.0
    return spent


def _examples(history: History, pseudo: PseudoExamples, arm: int, t: int) -> tuple[Array, Array]:
    own = np.flatnonzero(history.arms[:t] == arm)
    contexts = np.concatenate([pseudo.contexts, as_numbers(history.contexts[own])])
    return contexts, np.concatenate([pseudo.rewards, history.rewards[own]])

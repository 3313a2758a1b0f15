"""The paper's own recipe, timed: scikit-learn's SGD with warm start and fresh weights."""

import warnings
from time import thread_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bandstrap.arrays import Array
from bandstrap.contexts import as_numbers
from bandstrap.environments import Labelled
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples, PseudoExamples
from bandstrap.resampling import Exponential
from bandstrap.seeding import generator
from bandstrap.simulation import Trace

NAME = "recipe-sgd"
PLAYER = "wb-log-replicas"  # makes the history: cheap, and close to what the recipe would play
TOLERANCE = 1e-3  # the paper's


class History:
    """Contexts, arms and rewards of a run on a data set, round by round."""

    def __init__(self, environment: Labelled, rounds: int, seed: int) -> None:
        prior = EigenExamples(environment.covariance)
        policy = CONTEXTUAL[PLAYER](prior)
        rng = generator(seed, "recipe", environment.name)
        world, state = environment.start(1, rng), policy.start(environment.problem, 1)
        self.contexts = np.zeros((rounds, environment.problem.n_features), np.float64)
        self.arms, self.rewards = np.zeros(rounds, np.int64), np.zeros(rounds)
        for t in range(rounds):
            contexts = environment.look(world, t).contexts
            assert contexts is not None
            chosen = policy.select(state, contexts, rng)
            rewards = environment.pull(world, chosen, rng)
            policy.update(state, contexts, chosen, rewards, rng)
            self.contexts[t] = as_numbers(contexts[0])
            self.arms[t], self.rewards[t] = chosen[0], rewards[0]
        self.pseudo = prior.start(environment.problem)
        self.n_arms = environment.problem.n_arms


def timed(
    experiment: str, environment: Labelled, lengths: tuple[int, ...], draws: int, seed: int
) -> Trace:
    """CPU time of the recipe's decisions in the `draws` rounds after each of `lengths`.

    A cheap policy plays the other rounds, which count no time. An untimed draw comes first, as the
    warm start.
    """
    with threadpool_limits(1):
        history = History(environment, lengths[-1] + draws, seed)
        rounds = np.array([point for t in lengths for point in (t, t + draws)])
        seconds = [cost for t in lengths for cost in (0.0, _decisions(history, t, draws, seed))]
    reward = np.cumsum(history.rewards)[rounds - 1][None]
    names = (experiment, environment.name, NAME)
    return Trace(*names, rounds, rounds[None] - reward, reward, np.cumsum(seconds))


def _decisions(history: History, t: int, draws: int, seed: int) -> float:
    """Seconds of `draws` decisions, each a refit of all arms to the first t rounds."""
    from sklearn.exceptions import ConvergenceWarning  # takes seconds to import

    rng = generator(seed, "recipe weights", t)
    arms = [_examples(history, history.pseudo, arm, t) for arm in range(history.n_arms)]
    models = [_model(arm) for arm in range(history.n_arms)]
    spent = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for draw in range(draws + 1):
            started = thread_time()
            for model, (contexts, rewards) in zip(models, arms, strict=True):
                model.fit(
                    contexts, rewards, sample_weight=Exponential().weights(rewards.shape, rng)
                )
                model.decision_function(history.contexts[t : t + 1])
            spent += thread_time() - started if draw else 0.0
    return spent


def _model(arm: int) -> Any:
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(loss="log_loss", tol=TOLERANCE, warm_start=True, random_state=arm)


def _examples(history: History, pseudo: PseudoExamples, arm: int, t: int) -> tuple[Array, Array]:
    own = np.flatnonzero(history.arms[:t] == arm)
    contexts = np.concatenate([pseudo.contexts, history.contexts[own]])
    return contexts, np.concatenate([pseudo.rewards, history.rewards[own]])

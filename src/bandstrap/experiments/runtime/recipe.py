"""The paper's own recipe, timed: scikit-learn's SGD with warm start and fresh weights."""

import warnings
from time import thread_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bandstrap.arrays import Array
from bandstrap.contexts import as_numbers
from bandstrap.experiments.runtime.history import History
from bandstrap.priors import PseudoExamples
from bandstrap.resampling import Exponential
from bandstrap.seeding import generator

NAME = "recipe-sgd"
TOLERANCE = 1e-3  # the paper's


def timed(history: History, lengths: list[int], draws: int) -> dict[int, float]:
    """CPU seconds of the recipe's decisions in the `draws` rounds after each length.

    An untimed draw comes first, as the warm start.
    """
    pseudo = history.prior.start(history.problem)
    with threadpool_limits(1):
        return {t: _decisions(history, pseudo, t, draws) for t in lengths}


def _decisions(history: History, pseudo: PseudoExamples, t: int, draws: int) -> float:
    """Seconds of `draws` decisions, each a refit of all arms to the first t rounds."""
    from sklearn.exceptions import ConvergenceWarning  # takes seconds to import

    rng = generator(history.seed, "recipe weights", t)
    arms = [_examples(history, pseudo, arm, t) for arm in range(history.problem.n_arms)]
    models = [_model(arm) for arm in range(history.problem.n_arms)]
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


def _model(arm: int) -> Any:
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(loss="log_loss", tol=TOLERANCE, warm_start=True, random_state=arm)


def _examples(history: History, pseudo: PseudoExamples, arm: int, t: int) -> tuple[Array, Array]:
    own = np.flatnonzero(history.arms[:t] == arm)
    contexts = np.concatenate([pseudo.contexts, as_numbers(history.contexts[own])])
    return contexts, np.concatenate([pseudo.rewards, history.rewards[own]])

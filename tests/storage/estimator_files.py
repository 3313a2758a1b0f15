"""Bandits with scikit-learn's estimators."""

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.tree import DecisionTreeRegressor

from bandstrap import (
    Bandit,
    ContextualBootstrap,
    EigenExamples,
    EveryRound,
    Exponential,
    Growth,
    NoExamples,
    Online,
    Poisson,
    Propensity,
    SeenExamples,
    Support,
    from_sklearn,
)

CONTEXTS = np.random.default_rng(7).standard_normal((200, 2))
WARM = SGDClassifier(loss="log_loss", max_iter=5, tol=None, warm_start=True)


def policy_of(estimator, refit=None, resampling=None, prior=None, replicas=2):
    model = from_sklearn(estimator, refit=refit or Growth(0.5), replicas=replicas)
    return ContextualBootstrap(resampling or Exponential(), model, prior or SeenExamples(2))


POLICIES = {
    "kept": policy_of(DecisionTreeRegressor(max_depth=3)),
    "classes": policy_of(LogisticRegression(), prior=EigenExamples()),
    "warm": policy_of(WARM, Growth(0.3), Poisson()),
    "online": policy_of(SGDClassifier(loss="log_loss"), Online(), Poisson()),
    "afresh": policy_of(Ridge(), EveryRound(), prior=NoExamples()),
}


def bandit_of(name, forgetting=None):
    settings = {"rewards": Support.binary(), "propensity": Propensity(draws=2)}
    return Bandit(POLICIES[name], ["a", "b", "c"], seed=4, forgetting=forgetting, **settings)


def played(bandit, rounds):
    told = []
    for context in CONTEXTS[rounds]:
        decision = bandit.decide(context)
        told.append((decision.arm, decision.propensity, decision.scores))
        bandit.learn(decision, float(context[bandit.arms.index(decision.arm) % 2] > 0))
    return told

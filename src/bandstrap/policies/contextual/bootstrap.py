"""Bootstrapped exploration with contexts: resample the history, refit a model, act greedily."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from bandstrap.models import Learner, Model
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling


@dataclass(frozen=True)
class ContextualBootstrap(LearnerPolicy):
    """Refit the model of every arm to its reweighted history, and act greedily.

    With `Exponential` weights this is the paper's WB, with `Multinomial` its NPB. Whether draws are
    exact depends on the model: `OneStep(LogisticRegression())`, say, is an approximation.

    Here arm 1 pays where the feature is positive, arm 0 elsewhere:

    >>> import numpy as np
    >>> from bandstrap import EigenExamples, Exponential, LogisticRegression
    >>> policy = ContextualBootstrap(Exponential(), LogisticRegression(), EigenExamples())
    >>> state, rng = policy.start(Problem(n_arms=2, n_features=1)), np.random.default_rng(0)
    >>> for x in rng.standard_normal((200, 1, 1)):
    ...     arms = policy.select(state, x, rng)
    ...     policy.update(state, x, arms, (x[:, 0] > 0) == arms)
    >>> [int(policy.select(state, np.array([[x]]), rng)[0]) for x in (-2.0, 2.0)]
    [0, 1]
    """

    bootstraps: ClassVar[bool] = True

    resampling: Resampling
    model: Model
    prior: ExamplePrior

    @property
    def _reads_tables(self) -> bool:
        return self.model.reads_tables

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        super().check(problem, rewards)
        self.resampling.check(problem.support)
        self.model.check(problem.support, self.resampling, rewards)

    def _learner(self, problem: Problem) -> Learner:
        self.resampling.check(problem.support)
        return self.model.learner(problem, self.resampling, self.prior)

"""The ensemble of Tang et al. (2015): Poisson bootstrap replicas of logistic models, online."""

from dataclasses import dataclass

from bandstrap.models import Learner
from bandstrap.models.online.replicas import OnlineLogistic, Replicas
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.priors import NoExamples
from bandstrap.problem import Problem
from bandstrap.resampling import Poisson


@dataclass(frozen=True)
class OnlineEnsemble(LearnerPolicy):
    """Act greedily by one of `count` logistic models, picked at random each round.

    Each model learns a reward once, with a Poisson(1) weight, and never sees it again; arms start
    without examples and are tried once each. `rate` is the size of the first step. The number of
    models and their steps are our choice.

    >>> from bandstrap.problem import Problem
    >>> import numpy as np
    >>> state = OnlineEnsemble().start(Problem(n_arms=2, n_features=3))
    >>> OnlineEnsemble().select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    count: int = 10
    rate: float = 0.1

    def __post_init__(self) -> None:
        self._replicas()  # checks the parameters

    def _replicas(self) -> Replicas:
        return Replicas(OnlineLogistic(self.rate, replay=0), self.count)

    def _learner(self, problem: Problem) -> Learner:
        return self._replicas().learner(problem, Poisson(), NoExamples())

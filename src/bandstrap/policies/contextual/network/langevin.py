"""Thompson sampling for a network, its posterior followed by Langevin dynamics."""

from dataclasses import dataclass, field

from bandstrap.models import Learner
from bandstrap.models.network.shared import LangevinNetwork
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.priors import ExamplePrior, NoExamples
from bandstrap.problem import Problem
from bandstrap.resampling import NoResampling


@dataclass(frozen=True)
class Langevin(LearnerPolicy):
    """Act greedily on parameters that are an approximate draw from their posterior.

    Each round takes one step of preconditioned stochastic gradient Langevin dynamics on a fixed
    number of examples: noise shrinks as examples come in, as a posterior would. Draws of
    successive rounds are close to each other.

    >>> import numpy as np
    >>> policy = Langevin(LangevinNetwork(hidden=8))
    >>> state = policy.start(Problem(2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(1)).shape
    (1,)
    """

    model: LangevinNetwork = field(default_factory=LangevinNetwork)
    prior: ExamplePrior = field(default_factory=NoExamples)

    def _learner(self, problem: Problem) -> Learner:
        return self.model.learner(problem, NoResampling(), self.prior)

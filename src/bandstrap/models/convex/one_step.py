"""One step towards the solved draw: one pass over the history."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models.base import Learner, Model
from bandstrap.models.convex.learner import ArmsLearner
from bandstrap.models.convex.model import ConvexModel
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling


@dataclass(frozen=True)
class OneStep(Model):
    """θ̂ - M⁻¹ Σ wᵢ rᵢ xᵢ: one Newton step with fresh weights and the unweighted Hessian M.

    One pass over the history a round. θ̂ lags behind by at most 2% of the examples, M by 10%; the
    step itself takes in every example.

    >>> from bandstrap import ContextualBootstrap, EigenExamples, Exponential, LogisticRegression
    >>> model = OneStep(LogisticRegression())
    >>> policy = ContextualBootstrap(Exponential(), model, EigenExamples())
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    model: ConvexModel

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return OneStepLearner(self.model, problem, resampling, prior)


class OneStepLearner(ArmsLearner):
    """The first step that solved draws begin with, and no more."""

    def margins(self, contexts: Array, rng: Rng) -> Array:
        arms = self.all.arms
        margins = np.full(len(arms), np.inf)
        x = self.all.augmented(contexts)
        known = self.all.refresh()
        for index in self.all.begin(rng, known, np.ones(len(arms), dtype=np.bool_)):
            draw = arms[index].draw
            margins[index] = x @ (draw.theta + draw.step)
        return margins

"""One step towards the solved draw: one pass over the history."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models.base import Learner, Model
from bandstrap.models.convex.arms import ArmsLearner
from bandstrap.models.convex.model import ConvexModel
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling


@dataclass(frozen=True)
class OneStep(Model):
    """θ̂ - M⁻¹ Σ wᵢ rᵢ xᵢ: one Newton step with fresh weights and the unweighted Hessian M.

    One pass over the history a round. θ̂ lags behind by at most 2% of the examples, M by 10%; the
    step itself takes in every example.
    """

    model: ConvexModel

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return OneStepLearner(self.model, problem, resampling, prior)


class OneStepLearner(ArmsLearner):
    """The first step that solved draws begin with, and no more."""

    def _margins(self, context: Array, rng: Rng) -> Array:
        arms = self.all.arms
        margins = np.full(len(arms), np.inf)
        x = self.all.augmented(context)
        known = self.all.refresh()
        for index in self.all.begin(rng, known, np.ones(len(arms), dtype=np.bool_)):
            draw = arms[index].draw
            margins[index] = x @ (draw.theta + draw.step)
        return margins

"""Bootstrapped exploration with contexts: resample the history, refit a model, act greedily."""

from collections.abc import Sequence
from dataclasses import dataclass

from bandstrap.errors import InvalidInput
from bandstrap.models import Learner, Model
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling


@dataclass(frozen=True)
class ContextualBootstrap(LearnerPolicy):
    """Refit the model of every arm to its reweighted history, and act greedily.

    With `Exponential` weights this is the paper's WB, with `Multinomial` its NPB. Whether a draw is
    exact or an approximation is for the model to say: `OneStep(LogisticRegression())` and the like
    are models of their own.
    """

    resampling: Resampling
    model: Model
    prior: ExamplePrior

    @property
    def _reads_tables(self) -> bool:
        return self.model.reads_tables

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        super().check(problem, rewards)
        self.model.check(problem.support, self.resampling, rewards)

    def _learner(self, problem: Problem) -> Learner:
        if problem.n_features < 1:
            raise InvalidInput(
                "n_features", problem.n_features, "a model needs contexts; use Bootstrap without"
            )
        return self.model.learner(problem, self.resampling, self.prior)

"""One model for all arms, which have features of their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng, Weights
from bandstrap.errors import InvalidInput
from bandstrap.models import Learner, Model
from bandstrap.policies.contextual.learners import LearnerPolicy, LearnerState
from bandstrap.policies.validation import check_numbers
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import require


class SharedState(LearnerState):
    def verify_saved(self) -> None:
        require(len(self.learners) == self.runs, "runs have no learners")
        for learner in self.learners:
            learner.verify_problem(one_arm(self.problem))

    def learn(
        self, contexts: Array, arms: Array, rewards: Array, rng: Rng | None, weights: Weights
    ) -> None:
        super().learn(contexts, np.zeros_like(arms), rewards, rng, weights)

    def remap_arms(self, fresh: LearnerState, before: ArmMap) -> None:
        """Arms are only known by their features, so what was learnt holds for others too."""


def one_arm(problem: Problem) -> Problem:
    """The problem of one model for all arms: a single arm, with the rows of all of them."""
    return Problem(1, problem.n_features, problem.support, per_arm=True)


@dataclass(frozen=True)
class SharedBootstrap(LearnerPolicy):
    """Refit one model to the reweighted history of all arms, and act greedily.

    A decision sees a row of features for each arm, (runs, arms, features), and a reward comes with
    the row of the arm that was pulled, (runs, features). So there may be thousands of arms, and
    they may come and go: what is learnt about one holds for others like it.

    >>> from bandstrap import EigenExamples, Exponential, OnlineLogistic, Replicas
    >>> policy = SharedBootstrap(Exponential(), Replicas(OnlineLogistic()), EigenExamples())
    >>> state = policy.start(Problem(n_arms=3, n_features=2, per_arm=True))
    >>> rows, rng = np.ones((1, 3, 2)), np.random.default_rng(0)
    >>> arms = policy.select(state, rows, rng)
    >>> policy.update(state, rows[:, 0], arms, np.array([1.0]), rng)
    """

    reads_arms: ClassVar[bool] = True

    bootstraps: ClassVar[bool] = True

    resampling: Resampling
    model: Model
    prior: ExamplePrior

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        super().check(problem, rewards)
        self.resampling.check(problem.support)
        self.model.check(problem.support, self.resampling, rewards)

    def _start(self, problem: Problem, runs: int) -> SharedState:
        if problem.n_features < 1:
            raise InvalidInput("arms", problem.n_arms, "give features of arms: arms={name: [...]}")
        check_numbers(problem, "encode them as numbers, to be joined to the features of arms")
        return SharedState(problem, runs, [self._learner(problem) for _ in range(runs)])

    def _learner(self, problem: Problem) -> Learner:
        self.resampling.check(problem.support)
        learner = self.model.learner(one_arm(problem), self.resampling, self.prior)
        if not learner.one_for_all:
            remedy = "it cannot serve all arms: use Replicas(), from_sklearn() or a solved model"
            raise InvalidInput("model", type(learner).__name__, remedy)
        return learner

"""One model for all arms, which tell themselves apart by features of their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.errors import InvalidInput
from bandstrap.models import Learner, Model
from bandstrap.policies.base import Draw, Policy
from bandstrap.policies.contextual.learners import LearnerState
from bandstrap.policies.validation import check_numbers, checked_decision
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

    def remap_arms(self, fresh: LearnerState, before: ArmMap) -> None:
        """Arms are nothing but their features: what was learnt holds for others too."""


def one_arm(problem: Problem) -> Problem:
    """What one model for all arms is told: a single arm, whose rows are of any of them."""
    return Problem(1, problem.n_features, problem.support, per_arm=True)


@dataclass(frozen=True)
class SharedBootstrap(Policy[SharedState]):
    """Refit one model to the reweighted history of all arms, and act greedily.

    A decision sees a row of features for each arm, (runs, arms, features), and a reward comes with
    the row of the arm that was pulled, (runs, features). So arms may be thousands, and may come and
    go: what is learnt of one tells of others like it.

    >>> from bandstrap import EigenExamples, Exponential, OnlineLogistic, Replicas
    >>> policy = SharedBootstrap(Exponential(), Replicas(OnlineLogistic()), EigenExamples())
    >>> state = policy.start(Problem(n_arms=3, n_features=2, per_arm=True))
    >>> rows, rng = np.ones((1, 3, 2)), np.random.default_rng(0)
    >>> arms = policy.select(state, rows, rng)
    >>> policy.update(state, rows[:, 0], arms, np.array([1.0]), rng)
    """

    reads_arms: ClassVar[bool] = True

    resampling: Resampling
    model: Model
    prior: ExamplePrior

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        super().check(problem, rewards)
        self.model.check(problem.support, self.resampling, rewards)

    def _start(self, problem: Problem, runs: int) -> SharedState:
        if problem.n_features < 1:
            raise InvalidInput("arms", problem.n_arms, "give features of arms: arms={name: [...]}")
        check_numbers(problem, "encode them as numbers, to be joined to the features of arms")
        one = one_arm(problem)
        return SharedState(problem, runs, [self._learner(one) for _ in range(runs)])

    def _learner(self, problem: Problem) -> Learner:
        return self.model.learner(problem, self.resampling, self.prior)

    def _scores(self, state: SharedState, contexts: Contexts, rng: Rng) -> Array:
        assert contexts is not None
        pairs = zip(state.learners, contexts, strict=True)
        return np.array([learner.scores_of(rows, rng) for learner, rows in pairs])

    def _select(self, state: SharedState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        assert contexts is not None
        triples = zip(state.learners, contexts, allowed, strict=True)
        return np.array(
            [learner.choose_of(rows, rng, open_)[0] for learner, rows, open_ in triples]
        )

    def decide(
        self,
        state: SharedState,
        contexts: Contexts,
        rng: Rng,
        allowed: Array | None,
        draws: int,
    ) -> Draw:
        contexts, every = checked_decision(state, contexts, allowed)
        assert contexts is not None
        learner, rows, open_ = state.learners[0], contexts[0], every[0]
        arm, scores, exact = learner.decide_of(rows, rng, open_)
        return Draw.of(arm, scores, exact, lambda: learner.choose_of(rows, rng, open_)[0], draws)

    def _probabilities(
        self, state: SharedState, contexts: Contexts, allowed: Array
    ) -> Array | None:
        assert contexts is not None
        return state.learners[0].shares_of(contexts[0], allowed[0])

    def _update(
        self,
        state: SharedState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        assert contexts is not None
        state.learn(contexts, np.zeros_like(arms), rewards, rng, weights)

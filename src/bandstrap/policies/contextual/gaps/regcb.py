"""RegCB (Foster et al., 2018): the arm that a regression nearly as good as the best likes most."""

from dataclasses import dataclass, field
from math import log
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import replica_probabilities
from bandstrap.models import Learner
from bandstrap.models.base import draw_scores, learn_reward
from bandstrap.models.online.recursive import RecursiveLearner, RecursiveLinear, RecursiveModel
from bandstrap.policies.contextual.gaps.weighting import length_of
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.priors import NoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.resampling import NoResampling
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import Fixed, Of, Real, Schema, require
from bandstrap.validation import require_up_to

MOST = 1e6  # the mellowness: every arm looks as good as can be long before


@saved
class RegCBLearner(Learner):
    """Regressions of all arms, and bounds of those that are nearly as good.

    `rounds` counts the rewards learnt, as far as they still count.
    """

    repeats: ClassVar[bool] = False  # the regressions do
    schema = Schema(
        problem=Fixed(Of(Problem)),
        mellowness=Fixed(Real(0.0, MOST)),
        learner=Of(RecursiveLearner),
        rounds=Real(low=0.0),
    )

    def verify_problem(self, problem: Problem) -> None:
        require(self.problem == problem, "the learner is of another problem")
        self.learner.verify_problem(problem)

    def __init__(self, problem: Problem, model: RecursiveModel, mellowness: float) -> None:
        self.problem = problem
        self.mellowness = mellowness
        self.learner = model.recursive(problem, NoResampling(), NoExamples())
        self.rounds = 0.0

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        learn_reward(self.learner, context, arm, reward, rng, weight)
        self.rounds += weight

    def margins(self, contexts: Array, rng: Rng) -> Array:
        return self._bounds(contexts)

    def expected(self, contexts: Array, rng: Rng) -> Array:
        return draw_scores(self.learner, contexts, rng)

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        return replica_probabilities(self._bounds(contexts)[None], allowed)

    def _bounds(self, context: Array) -> Array:
        """The most that each arm may pay; infinite for one to be tried first."""
        support, model = self.problem.support, self.learner.model
        excess = self.mellowness * log(self.problem.n_arms * (self.rounds + 1.0) + 1.0)
        upper = self.learner.upper(context, excess * length_of(support) ** 2)
        bounds = np.clip(model.link.expected(upper), support.low, support.high)
        return np.where(np.isinf(upper), np.inf, bounds)

    def discount(self, factor: float) -> None:
        self.learner.discount(factor)
        self.rounds *= factor

    def remap_arms(self, fresh: "RegCBLearner", before: ArmMap) -> None:
        self.problem = fresh.problem
        self.learner.remap_arms(fresh.learner, before)


@saved
@dataclass(frozen=True)
class RegCB(LearnerPolicy):
    """The arm with the highest bound: what it may pay by a model that has seen it and fits well.

    A model fits well if its loss on the arm's rewards is at most mellowness log(K t) above the
    least, in round t and with K arms. Such models of a `RecursiveLinear` are an ellipsoid, and its
    bound is exact; the log loss of `RecursiveLogistic` is taken to be quadratic around its least.
    Bounds end where rewards do, and arms that reach the end tie. This is the optimistic variant of
    the paper; the logarithm in place of its constants is Vowpal Wabbit's, whose mellowness is 0.1.

    >>> policy, rng = RegCB(), np.random.default_rng(0)
    >>> state = policy.start(Problem(n_arms=2, n_features=1))
    >>> for _ in range(200):
    ...     x = rng.choice([-1.0, 1.0], (1, 1))
    ...     arm = policy.select(state, x, rng)
    ...     policy.update(state, x, arm, (x[:, 0] > 0) == arm)
    >>> int(policy.select(state, np.array([[1.0]]), rng)[0])
    1
    """

    model: RecursiveModel = field(default_factory=RecursiveLinear)
    mellowness: float = 0.03

    def __post_init__(self) -> None:
        require_up_to(MOST, mellowness=self.mellowness)

    def _learner(self, problem: Problem) -> Learner:
        return RegCBLearner(problem, self.model, self.mellowness)

"""SquareCB (Foster and Rakhlin, 2020): inverse gap weighting of an online regression."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bandstrap.models import Learner, Model
from bandstrap.policies.contextual.gaps.weighting import Gamma, GapLearner
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.priors import ExamplePrior, NoExamples
from bandstrap.problem import Problem
from bandstrap.resampling import NoResampling
from bandstrap.storage.registry import saved


@saved
@dataclass(frozen=True)
class SquareCB(LearnerPolicy):
    """The arm that the model likes best, others the rarer the more they seem to lose.

    With K arms, one that is expected to pay `gap` less than the best is pulled with probability
    1 / (K + γ gap). A large γ is greedy, a small one pulls all arms alike. Gaps are in units of the
    support's length, if it has one. The published γ knows the horizon; here the rewards learnt so
    far stand for it. They fade when rewards do (`HalfLife`).

    >>> import numpy as np
    >>> from bandstrap import LinearRegression
    >>> policy, rng = SquareCB(LinearRegression()), np.random.default_rng(0)
    >>> state = policy.start(Problem(n_arms=2, n_features=1))
    >>> for _ in range(200):
    ...     x = rng.choice([-1.0, 1.0], (1, 1))
    ...     arm = policy.select(state, x, rng)
    ...     policy.update(state, x, arm, (x[:, 0] > 0) == arm)
    >>> everything = np.ones((1, 2), dtype=bool)
    >>> policy.probabilities(state, np.array([[1.0]]), everything).round(2).tolist()
    [0.01, 0.99]
    """

    model: Model
    gamma: Gamma = field(default_factory=Gamma)
    prior: ExamplePrior = field(default_factory=NoExamples)

    @property
    def _reads_tables(self) -> bool:
        return self.model.reads_tables

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        super().check(problem, rewards)
        self.model.check(problem.support, NoResampling(), rewards)

    def _learner(self, problem: Problem) -> Learner:
        learner = self.model.learner(problem, NoResampling(), self.prior)
        return GapLearner(problem, self.gamma, learner)

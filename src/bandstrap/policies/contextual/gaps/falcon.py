"""FALCON (Simchi-Levi and Xu, 2021): inverse gap weighting, and a new model at each epoch."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bandstrap.arrays import Array, Rng
from bandstrap.models import Learner, Model
from bandstrap.models.base import learn_reward
from bandstrap.models.features import Examples, verify_rows
from bandstrap.policies.contextual.gaps.weighting import Gamma, GapLearner
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.priors import ExamplePrior, NoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped_list
from bandstrap.resampling import NoResampling
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import ListOf, Of, Real, Schema

ROUNDING = 1e-9  # of sums of weights


@saved
class FALCONLearner(GapLearner):
    """A model that learns at the end of an epoch; what comes in between waits, by arm.

    `rounds` counts the rewards that the model has learnt and `waiting` those that wait, as far as
    they still count.
    """

    schema = Schema(rows=ListOf(Of(Examples), "arms"), waiting=Real(low=0.0))

    def verify_problem(self, problem: Problem) -> None:
        super().verify_problem(problem)
        verify_rows(self.rows, problem)

    def __init__(self, problem: Problem, gamma: Gamma, learner: Learner) -> None:
        super().__init__(problem, gamma, learner)
        self.rows = [Examples(problem.n_features) for _ in range(problem.n_arms)]
        self.waiting = 0.0

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        self.rows[arm].add(context, reward, weight)
        self.waiting += weight
        if self.waiting >= (1.0 - ROUNDING) * self.rounds:  # after 1, 2, 4, 8 … rewards
            self._end_epoch(rng)

    def _end_epoch(self, rng: Rng | None) -> None:
        for arm, rows in enumerate(self.rows):
            for context, reward, weight in zip(
                rows.contexts, rows.rewards.tolist(), rows.weights.tolist(), strict=True
            ):
                learn_reward(self.learner, context, arm, reward, rng, weight)
        self.rows = [Examples(self.problem.n_features) for _ in self.rows]
        self.rounds, self.waiting = self.rounds + self.waiting, 0.0

    def discount(self, factor: float) -> None:
        super().discount(factor)
        self.waiting *= factor
        for rows in self.rows:
            rows.keep(rows.fade(factor))

    def remap_arms(self, fresh: "FALCONLearner", before: ArmMap) -> None:  # type: ignore[override]
        super().remap_arms(fresh, before)
        self.rows = remapped_list(self.rows, fresh.rows, before)
        self.waiting = float(sum(rows.weights.sum() for rows in self.rows))


@saved
@dataclass(frozen=True)
class FALCON(LearnerPolicy):
    """Inverse gap weighting as in `SquareCB`, by a model that is renewed when rewards have doubled.

    In between neither the model nor γ changes, and decisions depend on contexts alone. At the end
    of an epoch the model learns the rewards of the epoch: for a regression that is solved, like
    `LogisticRegression`, that is the fit to all rewards so far which the authors call for; an
    online model approximates it, and a network takes its steps at the decisions that follow. The
    first epoch is one reward, and later ones are as long as all before.

    >>> import numpy as np
    >>> from bandstrap import LinearRegression
    >>> policy, rng = FALCON(LinearRegression()), np.random.default_rng(0)
    >>> state = policy.start(Problem(n_arms=2, n_features=1))
    >>> for x in rng.choice([-1.0, 1.0], (300, 1, 1)):
    ...     arms = policy.select(state, x, rng)
    ...     policy.update(state, x, arms, (x[:, 0] > 0) == arms)
    >>> state.learners[0].rounds, state.learners[0].waiting
    (256.0, 44.0)
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
        return FALCONLearner(problem, self.gamma, learner)

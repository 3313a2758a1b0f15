"""What all ways to bootstrap an estimator have in common: rows by arm, and how arms are scored."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bandstrap.models.base import Learner
from bandstrap.models.estimator_fit import Fit, Fitter
from bandstrap.models.features import Rows, as_numbers
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling

SEEDS = 2**63
STATES = 2**31 - 1  # estimators take a random state of so many bits


@dataclass(frozen=True)
class Setting:
    """What a learner is made from."""

    model: Any  # holds the estimator as the user gave it
    fitter: Fitter
    problem: Problem
    resampling: Resampling
    prior: ExamplePrior
    replicas: int


class EstimatorLearner(Learner):
    def __init__(self, setting: Setting) -> None:
        problem = setting.problem
        self.model = setting.model
        self.fitter = setting.fitter
        self.resampling = setting.resampling
        self.rows = [Rows(problem.n_features) for _ in range(problem.n_arms)]
        self.pseudo = setting.prior.start(problem)
        self.pseudo_rewards()

    def pseudo_rewards(self) -> None:
        """Refuse pseudo-examples whose rewards are no classes."""
        for reward in set(self.pseudo.rewards.tolist()):
            self.fitter.check(reward)

    def learn(
        self, context: np.ndarray, arm: int, reward: float, rng: np.random.Generator | None
    ) -> None:
        self.fitter.check(reward)
        self.pseudo.see(context)
        self.rows[arm].add(context, reward)

    def examples(self, arm: int, count: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Pseudo-examples, then the arm's first `count` rows, or all."""
        rows = self.rows[arm]
        contexts = np.concatenate([self.pseudo.contexts, as_numbers(rows.contexts[:count])])
        return contexts, np.concatenate([self.pseudo.rewards, rows.rewards[:count]])

    def expected(self, fits: list[Fit | None], context: np.ndarray) -> np.ndarray:
        """What each arm's fit expects; an arm without any example is tried first."""
        table = self.fitter.table(as_numbers(context)[None])
        return np.array(
            [np.inf if fit is None else self.fitter.expected(fit, table) for fit in fits]
        )

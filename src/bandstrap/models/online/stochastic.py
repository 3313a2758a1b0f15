"""The paper's procedure: warm-started stochastic gradient descent, stopped early."""

from abc import ABC
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.codes import LINEAR, LOGISTIC
from bandstrap.kernels.convex.stochastic import descend
from bandstrap.models.base import Learner
from bandstrap.models.checks import (
    check_shares,
    check_unit_support,
    checked_contexts,
    checked_examples,
    checked_start,
)
from bandstrap.models.eigen import EigenLearner
from bandstrap.models.features import as_numbers, unit_of
from bandstrap.models.link import IDENTITY, SIGMOID, Link
from bandstrap.models.refit import WeightedModel
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling
from bandstrap.seeding import kernel_stream
from bandstrap.storage.schema import ArrayOf
from bandstrap.validation import require_positive, require_within

MOST_PASSES = 10_000  # of one fit; each decision takes several fits
FURTHEST = 1e40  # a parameter may get: the first step is about 10 times as long as contexts


@dataclass(frozen=True)
class StochasticModel(WeightedModel[np.ndarray], ABC):
    """Gradient descent one random row at a time, from the last draw, as scikit-learn does it.

    A fit stops when the unweighted training loss per row has not fallen by `threshold` below its
    best in `patience` passes, or after `passes` of them, both 10,000 at most. Steps start large
    again in every fit.
    `penalty` is the L2 penalty per row; intercepts are free of it. A fit holds the parameters, the
    intercept last.
    """

    threshold: float = 1e-3
    penalty: float = 1e-4
    patience: int = 5
    passes: int = 1000
    loss: ClassVar[int]
    link: ClassVar[Link] = IDENTITY
    precision: ClassVar[type[np.floating[Any]]] = np.float64

    def __post_init__(self) -> None:
        require_positive(threshold=self.threshold, penalty=self.penalty)
        require_within(1, MOST_PASSES, patience=self.patience, passes=self.passes)

    def fit(
        self, contexts: Array, rewards: Array, weights: Array, start: Array | None, rng: Rng
    ) -> Array:
        contexts, rewards, weights = checked_examples(contexts, rewards, weights)
        self.check_rewards(rewards)
        if start is not None:
            start = checked_start(start, contexts.shape[1] + 1)
        start = self.start(contexts.shape[1], rng) if start is None else start
        none = np.zeros((0, contexts.shape[1]))
        return self.descend(none[:, 0], none, contexts, rewards, weights, start, rng)

    def start(self, n_features: int, rng: Rng) -> Array:
        return np.zeros(n_features + 1)

    def rotated(self, fit: Array, rotation: Array) -> Array:
        return np.append(rotation.T @ fit[:-1], fit[-1])

    def descend(
        self,
        lengths: Array,
        pseudo: Array,
        contexts: Array,
        rewards: Array,
        weights: Array,
        start: Array,
        rng: Rng,
    ) -> Array:
        """A fit to examples that need not be copied into one array; see `Rotatable`."""
        theta = start.copy()
        passes = descend(
            kernel_stream(rng),
            self.loss,
            (self.penalty, self.threshold, self.patience, self.passes),
            theta,
            lengths,
            pseudo,
            contexts,
            unit_of(contexts),
            rewards,
            weights,
            np.empty(rewards.size, dtype=np.int64),
            np.empty(theta.size),
        )
        if passes < 0:
            raise InvalidInput(
                "contexts",
                float(np.abs(as_numbers(contexts)).max(initial=0.0)),
                "stochastic steps on values this large diverge; standardise features",
            )
        return theta

    def predict(self, fit: Array, contexts: Array) -> Array:
        return self.link.expected(self.margins(fit, checked_contexts(contexts)))

    def margins(self, fit: Array, contexts: Array) -> Array:
        margins: Array = as_numbers(contexts) @ fit[:-1] + fit[-1]
        return margins

    def verify_fit(self, fit: Any, n_features: int) -> None:
        ArrayOf(np.float64, n_features + 1, low=-FURTHEST, high=FURTHEST).check(fit, {})

    def check_rewards(self, rewards: Array) -> None:
        """Refuse rewards that the loss is not defined for."""

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return EigenLearner(self, problem, resampling, prior)


@dataclass(frozen=True)
class StochasticLinearRegression(StochasticModel):
    """Least squares by the steps of scikit-learn's `SGDRegressor`.

    >>> contexts, rng = np.array([[-1.0], [0.0], [1.0]]), np.random.default_rng(0)
    >>> model = StochasticLinearRegression(threshold=1e-9)
    >>> fit = model.fit(contexts, 0.5 + 0.2 * contexts[:, 0], np.ones(3), None, rng)
    >>> bool(abs(model.predict(fit, contexts)[2] - 0.7) < 0.01)
    True
    """

    loss: ClassVar[int] = LINEAR


@dataclass(frozen=True)
class StochasticLogisticRegression(StochasticModel):
    """Logistic regression by the steps of scikit-learn's `SGDClassifier` with its log-loss.

    Rewards may lie anywhere in [0, 1].

    >>> contexts, rng = np.array([[-1.0], [1.0]]), np.random.default_rng(0)
    >>> model = StochasticLogisticRegression()
    >>> fit = model.fit(contexts, np.array([0.0, 1.0]), np.ones(2), None, rng)
    >>> model.predict(fit, contexts).round().tolist()
    [0.0, 1.0]
    """

    loss: ClassVar[int] = LOGISTIC
    link: ClassVar[Link] = SIGMOID

    def check_rewards(self, rewards: Array) -> None:
        check_shares(rewards, "a logistic model takes rewards in [0, 1]: rescale")

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        check_unit_support(problem.support, self)
        return super().learner(problem, resampling, prior)

"""The paper's procedure: warm-started stochastic gradient descent, stopped early."""

from abc import ABC
from dataclasses import dataclass, field
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
from bandstrap.models.eigen import EigenLearner, RotatedExamples
from bandstrap.models.features import as_numbers, unit_of
from bandstrap.models.link import IDENTITY, SIGMOID, Link
from bandstrap.models.refit import WeightedModel
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Resampling
from bandstrap.seeding import kernel_stream
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import ArrayOf
from bandstrap.validation import require_positive, require_within

MOST_PASSES = 10_000  # of one fit; each decision takes several fits
MOST_STEPS = 10**8  # of a pass over repeated rows
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
        examples = RotatedExamples(none[:, 0], none, contexts, rewards, weights)
        return self.descend(examples, start, rng)

    def start(self, n_features: int, rng: Rng) -> Array:
        return np.zeros(n_features + 1)

    def rotated(self, fit: Array, rotation: Array) -> Array:
        return np.append(rotation.T @ fit[:-1], fit[-1])

    def descend(
        self, examples: RotatedExamples, start: Array, rng: Rng, counts: Array | None = None
    ) -> Array:
        """A fit to examples that need not be copied into one array; see `Rotatable`.

        `counts` are how often a pass takes each of them: once, if there are none.
        """
        lengths, pseudo, contexts, rewards, weights = examples
        order = np.arange(rewards.size)
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
            order if counts is None else np.repeat(order, counts),
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

    def check_support(self, support: Support) -> None:
        """Refuse a support with such rewards."""

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        self.check_support(problem.support)
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

    def check_support(self, support: Support) -> None:
        check_unit_support(support, self)


@saved
@dataclass(frozen=True)
class RepeatedRows(WeightedModel[np.ndarray]):
    """A stochastic model that takes a row of weight w for w rows, each a step of weight 1.

    So a resample is fit as if its rows were copied. Where w is not whole, a pass takes ⌈w⌉ steps of
    equal weight; a row of weight 0 is left out, and does not shrink parameters either.

    >>> contexts, rng = np.array([[-1.0], [1.0]]), np.random.default_rng(0)
    >>> model = RepeatedRows(StochasticLogisticRegression())
    >>> fit = model.fit(contexts, np.array([0.0, 1.0]), np.array([2.0, 3.0]), None, rng)
    >>> model.predict(fit, contexts).round().tolist()
    [0.0, 1.0]
    """

    model: StochasticModel = field(default_factory=StochasticLogisticRegression)

    @property
    def link(self) -> Link:
        return self.model.link

    @property
    def precision(self) -> type[np.floating[Any]]:
        return self.model.precision

    def fit(
        self, contexts: Array, rewards: Array, weights: Array, start: Array | None, rng: Rng
    ) -> Array:
        contexts, rewards, weights = checked_examples(contexts, rewards, weights)
        counts, shares = _steps(weights)
        contexts, rewards = np.repeat(contexts, counts, axis=0), np.repeat(rewards, counts)
        return self.model.fit(contexts, rewards, np.repeat(shares, counts), start, rng)

    def start(self, n_features: int, rng: Rng) -> Array:
        return self.model.start(n_features, rng)

    def rotated(self, fit: Array, rotation: Array) -> Array:
        return self.model.rotated(fit, rotation)

    def descend(self, examples: RotatedExamples, start: Array, rng: Rng) -> Array:
        counts, shares = _steps(examples.weights)
        return self.model.descend(examples._replace(weights=shares), start, rng, counts)

    def predict(self, fit: Array, contexts: Array) -> Array:
        return self.model.predict(fit, contexts)

    def margins(self, fit: Array, contexts: Array) -> Array:
        return self.model.margins(fit, contexts)

    def verify_fit(self, fit: Any, n_features: int) -> None:
        self.model.verify_fit(fit, n_features)

    def check_rewards(self, rewards: Array) -> None:
        self.model.check_rewards(rewards)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        self.model.check_support(problem.support)
        return EigenLearner(self, problem, resampling, prior)


def _steps(weights: Array) -> tuple[Array, Array]:
    """How often rows of these weights are taken, and the weight of each time."""
    total = float(weights.sum())
    if total > MOST_STEPS:
        raise InvalidInput("weights", total, f"rows are repeated: give at most {MOST_STEPS:,}")
    counts = np.ceil(weights).astype(np.int64)
    return counts, weights / np.maximum(counts, 1)

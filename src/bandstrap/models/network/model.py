"""The paper's network: one hidden layer, one network per arm, one pass over history per round."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.models.base import Learner
from bandstrap.models.checks import check_unit_support, checked_contexts, checked_examples
from bandstrap.models.features import as_numbers
from bandstrap.models.network.layers import (
    MOST_BATCH,
    MOST_UNITS,
    Layers,
    check_parameters,
    check_rate,
    check_size,
    sigmoid,
)
from bandstrap.models.refit import WeightedModel
from bandstrap.one_thread import ONE_BLAS_THREAD
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import require
from bandstrap.validation import require_within


@dataclass(frozen=True)
class NeuralNetwork(WeightedModel[Layers]):
    """One hidden layer of ReLU units and a sigmoid output, trained by weighted SGD on log loss.

    The defaults are those of the paper's experiments: 100 units, Glorot uniform weights, learning
    rate 0.01, shuffled batches of 32. A fit is one pass over the examples from where the last
    ended; a batch's step is the mean of its weighted gradients. It costs as much as history is
    long: see `Budgeted` and `SharedNetwork`. Contexts are taken as they are and should be of the
    order of one.

    >>> from bandstrap.policies import ContextualEpsilonGreedy
    >>> policy = ContextualEpsilonGreedy(NeuralNetwork(hidden=8))
    >>> state = policy.start(Problem(2, n_features=3))
    >>> rng = np.random.default_rng(1)
    >>> for _ in range(4):
    ...     arms = policy.select(state, np.ones((1, 3)), rng)
    ...     policy.update(state, np.ones((1, 3)), arms, 1.0 - arms)
    """

    hidden: int = 100
    learning_rate: float = 0.01
    batch: int = 32

    def __post_init__(self) -> None:
        require_within(1, MOST_UNITS, hidden=self.hidden)
        require_within(1, MOST_BATCH, batch=self.batch)
        check_rate(self.learning_rate)

    def check_context(self, contexts: Array) -> None:
        check_size(contexts)

    def verify_fit(self, fit: Any, n_features: int) -> None:
        known = type(fit) is Layers and fit.sizes == (n_features, self.hidden, 1)
        require(known, "a fit is of another network")

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        check_unit_support(problem.support, self)
        check_parameters((problem.n_features, self.hidden, 1), problem.n_arms)
        return super().learner(problem, resampling, prior)

    def fit(
        self, contexts: Array, rewards: Array, weights: Array, start: Layers | None, rng: Rng
    ) -> Layers:
        contexts, rewards, weights = checked_examples(contexts, rewards, weights)
        contexts = as_numbers(contexts)
        self.check_context(contexts)
        sizes = (contexts.shape[1], self.hidden, 1)
        start = Layers.glorot(sizes, rng) if start is None else start
        if start.sizes != sizes:
            raise InvalidInput("start", start.sizes, "give an earlier fit to such contexts")
        fit = Layers(start.sizes, start.flat.copy())
        order = rng.permutation(len(rewards))
        inputs = contexts.astype(fit.flat.dtype)
        with ONE_BLAS_THREAD, np.errstate(over="ignore", invalid="ignore"):  # checked below
            for first in range(0, len(order), self.batch):
                rows = order[first : first + self.batch]
                values = fit.values(inputs[rows])
                errors = sigmoid(values[-1]) - rewards[rows, None]
                slopes = weights[rows, None] * errors / len(rows)
                gradient = fit.gradient(values, slopes.astype(fit.flat.dtype))
                fit.flat -= fit.flat.dtype.type(self.learning_rate) * gradient
        if not np.isfinite(fit.flat).all():
            raise InvalidInput("learning_rate", self.learning_rate, "steps overflow: lower it")
        return fit

    def predict(self, fit: Layers, contexts: Array) -> Array:
        inputs = as_numbers(checked_contexts(contexts)).astype(fit.flat.dtype)
        with np.errstate(over="ignore"):
            logits = fit.values(inputs)[-1][:, 0]
        return sigmoid(logits.astype(np.float64))

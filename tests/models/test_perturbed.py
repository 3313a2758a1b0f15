"""A draw in which no example counts is no draw: it is drawn again, whatever the model."""

import numpy as np
import pytest

from bandstrap.models import (
    Budgeted,
    DecisionTree,
    LogisticRegression,
    NeuralNetwork,
    SharedNetwork,
    StochasticLogisticRegression,
    WeightedModel,
)
from bandstrap.models.features import perturbed
from bandstrap.policies import ContextualBootstrap
from bandstrap.priors import NoExamples
from bandstrap.problem import Problem, Support
from bandstrap.resampling import DoubleOrNothing, Poisson

SMALL = NeuralNetwork(hidden=4)


class Mean(WeightedModel[float]):
    """The weighted mean, which there is none of without a weight."""

    def fit(self, contexts, rewards, weights, start, rng):
        assert weights.any()
        return float(weights @ rewards / weights.sum())

    def predict(self, fit, contexts):
        return np.full(len(contexts), fit)


@pytest.mark.parametrize("scheme", [Poisson(), DoubleOrNothing()])
@pytest.mark.parametrize(
    "model",
    [DecisionTree(), SMALL, Budgeted(SMALL), SharedNetwork(4), LogisticRegression(),
     StochasticLogisticRegression(), Mean()],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_a_run_does_not_stop(model, scheme):
    policy = ContextualBootstrap(scheme, model, NoExamples())
    state, rng = policy.start(Problem(2, 3, Support.binary())), np.random.default_rng(3)
    for _ in range(30):
        x = rng.standard_normal((1, 3))
        arms = policy.select(state, x, rng)
        policy.update(state, x, arms, (arms == 0) * 1.0, rng)


def test_some_example_always_counts():
    rng = np.random.default_rng(0)
    weights = [perturbed(DoubleOrNothing(), np.ones(1), rng)[1][0] for _ in range(50)]
    assert set(weights) == {2.0}
    assert perturbed(Poisson(), np.zeros(0), rng)[1].size == 0

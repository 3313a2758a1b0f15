"""Networks that would take all memory, or rounds that would take for ever, are refused."""

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    Budgeted,
    ContextualEpsilonGreedy,
    InvalidInput,
    LogisticRegression,
    NetworkHeads,
    NeuralNetwork,
    SharedNetwork,
    Support,
)
from bandstrap.models.network.shared import LangevinNetwork


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: NeuralNetwork(hidden=10**9), "hidden"),
        (lambda: NeuralNetwork(hidden=True), "hidden"),
        (lambda: NeuralNetwork(hidden=2.5), "hidden"),
        (lambda: NeuralNetwork(batch=10**12), "batch"),
        (lambda: NeuralNetwork(learning_rate=1e300), "learning_rate"),
        (lambda: SharedNetwork(layers=10**9), "layers"),
        (lambda: SharedNetwork(examples=10**9), "examples"),
        (lambda: Budgeted(examples=10**9), "examples"),
        (lambda: Budgeted(NeuralNetwork(batch=100_000)), "batch"),
        (lambda: NetworkHeads(heads=10**9), "heads"),
        (lambda: NetworkHeads(spread=1e308), "spread"),
        (lambda: NetworkHeads(LogisticRegression()), "network = .*SharedNetwork"),
        (lambda: LangevinNetwork(spread=5e-324), "spread"),
    ],
)
def test_sizes_have_an_end(make, named):
    with pytest.raises(InvalidInput, match=named):
        make()


@pytest.mark.parametrize(
    "model",
    [
        NeuralNetwork(hidden=100_000),
        SharedNetwork(hidden=100_000),
        SharedNetwork(hidden=3000, examples=10_000),
        NetworkHeads(SharedNetwork(hidden=1, examples=10_000), heads=200),
        Budgeted(NeuralNetwork(hidden=100_000)),
    ],
    ids=repr,
)
def test_networks_that_no_memory_holds_are_refused_before_it_is_taken(model):
    policy = ContextualEpsilonGreedy(model)
    bandit = Bandit(policy, arms=[*range(60)], seed=1, rewards=Support.binary())
    with pytest.raises(InvalidInput, match="parameters"):
        bandit.decide(np.zeros(100))

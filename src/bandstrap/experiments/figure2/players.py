"""Policies that only readings of the paper need, and the curves that they play."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.contexts import as_numbers
from bandstrap.environments import Labelled
from bandstrap.models import (
    Model,
    RepeatedRows,
    StochasticLinearRegression,
    StochasticLogisticRegression,
)
from bandstrap.policies import Policy
from bandstrap.policies.contextual.bootstrap import ContextualBootstrap
from bandstrap.policies.contextual.greedy import ContextualEpsilonGreedy
from bandstrap.policies.contextual.tree_heuristic import TreeHeuristic
from bandstrap.policies.forced_pulls import ForcedPulls
from bandstrap.policies.registry import CONTEXTUAL, SCHEDULES
from bandstrap.priors import EigenExamples, GaussianExamples, NoExamples
from bandstrap.resampling import Exponential, Multinomial, Resampling

Maker = Callable[[Labelled], Policy[Any]]
LINEAR = ("ucb-lin", "eg-lin", "npb-lin", "wb-lin")
LOGISTIC = ("eg-log", "npb-log", "wb-log")
NETWORKS = ("eg-nn", "npb-nn", "wb-nn")
SOLVED = ("eg-lin", "eg-log")  # ε-greedy on fits that are solved
GAUSSIAN = "wb-log-random-prior"  # the curve of C12
ENSEMBLE = "ensemble-log"
TREES = ("tree-heuristic", "npb-tree")


def _bare(name: str) -> Maker:
    """The policy of a name, without pseudo-examples."""
    return lambda world: CONTEXTUAL[name](NoExamples())


def _gaussian(examples: int, rms: bool) -> Maker:
    """`examples` times d pseudo-examples: each context is one with reward 0 and one with 1."""

    def made(world: Labelled) -> Policy[Any]:
        contexts = world.data.contexts
        count = max(1, examples * contexts.shape[1] // 2)
        scale = root_mean_square(contexts) if rms else 1.0
        return CONTEXTUAL["wb-log"](GaussianExamples(count, scale))

    return made


def root_mean_square(contexts: Array) -> float:
    """Of all numbers in a table, by columns: pixels are kept as bytes."""
    columns = (as_numbers(column) for column in contexts.T)
    return float(np.sqrt(np.mean([np.square(each, dtype=np.float64).mean() for each in columns])))


def _optimised(word: str, patience: int) -> dict[str, Maker]:
    """The paper's procedure, whose fits stop after `patience` passes without improvement."""
    made: dict[str, Maker] = {}
    for name, model in (
        ("lin", StochasticLinearRegression(patience=patience)),
        ("log", StochasticLogisticRegression(patience=patience)),
    ):
        made[f"eg-{name}-{word}"] = _always(ContextualEpsilonGreedy(model))
        for family, resampling in (("npb", Multinomial()), ("wb", Exponential())):
            made[f"{family}-{name}-{word}"] = _bootstrap(resampling, model)
        made[f"npb-{name}-{word}-repeated"] = _bootstrap(Multinomial(), RepeatedRows(model))
    return made


def _always(policy: Policy[Any]) -> Maker:
    return lambda world: policy


def _bootstrap(resampling: Resampling, model: Model) -> Maker:
    return lambda world: ContextualBootstrap(resampling, model, EigenExamples(world.covariance))


# Policies that only readings need; the others are in the registry.
BARE: dict[str, Maker] = {f"{name}-bare": _bare(name) for name in (*SOLVED, *SCHEDULES)}
GAUSSIANS: dict[str, Maker] = {
    f"{GAUSSIAN}-d": _gaussian(1, rms=False),
    f"{GAUSSIAN}-d-rms": _gaussian(1, rms=True),
    f"{GAUSSIAN}-4d-rms": _gaussian(4, rms=True),
}
OPTIMISED = {**_optimised("paper", 5), **_optimised("paper-first", 1)}
PLAYERS: dict[str, Maker] = {
    **BARE,
    "eg-nn-bare": _bare("eg-nn"),
    **GAUSSIANS,
    **{name: made for name, made in OPTIMISED.items() if name not in CONTEXTUAL},
    "tree-heuristic-30": _always(TreeHeuristic(pulls=30)),
    "npb-tree-30": _always(ForcedPulls(30, CONTEXTUAL["npb-tree"](NoExamples()))),
}
KNOWN = (*CONTEXTUAL, *PLAYERS)


def policy_of(name: str, world: Labelled) -> Policy[Any]:
    """The policy of a name, for this world's contexts."""
    if name in PLAYERS:
        return PLAYERS[name](world)
    return CONTEXTUAL[name](EigenExamples(world.covariance))

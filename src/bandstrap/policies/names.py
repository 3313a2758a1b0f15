"""A name for each policy that looks at contexts, as figures and the command line use it.

Policies are made from a prior, which depends on the contexts. Without a further word a name means
what the paper means: `-log` and `-lin` are solved to its threshold of 10⁻³, `-nn` takes one pass
over the history a round; `-log-paper` is its stochastic optimisation, step by step. Whatever
approximates that carries another word, as in `wb-log-onestep`.
"""

from collections.abc import Callable
from typing import Any

from bandstrap.models import (
    Budgeted,
    DecisionTree,
    GaussianLimit,
    Grouped,
    LinearRegression,
    LogisticRegression,
    Model,
    NetworkHeads,
    NeuralNetwork,
    OneStep,
    OnlineLogistic,
    Replicas,
    SharedNetwork,
    StochasticLogisticRegression,
)
from bandstrap.policies.base import Policy
from bandstrap.policies.contextual.bootstrap import ContextualBootstrap
from bandstrap.policies.contextual.glm_ucb import GLMUCB
from bandstrap.policies.contextual.greedy import ContextualEpsilonGreedy
from bandstrap.policies.contextual.langevin import Langevin
from bandstrap.policies.contextual.laplace_thompson import LaplaceThompson
from bandstrap.policies.contextual.lin_thompson import FixedSpread, LinThompson
from bandstrap.policies.contextual.lin_ucb import FixedWidth, LinUCB
from bandstrap.policies.contextual.online_ensemble import OnlineEnsemble
from bandstrap.policies.contextual.tree_heuristic import TreeHeuristic
from bandstrap.policies.schedules import Constant, Decay, Schedule
from bandstrap.priors import ExamplePrior, GaussianExamples, NoExamples
from bandstrap.resampling import Exponential, GaussianNoise, Multinomial, NoResampling, Resampling

Maker = Callable[[ExamplePrior], Policy[Any]]

_LINEAR = LinearRegression()
_LOGISTIC = LogisticRegression()
# Pseudo-examples keep the heads of arms' own networks apart: they need no wide start for it.
_ARM_HEADS = NetworkHeads(Budgeted(), spread=0.3)


def greedy(model: Model, schedule: Schedule | None = None) -> Maker:
    """Epsilon-greedy; it is given the bootstraps' prior, so that only exploration differs."""
    return lambda prior: ContextualEpsilonGreedy(model, schedule or Decay(50.0), prior)


def _wb(model: Model) -> Maker:
    return _bootstrap(Exponential(), model)


def _npb(model: Model) -> Maker:
    return _bootstrap(Multinomial(), model)


def _bootstrap(resampling: Resampling, model: Model) -> Maker:
    return lambda prior: ContextualBootstrap(resampling, model, prior)


# The rivals of eg-log's 50 / (50 + t): c / (c + t) with other c, and constants.
SCHEDULES: dict[str, Maker] = {
    **{f"eg-log-c{c}": greedy(_LOGISTIC, Decay(c)) for c in (5, 15, 150, 500)},
    **{f"eg-log-{e:g}": greedy(_LOGISTIC, Constant(e)) for e in (0.0, 0.01, 0.05, 0.1)},
}

CONTEXTUAL: dict[str, Maker] = {
    "ucb-lin": lambda prior: LinUCB(),
    "ucb-lin-fixed": lambda prior: LinUCB(FixedWidth(1.0)),
    "ts-lin": lambda prior: LinThompson(),
    "ts-lin-fixed": lambda prior: LinThompson(FixedSpread(1.0)),
    "eg-lin": greedy(_LINEAR),
    "npb-lin": _npb(_LINEAR),
    "wb-lin": _wb(_LINEAR),
    "wb-lin-additive": _bootstrap(GaussianNoise(), _LINEAR),
    "eg-log": greedy(_LOGISTIC),
    "npb-log": _npb(_LOGISTIC),
    "wb-log": _wb(_LOGISTIC),
    "npb-log-paper": _npb(StochasticLogisticRegression()),
    "wb-log-paper": _wb(StochasticLogisticRegression()),
    "npb-log-onestep": _npb(OneStep(_LOGISTIC)),
    "wb-log-onestep": _wb(OneStep(_LOGISTIC)),
    "npb-log-gaussian": _npb(GaussianLimit(_LOGISTIC)),
    "wb-log-gaussian": _wb(GaussianLimit(_LOGISTIC)),
    "npb-log-grouped": _npb(Grouped(_LOGISTIC)),
    "wb-log-grouped": _wb(Grouped(_LOGISTIC)),
    "wb-log-replicas": _wb(Replicas(OnlineLogistic())),
    "wb-log-gauss-prior": lambda prior: ContextualBootstrap(
        Exponential(), _LOGISTIC, GaussianExamples()
    ),
    "eg-nn": greedy(NeuralNetwork()),
    "npb-nn": _npb(NeuralNetwork()),
    "wb-nn": _wb(NeuralNetwork()),
    "eg-nn-budgeted": greedy(Budgeted()),
    "npb-nn-budgeted": _npb(_ARM_HEADS),
    "wb-nn-budgeted": _wb(_ARM_HEADS),
    "eg-nn-shared": greedy(SharedNetwork()),
    "wb-nn-shared": _wb(SharedNetwork()),
    "wb-nn-heads": _wb(NetworkHeads()),
    # Heads that differ only by where they started: what their number alone explores.
    "heads-nn": lambda prior: ContextualBootstrap(NoResampling(), NetworkHeads(), NoExamples()),
    "glm-ucb": lambda prior: GLMUCB(),
    "ts-laplace": lambda prior: LaplaceThompson(),
    "ts-langevin-nn": lambda prior: Langevin(prior=prior),
    "tang": lambda prior: OnlineEnsemble(),
    "tree-heuristic": lambda prior: TreeHeuristic(),
    "tree-bootstrap-fresh": lambda prior: ContextualBootstrap(
        Multinomial(), DecisionTree(), NoExamples()
    ),
    **SCHEDULES,
}

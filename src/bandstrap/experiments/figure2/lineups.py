"""Who plays CovType and MNIST, and for how long: figure 2, and the runs whose rounds are timed."""

from bandstrap.experiments.lineup import Lineup
from bandstrap.policies.registry import SCHEDULES, named

_LINEAR = named(model="linear", variant="")
_WIDTHS = named(model="linear", variant="fixed")
_LOGISTIC = named(model="logistic", variant="")
_PAPER = named(variant="paper")
_FAST = ("wb-log-onestep", "wb-log-gaussian", "wb-log-grouped", "wb-log-replicas")
_NETWORKS = named(model="network", variant="")
_BUDGETED = named(variant="budgeted")
_SHARED = ("wb-nn-shared", "wb-nn-heads")
_TREES = named(model="tree")
_RIVALS = ("glm-ucb", "ts-laplace", "ts-langevin-nn")

# Rounds of the costly policies are such that both data sets take about two hours on two cores.
# Those that can play a tenth of the paper's rounds play so many, which is enough to decide; fewer
# decide nothing however many they are, and are kept few.
_TENTH = 5100  # of which the first 5,038 count: rounds are recorded at some points only
COVTYPE = Lineup(
    "covtype",
    full=(
        *_LINEAR,
        *_WIDTHS,
        *_LOGISTIC,
        "wb-log-random-prior",
        *_FAST,
        *_BUDGETED,
        "ensemble-nn",
        "ensemble-log",
        *SCHEDULES,  # a tenth would favour those that explore least
    ),
    reduced={
        **dict.fromkeys((*_SHARED, *_RIVALS), 10_000),
        **dict.fromkeys(_TREES, _TENTH),
        **dict.fromkeys(_NETWORKS, 2000),
        **dict.fromkeys(_PAPER, 2000),
    },
)

MNIST = Lineup(
    "mnist",
    full=("ucb-lin", "eg-log", "wb-log-gaussian", "wb-log-replicas", "ensemble-nn", "ensemble-log"),
    reduced={
        **dict.fromkeys((*_LOGISTIC[1:], "wb-log-grouped"), _TENTH),
        **dict.fromkeys((*_BUDGETED, *_SHARED, *_RIVALS, *SCHEDULES, _TREES[0]), _TENTH),
        **dict.fromkeys((*_LINEAR[1:], *_WIDTHS), 500),
        **dict.fromkeys(("wb-log-random-prior", "wb-log-onestep"), 500),
        **dict.fromkeys((*_NETWORKS, _TREES[1]), 100),
        **dict.fromkeys(_PAPER, 15),
    },
)

"""Figure 2: reward per step with contexts, on CovType (C9) and on MNIST (C10), and C12 to C14."""

from collections.abc import Collection
from pathlib import Path
from typing import ClassVar

from bandstrap.experiments.base import Claim, Experiment, Settings
from bandstrap.experiments.figure2_plot import draw
from bandstrap.experiments.figure2_verdicts import Asked, verdicts
from bandstrap.experiments.lineup import Lineup
from bandstrap.policies.contextual import CONTEXTUAL, SCHEDULES
from bandstrap.simulation import Runner, Trace


class Figure2(Experiment):
    """A data set of several classes, one versus all: 50,000 rounds, 5 runs."""

    known: ClassVar[Collection[str]] = CONTEXTUAL
    lineup: ClassVar[Lineup]

    def prepare(self, settings: Settings) -> None:
        assert self.lineup.environment(settings).data  # or it says where to put which file

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        size = settings.size(full=(5, 50_000), quick=(2, 300))
        return runner.run(self.lineup.cells(self.name, settings, size))

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        return verdicts(Asked(self.lineup.dataset), {trace.policy: trace for trace in traces})

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        draw(self.title, traces, path)


_LINEAR = ("ucb-lin", "ts-lin", "eg-lin", "npb-lin", "wb-lin")
_WIDTHS = ("ucb-lin-fixed", "ts-lin-fixed")
_LOGISTIC = ("eg-log", "npb-log", "wb-log")
_PAPER = ("npb-log-paper", "wb-log-paper")
_FAST = ("wb-log-onestep", "wb-log-gaussian", "wb-log-grouped", "wb-log-replicas")
_NETWORKS = ("eg-nn", "npb-nn", "wb-nn")
_BUDGETED = (
    "eg-nn-budgeted",
    "npb-nn-budgeted",
    "wb-nn-budgeted",
    "wb-nn-shared",
    "wb-nn-heads",
    "heads-nn",
    "ts-langevin-nn",
)
_TREES = ("tree-heuristic", "tree-bootstrap-fresh")
_OTHERS = ("glm-ucb", "ts-laplace", "tang")


class Figure2CovType(Figure2):
    """Seven kinds of forest from 54 features."""

    name: ClassVar[str] = "figure2-covtype"
    title: ClassVar[str] = "Figure 2 (a): reward per step on CovType"
    lineup: ClassVar[Lineup] = Lineup(
        "covtype",
        full=(
            *_LINEAR,
            *_WIDTHS,
            *_LOGISTIC,
            "wb-log-gauss-prior",
            *_FAST,
            *_BUDGETED,
            *_OTHERS,
            *SCHEDULES,
        ),
        reduced=dict.fromkeys((*_PAPER, *_NETWORKS, *_TREES), 5000),
    )


class Figure2MNIST(Figure2):
    """Ten digits from 784 pixels.

    Rounds of the costly policies are such that all takes about two hours on two cores.
    """

    name: ClassVar[str] = "figure2-mnist"
    title: ClassVar[str] = "Figure 2 (b): reward per step on MNIST"
    lineup: ClassVar[Lineup] = Lineup(
        "mnist",
        full=("ucb-lin", "eg-log", *_FAST[1:], *_BUDGETED[:-1], *_OTHERS),
        reduced={
            "ts-langevin-nn": 10_000,
            **dict.fromkeys(_LOGISTIC[1:], 10_000),
            **dict.fromkeys(("wb-log-gauss-prior", "wb-log-onestep"), 2000),
            **dict.fromkeys((*SCHEDULES, _TREES[0]), 2000),
            **dict.fromkeys((*_LINEAR[1:], *_WIDTHS), 1000),
            **dict.fromkeys((*_NETWORKS, _TREES[1]), 400),
            **dict.fromkeys(_PAPER, 120),
        },
    )

"""Figure 2: reward per step with contexts, on CovType (C9) and on MNIST (C10), and C12 to C14."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bandstrap.environments import Labelled
from bandstrap.experiments.base import Claim, Experiment, Settings
from bandstrap.experiments.figure2_plot import draw
from bandstrap.experiments.figure2_verdicts import Asked, verdicts
from bandstrap.policies.contextual import CONTEXTUAL, SCHEDULES
from bandstrap.priors import EigenExamples
from bandstrap.simulation import Cell, Runner, Trace
from bandstrap.simulation.batch import recorded_rounds

QUICK = "digits"  # stands in for both data sets in a quick run


@dataclass(frozen=True)
class Lineup:
    """Policies that play all rounds, and those that play fewer as their cost grows too much."""

    full: tuple[str, ...]
    reduced: tuple[str, ...]
    rounds: int  # of the reduced ones

    @property
    def names(self) -> tuple[str, ...]:
        return self.full + self.reduced


class Figure2(Experiment):
    """A data set of several classes, one versus all: 50,000 rounds, 5 runs."""

    known: ClassVar[Collection[str]] = CONTEXTUAL
    dataset: ClassVar[str]
    lineup: ClassVar[Lineup]
    asked: ClassVar[Asked]

    def prepare(self, settings: Settings) -> None:
        assert self._environment(settings).data  # or it says where to put which file

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        environment = self._environment(settings)
        prior = EigenExamples(environment.covariance)
        runs, horizon = settings.size(full=(5, 50_000), quick=(2, 600))
        return runner.run(
            [
                Cell(
                    self.name,
                    environment.name,
                    name,
                    environment,
                    CONTEXTUAL[name](prior),
                    self._rounds(name, horizon, settings),
                    runs,
                )
                for name in settings.chosen(self.known, self.lineup.names)
            ]
        )

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        return verdicts(self.asked, {trace.policy: trace for trace in traces})

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        draw(self.title, traces, path)

    def _environment(self, settings: Settings) -> Labelled:
        return Labelled(QUICK if settings.quick else self.dataset)

    def _rounds(self, name: str, horizon: int, settings: Settings) -> int:
        """All rounds, or as many as fit, up to a round that the others have recorded."""
        if name in self.lineup.full:
            return horizon
        most = settings.exact_horizon or (150 if settings.quick else self.lineup.rounds)
        rounds = recorded_rounds(horizon)
        return int(rounds[rounds <= most][-1])


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
    "ts-langevin-nn",
)
_OTHERS = ("glm-ucb", "ts-laplace", "tang")


class Figure2CovType(Figure2):
    """Seven kinds of forest from 54 features."""

    name: ClassVar[str] = "figure2-covtype"
    title: ClassVar[str] = "Figure 2 (a): reward per step on CovType"
    dataset: ClassVar[str] = "covtype"
    asked: ClassVar[Asked] = Asked("covtype")
    lineup: ClassVar[Lineup] = Lineup(
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
        reduced=(*_PAPER, *_NETWORKS, "tree-bootstrap"),
        rounds=5000,
    )


class Figure2MNIST(Figure2):
    """Ten digits from 784 pixels."""

    name: ClassVar[str] = "figure2-mnist"
    title: ClassVar[str] = "Figure 2 (b): reward per step on MNIST"
    dataset: ClassVar[str] = "mnist"
    asked: ClassVar[Asked] = Asked("mnist")
    lineup: ClassVar[Lineup] = Lineup(
        full=("ucb-lin", "wb-log-grouped", "wb-log-replicas", *_BUDGETED, "tang"),
        reduced=(
            *_LINEAR[1:],
            *_WIDTHS,
            *_LOGISTIC,
            *_PAPER,
            "wb-log-gauss-prior",
            "wb-log-onestep",
            "wb-log-gaussian",
            *_NETWORKS,
            "glm-ucb",
            "ts-laplace",
            "tree-bootstrap",
            *SCHEDULES,
        ),
        rounds=2000,
    )

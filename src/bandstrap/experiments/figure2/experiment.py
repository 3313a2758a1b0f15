"""Figure 2: reward per step with contexts, on CovType (C9) and on MNIST (C10), and C12 to C14."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bandstrap.environments import Labelled
from bandstrap.experiments.base import Claim, Experiment, Settings
from bandstrap.experiments.figure2.claims import verdicts
from bandstrap.experiments.figure2.players import BARE, GAUSSIANS, KNOWN, OPTIMISED, policy_of
from bandstrap.experiments.figure2.plot import draw, panels_of
from bandstrap.experiments.figure2.readings import PLOTTED
from bandstrap.experiments.ranking import Ranking, by_reward
from bandstrap.experiments.stand_in import titled, world_of
from bandstrap.experiments.statements import HORIZON
from bandstrap.policies.registry import SCHEDULES, named
from bandstrap.problem import Problem
from bandstrap.simulation import Cell, Runner, Trace
from bandstrap.simulation.batch import recorded_rounds

QUICK_REDUCED = 60


@dataclass(frozen=True)
class Lineup:
    """Policies that play all rounds of a data set, and costly ones that play fewer.

    A short run has fewer runs and rounds, and the policies of the paper's figure alone.
    """

    dataset: str
    full: tuple[str, ...]
    reduced: Mapping[str, int]
    short: tuple[int, int]

    def environment(self, settings: Settings) -> Labelled:
        return world_of(self.dataset, settings)

    def cells(self, experiment: str, settings: Settings, size: tuple[int, int]) -> list[Cell]:
        """A cell for each policy, of `size` runs and rounds."""
        world, (runs, horizon) = self.environment(settings), size
        every = (*self.full, *self.reduced)
        names = settings.chosen(KNOWN, settings.at(full=every, quick=every, short=tuple(PLOTTED)))
        chosen = {name: policy_of(name, world) for name in names}
        return [
            Cell(experiment, world.name, name, world, policy, rounds, runs)
            for name, policy in {**chosen, **settings.own}.items()
            for rounds in [self._rounds(name, horizon, settings)]
        ]

    def _rounds(self, name: str, horizon: int, settings: Settings) -> int:
        """All rounds, or at least as many as asked for, up to one that the others record too."""
        if name not in self.reduced:
            return horizon
        usual = settings.at(full=self.reduced[name], quick=QUICK_REDUCED, short=horizon)
        most = settings.exact_horizon or usual
        rounds = recorded_rounds(horizon)
        return int(rounds[rounds >= min(most, horizon)][0])


_LINEAR = named(model="linear", variant="")
_WIDTHS = named(model="linear", variant="fixed")
_LOGISTIC = named(model="logistic", variant="")
_PAPER = tuple(OPTIMISED)
_RANDOM = ("wb-log-random-prior", *GAUSSIANS)
_FAST = ("wb-log-onestep", "wb-log-gaussian", "wb-log-grouped", "wb-log-replicas")
_NETWORKS = (*named(model="network", variant=""), "eg-nn-bare")
_BUDGETED = named(variant="budgeted")
_SHARED = ("wb-nn-shared", "wb-nn-heads")
_TREES = (*named(model="tree"), "tree-heuristic-30", "npb-tree-30")
_RIVALS = ("glm-ucb", "ts-laplace", "ts-langevin-nn")
_PLOTTED = (*_LINEAR, *_WIDTHS, *_LOGISTIC, *SCHEDULES, *BARE)
_ENSEMBLES = ("ensemble-nn", "ensemble-log")

# Statements are open until all rounds are played, so whatever the claims need and a day can pay for
# plays them. The rest play as many as show how they begin; `--exact-horizon` gives them more.
COVTYPE = Lineup(
    "covtype",
    full=(*_PLOTTED, *_RANDOM, *_FAST, *_BUDGETED, *_ENSEMBLES),
    reduced={
        **dict.fromkeys((*_SHARED, *_RIVALS), 10_000),
        **dict.fromkeys(_TREES, 5000),
        **dict.fromkeys(_NETWORKS, HORIZON),
        **dict.fromkeys(_PAPER, 2000),
    },
    short=(3, 2500),
)

MNIST = Lineup(
    "mnist",
    full=(*_PLOTTED, "wb-log-gaussian", "wb-log-replicas", *_ENSEMBLES),
    reduced={
        **dict.fromkeys(("wb-log-grouped", *_BUDGETED, *_SHARED, *_RIVALS), 5000),
        **dict.fromkeys((_TREES[0], _TREES[2]), 5000),
        **dict.fromkeys((*_RANDOM, "wb-log-onestep"), 500),
        **dict.fromkeys(_NETWORKS, 20_000),
        **dict.fromkeys((_TREES[1], _TREES[3]), 100),
        **dict.fromkeys(_PAPER, 15),
    },
    short=(3, 400),
)


class Figure2(Experiment):
    """A data set of several classes, one versus all: 50,000 rounds, 5 runs."""

    known: ClassVar[Collection[str]] = KNOWN
    lineup: ClassVar[Lineup]

    def prepare(self, settings: Settings) -> None:
        assert self.lineup.environment(settings).data  # the error says which file to put where

    def problems(self, settings: Settings) -> list[Problem]:
        return [self.lineup.environment(settings).problem]

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        size = settings.runs_and_rounds((5, HORIZON), (2, 300), self.lineup.short)
        return runner.run(self.lineup.cells(self.name, settings, size))

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        found = {trace.policy: trace for trace in traces}
        return verdicts(
            self.lineup.dataset,
            found,
            every=settings.at(False, False, short=settings.policies is None),
        )

    def facts(self, settings: Settings) -> dict[str, Any]:
        return settings.at({}, {}, short={"data": self.lineup.environment(settings).name})

    def titled(self, traces: Sequence[Trace]) -> str:
        return titled(self.title, traces[0].environment, self.lineup.dataset)

    def panels(self, settings: Settings, traces: Sequence[Trace]) -> dict[str, list[Trace]]:
        if settings.policies is not None:
            return {"chosen": list(traces)}
        own = [trace for trace in traces if trace.policy in settings.own]
        others = [trace for trace in traces if trace.policy not in settings.own]
        drawn = [trace for trace in others if trace.policy in PLOTTED]
        return {**({"your own": [*own, *drawn]} if own else {}), **panels_of(others)}

    def rankings(self, settings: Settings, traces: Sequence[Trace]) -> list[Ranking]:
        first = next(iter(self.panels(settings, traces).values()))
        return [by_reward("", first)]

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        draw(self.titled(traces), self.panels(settings, traces), path)


class Figure2CovType(Figure2):
    """Seven kinds of forest from 54 features."""

    name: ClassVar[str] = "figure2-covtype"
    title: ClassVar[str] = "Figure 2 (a): reward per step on CovType"
    lineup: ClassVar[Lineup] = COVTYPE


class Figure2MNIST(Figure2):
    """Ten digits from 784 pixels."""

    name: ClassVar[str] = "figure2-mnist"
    title: ClassVar[str] = "Figure 2 (b): reward per step on MNIST"
    lineup: ClassVar[Lineup] = MNIST

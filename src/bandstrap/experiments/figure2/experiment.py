"""Figure 2: reward per step with contexts, on CovType (C9) and on MNIST (C10), and C12 to C14."""

from collections.abc import Collection
from pathlib import Path
from typing import ClassVar

from bandstrap.experiments.base import Claim, Experiment, Settings
from bandstrap.experiments.figure2.claims import verdicts
from bandstrap.experiments.figure2.lineup import COVTYPE, MNIST, Lineup
from bandstrap.experiments.figure2.players import KNOWN
from bandstrap.experiments.figure2.plot import draw
from bandstrap.experiments.statements import HORIZON
from bandstrap.simulation import Runner, Trace


class Figure2(Experiment):
    """A data set of several classes, one versus all: 50,000 rounds, 5 runs."""

    known: ClassVar[Collection[str]] = KNOWN
    lineup: ClassVar[Lineup]

    def prepare(self, settings: Settings) -> None:
        assert self.lineup.environment(settings).data  # the error says which file to put where

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        size = settings.size(full=(5, HORIZON), quick=(2, 300))
        return runner.run(self.lineup.cells(self.name, settings, size))

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        return verdicts(self.lineup.dataset, {trace.policy: trace for trace in traces})

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        draw(self.title, traces, path)


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

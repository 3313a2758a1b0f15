"""Who plays CovType and MNIST, and for how long: figure 2, and the runs whose rounds are timed."""

from collections.abc import Mapping
from dataclasses import dataclass

from bandstrap.environments import Labelled
from bandstrap.experiments.base import Settings
from bandstrap.experiments.figure2.players import (
    BARE,
    GAUSSIAN,
    GAUSSIANS,
    KNOWN,
    OPTIMISED,
    policy_of,
)
from bandstrap.policies.registry import SCHEDULES, named
from bandstrap.simulation import Cell
from bandstrap.simulation.batch import recorded_rounds

QUICK = "digits"  # replaces every data set in a quick run
QUICK_REDUCED = 60


@dataclass(frozen=True)
class Lineup:
    """Policies that play all rounds of a data set, and costly ones that play fewer."""

    dataset: str
    full: tuple[str, ...]
    reduced: Mapping[str, int]

    def environment(self, settings: Settings) -> Labelled:
        return Labelled(QUICK if settings.quick else self.dataset)

    def cells(self, experiment: str, settings: Settings, size: tuple[int, int]) -> list[Cell]:
        """A cell for each policy, of `size` runs and rounds."""
        environment = self.environment(settings)
        runs, horizon = size
        return [
            Cell(
                experiment,
                environment.name,
                name,
                environment,
                policy_of(name, environment),
                self._rounds(name, horizon, settings),
                runs,
            )
            for name in settings.chosen(KNOWN, (*self.full, *self.reduced))
        ]

    def _rounds(self, name: str, horizon: int, settings: Settings) -> int:
        """All rounds, or fewer, up to one that the other policies record too."""
        if name not in self.reduced:
            return horizon
        usual = QUICK_REDUCED if settings.quick else self.reduced[name]
        most = settings.exact_horizon or usual
        rounds = recorded_rounds(horizon)
        return int(rounds[rounds <= most][-1])


_LINEAR = named(model="linear", variant="")
_WIDTHS = named(model="linear", variant="fixed")
_LOGISTIC = named(model="logistic", variant="")
_PAPER = tuple(OPTIMISED)
_FAST = ("wb-log-onestep", "wb-log-gaussian", "wb-log-grouped", "wb-log-replicas")
_NETWORKS = (*named(model="network", variant=""), "eg-nn-bare")
_BUDGETED = named(variant="budgeted")
_SHARED = ("wb-nn-shared", "wb-nn-heads")
_TREES = (*named(model="tree"), "tree-heuristic-30")
_RIVALS = ("glm-ucb", "ts-laplace", "ts-langevin-nn")
_PLOTTED = (*_LINEAR, *_WIDTHS, *_LOGISTIC, *SCHEDULES, *BARE)
_ENSEMBLES = ("ensemble-nn", "ensemble-log")

# Statements are open until all rounds are played, so whatever the claims need and a day can pay for
# plays them. The rest play as many as show how they begin; `--exact-horizon` gives them more.
COVTYPE = Lineup(
    "covtype",
    full=(*_PLOTTED, GAUSSIAN, *GAUSSIANS, *_FAST, *_BUDGETED, *_ENSEMBLES),
    reduced={
        **dict.fromkeys((*_SHARED, *_RIVALS), 10_000),
        **dict.fromkeys(_TREES, 5000),
        **dict.fromkeys((*_NETWORKS, *_PAPER), 2000),
    },
)

MNIST = Lineup(
    "mnist",
    full=(*_PLOTTED, "wb-log-gaussian", "wb-log-replicas", *_ENSEMBLES),
    reduced={
        **dict.fromkeys(("wb-log-grouped", *_BUDGETED, *_SHARED, *_RIVALS), 5000),
        **dict.fromkeys((_TREES[0], _TREES[2]), 5000),
        **dict.fromkeys((GAUSSIAN, *GAUSSIANS, "wb-log-onestep"), 500),
        **dict.fromkeys((*_NETWORKS, _TREES[1]), 100),
        **dict.fromkeys(_PAPER, 15),
    },
)

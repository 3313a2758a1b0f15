"""Who plays CovType and MNIST, and for how long: figure 2, and the runs whose rounds are timed."""

from collections.abc import Container, Mapping
from dataclasses import dataclass

from bandstrap.environments import Labelled
from bandstrap.experiments.base import Settings
from bandstrap.policies.registry import CONTEXTUAL, SCHEDULES, named
from bandstrap.priors import EigenExamples
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

    def of(self, names: Container[str]) -> "Lineup":
        """These policies alone."""
        full = tuple(name for name in self.full if name in names)
        reduced = {name: most for name, most in self.reduced.items() if name in names}
        return Lineup(self.dataset, full, reduced)

    def environment(self, settings: Settings) -> Labelled:
        return Labelled(QUICK if settings.quick else self.dataset)

    def cells(self, experiment: str, settings: Settings, size: tuple[int, int]) -> list[Cell]:
        """A cell for each policy, of `size` runs and rounds."""
        environment = self.environment(settings)
        prior = EigenExamples(environment.covariance)
        runs, horizon = size
        return [
            Cell(
                experiment,
                environment.name,
                name,
                environment,
                CONTEXTUAL[name](prior),
                self._rounds(name, horizon, settings),
                runs,
            )
            for name in settings.chosen(CONTEXTUAL, (*self.full, *self.reduced))
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
_PAPER = named(variant="paper")
_FAST = ("wb-log-onestep", "wb-log-gaussian", "wb-log-grouped", "wb-log-replicas")
_NETWORKS = named(model="network", variant="")
_BUDGETED = named(variant="budgeted")
_SHARED = ("wb-nn-shared", "wb-nn-heads")
_TREES = named(model="tree")
_RIVALS = ("glm-ucb", "ts-laplace", "ts-langevin-nn")

# Rounds of the costly policies are such that both data sets take about two hours on two cores.
# Where a tenth of the paper's rounds can be played, it is: that is enough to decide. Fewer decide
# nothing, so the rest play few.
_TENTH = 5100  # rounds are recorded at some points only: the last is 5,038
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

"""Which policies play how many rounds of a data set."""

from collections.abc import Container, Mapping
from dataclasses import dataclass

from bandstrap.environments import Labelled
from bandstrap.experiments.base import Settings
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples
from bandstrap.simulation import Cell
from bandstrap.simulation.batch import recorded_rounds

QUICK = "digits"  # stands in for every data set in a quick run
QUICK_REDUCED = 60


@dataclass(frozen=True)
class Lineup:
    """Policies that play all rounds, and those whose rounds cost so much that they play fewer."""

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

    def cells(
        self,
        experiment: str,
        settings: Settings,
        size: tuple[int, int],
        known: Container[str] = CONTEXTUAL,
    ) -> list[Cell]:
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
            for name in settings.chosen(known, (*self.full, *self.reduced))
        ]

    def _rounds(self, name: str, horizon: int, settings: Settings) -> int:
        """All rounds, or as many as fit, up to a round that the others have recorded."""
        if name not in self.reduced:
            return horizon
        usual = QUICK_REDUCED if settings.quick else self.reduced[name]
        most = settings.exact_horizon or usual
        rounds = recorded_rounds(horizon)
        return int(rounds[rounds <= most][-1])

"""Where rewards come from, in many independent runs at once."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.history.compiled import Law
from bandstrap.problem import Problem


class Round(NamedTuple):
    """What a round holds: the contexts that a policy sees, and the truth that regret is told by."""

    contexts: Contexts  # (runs, features)
    means: Array  # (runs, arms), expected rewards
    best: Array  # (runs,), the largest of them


class Environment(ABC):
    """Frozen parameters of a problem. A world, drawn by `start`, is what its runs meet.

    A round is a look, which gives the contexts, and a pull, which gives the rewards. Worlds are of
    plain attributes, so that a run can be saved in the middle. Where there are no contexts all
    rounds look alike and one look is enough.
    """

    contextual: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """What results call it."""
        return type(self).__name__.lower()

    @property
    @abstractmethod
    def problem(self) -> Problem:
        """What a policy is told."""

    @property
    def law(self) -> Law | None:
        """The rewards' distribution as kernels know it, if they do."""
        return None

    @abstractmethod
    def start(self, runs: int, rng: Rng) -> Any:
        """Draw the world of `runs` runs."""

    @abstractmethod
    def look(self, world: Any, played: int) -> Round:
        """The round after `played` others."""

    @abstractmethod
    def pull(self, world: Any, chosen: Array, rng: Rng) -> Array:
        """A reward from the chosen arm of each run, in the round last looked at."""

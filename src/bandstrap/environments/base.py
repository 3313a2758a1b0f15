"""Where rewards come from, in many independent runs at once."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.history.compiled import Law
from bandstrap.printable import lasting
from bandstrap.problem import Problem


class Round(NamedTuple):
    """The contexts that a policy sees in a round, and the truth from which regret is computed."""

    contexts: Contexts  # (runs, features)
    means: Array  # (runs, arms), expected rewards
    best: Array  # (runs,), the largest of them


class Environment(ABC):
    """Frozen parameters of a problem. `start` draws a world, which holds the state of all runs.

    A round is one `look`, which returns the contexts and the truth, and one `pull`, which returns
    the rewards; either may change the world. A world has plain attributes only, so that a run can
    be saved midway. An environment does not change: what does belongs to the world.

    >>> import numpy as np
    >>> from bandstrap.environments import Bernoulli
    >>> environment, rng = Bernoulli(means=(0.0, 1.0)), np.random.default_rng(0)
    >>> world = environment.start(runs=3, rng=rng)
    >>> environment.look(world, played=0).best
    array([1., 1., 1.])
    >>> environment.pull(world, np.array([0, 1, 1]), rng)
    array([0., 1., 1.])
    """

    contextual: ClassVar[bool] = False
    in_kernels: ClassVar[bool] = False  # kernels may draw rewards from `law`
    seeded_as: ClassVar[str] = ""  # what `stream` calls a class that was renamed

    def __init_subclass__(cls, in_kernels: bool = False) -> None:
        super().__init_subclass__()
        cls.in_kernels = in_kernels  # not inherited: who inherits may change a step

    @property
    def name(self) -> str:
        """Its name in results."""
        return type(self).__name__.lower()

    @property
    def stream(self) -> str:
        """The text that seeds its worlds; it stays the same whatever the class is called."""
        name = type(self).__qualname__
        return lasting(repr(self)).replace(name, vars(type(self)).get("seeded_as", name), 1)

    @property
    @abstractmethod
    def problem(self) -> Problem:
        """What a policy may know: arms, features, support."""

    @property
    def law(self) -> Law | None:
        """The rewards' distribution, if kernels can draw from it.

        Where the class says so, `class Own(Environment, in_kernels=True)`, they then call neither
        `look` nor `pull`, and arms stay as `start` drew them.
        """
        return None

    @abstractmethod
    def start(self, runs: int, rng: Rng) -> Any:
        """Draw the world of `runs` runs."""

    @abstractmethod
    def look(self, world: Any, played: int) -> Round:
        """The round that follows `played` others."""

    @abstractmethod
    def pull(self, world: Any, chosen: Array, rng: Rng) -> Array:
        """The reward of each run's chosen arm, in the round last looked at."""


def law_of(environment: Environment) -> Law | None:
    """The law that kernels may play by, of an environment whose class says so.

    >>> from bandstrap.environments import Bernoulli
    >>> class Lucky(Bernoulli):
    ...     def pull(self, world, chosen, rng):
    ...         return super().pull(world, chosen, rng) ** 0
    >>> law_of(Bernoulli()) is None, law_of(Lucky()) is None
    (False, True)
    """
    return environment.law if environment.in_kernels else None

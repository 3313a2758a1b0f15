"""Rewards 0 or 1."""

from dataclasses import dataclass

from bandstrap.environments.stationary import Stationary
from bandstrap.history.compiled import Law
from bandstrap.kernels.rewards import BERNOULLI
from bandstrap.problem import Support


@dataclass(frozen=True)
class Bernoulli(Stationary):
    """1 with probability equal to the arm's mean, else 0."""

    @property
    def support(self) -> Support:
        return Support.binary()

    @property
    def law(self) -> Law | None:
        return Law(BERNOULLI)

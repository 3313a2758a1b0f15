"""How probable each arm was: known exactly, or by the votes of further draws."""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from bandstrap.errors import InvalidInput
from bandstrap.policies.base import Draw


class Chances(NamedTuple):
    """The probability of every arm, and the number of draws it was told by; 0 if it is exact."""

    probabilities: np.ndarray  # (arms,)
    draws: int

    def error(self, arm: int) -> float:
        """The standard error of an arm's probability."""
        share = float(self.probabilities[arm])
        return sqrt(share * (1 - share) / self.draws) if self.draws else 0.0


@dataclass(frozen=True)
class Propensity:
    """How propensities are found, and how small they may be.

    Some policies know the probability of each arm. For the others `draws` draws vote, of which the
    first is the one that decides. Given all of them any was as likely to be the first, so the share
    of votes is the very probability of the arm given the draws: weighting by its inverse is
    unbiased whatever their number, which only sets the variance. (Networks that train as they draw
    change a little from draw to draw; for them this holds nearly.)

    With probability `floor` the arm is any of those allowed, so that none has probability 0.
    """

    draws: int = 32
    floor: float = 0.001

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise InvalidInput("draws", self.draws, "give at least one: the draw that decides")
        if not 0 < self.floor <= 1:
            raise InvalidInput("floor", self.floor, "give a probability above 0, such as 0.001")

    def chances(self, draw: Draw, allowed: np.ndarray) -> Chances:
        """What the chances were when a draw has decided."""
        evenly = self.floor / int(np.count_nonzero(allowed))
        probabilities = (1 - self.floor) * draw.shares + evenly * allowed[0]
        return Chances(probabilities, draw.draws)

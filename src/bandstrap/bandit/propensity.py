"""How probable each arm was: known exactly, or by the votes of further draws."""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import sums_to_one
from bandstrap.validation import is_finite, require_whole

CLOSE = 1e-6  # to 1, of probabilities that were integrated
MOST_DRAWS = 100_000  # more would take a decision seconds


class Chances(NamedTuple):
    """How probable each arm was, worked out when asked for: most people ask for one arm's."""

    shares: Array  # (arms,) how probable each was to win the draw
    allowed: Array | None  # (1, arms); None for all
    floor: float  # the probability of any allowed arm instead
    draws: int  # by which the shares were told; 0 if they are exact

    def of(self, arm: int) -> float:
        """The probability of an allowed arm."""
        return (1 - self.floor) * float(self.shares[arm]) + self._evenly()

    def error(self, arm: int) -> float:
        """The standard error of an arm's probability."""
        share = self.of(arm)
        return sqrt(share * (1 - share) / self.draws) if self.draws else 0.0

    def all(self) -> Array:
        """The probability of every arm."""
        allowed = 1.0 if self.allowed is None else self.allowed[0]
        probabilities: Array = (1 - self.floor) * self.shares + self._evenly() * allowed
        return probabilities

    def _evenly(self) -> float:
        """What the floor adds to each allowed arm."""
        allowed = self.shares.size if self.allowed is None else np.count_nonzero(self.allowed)
        return self.floor / int(allowed)


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
        require_whole(1, draws=self.draws)
        if self.draws > MOST_DRAWS:
            raise InvalidInput("draws", self.draws, f"give at most {MOST_DRAWS:,}")
        if not (is_finite(self.floor) and 0 < self.floor <= 1):
            raise InvalidInput("floor", self.floor, "give a probability above 0, such as 0.001")


def check_draw(scores: Array, shares: Array, arm: int, draws: int) -> None:
    """Refuse a choice by scores that are no numbers; votes always are shares."""
    valued = scores[arm] == scores[arm]
    if not (valued and (draws or sums_to_one(shares, CLOSE))):
        remedy = "scores are not finite: scale contexts and rewards down, or load an earlier save"
        raise InvalidInput("scores", scores.tolist(), remedy)

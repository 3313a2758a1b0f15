"""The probability of each arm: known exactly, or estimated by more draws."""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import sums_to_one
from bandstrap.validation import is_finite, require_whole

TOLERANCE = 1e-6  # of the sum of probabilities found by quadrature
MOST_DRAWS = 100_000  # more would make a decision take seconds


class ChoiceProbabilities(NamedTuple):
    """The probability of each arm, computed when asked for: most users ask for one arm's."""

    by_draw: Array  # (arms,) to win the draw
    allowed: Array | None  # (1, arms); None for all
    floor: float  # the probability that the arm is any of those allowed instead
    draws: int  # that `by_draw` is estimated by; 0 if it is exact

    def of(self, arm: int) -> float:
        """The probability of an allowed arm."""
        return (1 - self.floor) * float(self.by_draw[arm]) + self._evenly()

    def error(self, arm: int) -> float:
        """The standard error of an arm's probability."""
        p = self.of(arm)
        return sqrt(p * (1 - p) / self.draws) if self.draws else 0.0

    def all(self) -> Array:
        """The probability of every arm."""
        allowed = 1.0 if self.allowed is None else self.allowed[0]
        probabilities: Array = (1 - self.floor) * self.by_draw + self._evenly() * allowed
        return probabilities

    def _evenly(self) -> float:
        """What the floor adds to each allowed arm."""
        allowed = self.by_draw.size if self.allowed is None else np.count_nonzero(self.allowed)
        return self.floor / int(allowed)


@dataclass(frozen=True)
class Propensity:
    """How propensities are found, and how small they may be.

    Some policies know the probability of each arm. For the others it is the share of `draws` draws
    that the arm wins, of which the first decides. Given the draws, each was equally likely to be
    the first, so the share is the arm's exact probability given the draws: weighting by its inverse
    is unbiased for any number of draws, which only sets the variance. (Networks that train as they
    draw change a little between draws; for them this holds approximately.)

    With probability `floor` the arm is any of those allowed, so none has probability 0.

    >>> from bandstrap import Bandit, Bootstrap
    >>> bandit = Bandit(Bootstrap(), ["red", "green"], seed=1, propensity=Propensity(draws=8))
    >>> bandit.decide().propensity > 0
    True
    """

    draws: int = 32
    floor: float = 0.001

    def __post_init__(self) -> None:
        require_whole(1, draws=self.draws)
        if self.draws > MOST_DRAWS:
            raise InvalidInput("draws", self.draws, f"give at most {MOST_DRAWS:,}")
        if not (is_finite(self.floor) and 0 < self.floor <= 1):
            raise InvalidInput("floor", self.floor, "give a probability above 0, such as 0.001")


def check_draw(scores: Array, probabilities: Array, arm: int, draws: int) -> None:
    """Refuse a choice by NaN scores; estimated probabilities always add up to 1."""
    score = scores[arm]
    if not (score == score and (draws or sums_to_one(probabilities, TOLERANCE))):
        remedy = "scores are not finite: scale contexts and rewards down, or load an earlier save"
        raise InvalidInput("scores", scores.tolist(), remedy)

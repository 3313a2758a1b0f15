"""How much to explore at random as rounds go by; the first decision is round t = 1."""

from collections.abc import Callable
from dataclasses import dataclass

from bandstrap.errors import InvalidInput
from bandstrap.validation import is_finite, require_number

Schedule = Callable[[int], float]  # t -> epsilon; any function will do


@dataclass(frozen=True)
class Constant:
    """The same epsilon in every round.

    >>> Constant(0.1)(7)
    0.1
    """

    epsilon: float

    def __post_init__(self) -> None:
        require_number(0, 1, epsilon=self.epsilon)

    def __call__(self, t: int) -> float:
        return self.epsilon


@dataclass(frozen=True)
class Decay:
    """c / (c + t): the paper's schedule with c = 50.

    >>> Decay(50)(50)
    0.5
    """

    c: float = 50.0

    def __post_init__(self) -> None:
        if not (is_finite(self.c) and self.c >= 0):
            raise InvalidInput("c", self.c, "give a finite number of rounds, 0 or more")

    def __call__(self, t: int) -> float:
        return self.c / (self.c + t)

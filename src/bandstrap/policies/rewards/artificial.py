"""Artificial histories: rewards made up afresh for every decision."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.policies.bounded import bounded_width
from bandstrap.problem import Support
from bandstrap.validation import require_whole

MOST = 10_000  # rewards


class ArtificialHistory(ABC):
    """Where made-up rewards come from: one method, `rewards`."""

    def check(self, support: Support) -> None:  # noqa: B027 - most have nothing to check
        """Raise InvalidInput if no rewards can be made up for this support."""

    @abstractmethod
    def rewards(self, support: Support, shape: tuple[int, ...], rng: Rng) -> Array:
        """Some rewards of the support for every arm: `shape` and one axis more."""


@dataclass(frozen=True)
class UniformRewards(ArtificialHistory):
    """`count` rewards, uniform on the support."""

    count: int = 2

    def __post_init__(self) -> None:
        require_whole(1, count=self.count)
        if self.count > MOST:
            raise InvalidInput("count", self.count, f"give at most {MOST:,}: each costs a draw")

    def check(self, support: Support) -> None:
        bounded_width(support, self)

    def rewards(self, support: Support, shape: tuple[int, ...], rng: Rng) -> Array:
        if support.values is None:
            return rng.uniform(support.low, support.high, (*shape, self.count))
        return rng.choice(np.array(support.values), (*shape, self.count))

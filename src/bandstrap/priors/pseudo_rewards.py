"""Pseudo-rewards: what an arm is assumed to have paid before it was ever pulled."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from bandstrap.errors import InvalidInput
from bandstrap.problem import Support
from bandstrap.validation import LARGEST

# Smaller counts have no weight in almost every draw, which is then repeated until something has;
# larger ones would never be outweighed by rewards.
LEAST, MOST = 1e-4, 1e9


class Prior(ABC):
    """Values and counts that every arm's history starts with.

    >>> class Hopeful(Prior):
    ...     def atoms(self, support):
    ...         return (support.high,), (1.0,)
    >>> Hopeful().atoms(Support.interval(0, 5))
    ((5.0,), (1.0,))
    """

    @abstractmethod
    def atoms(self, support: Support) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The pseudo-rewards' values, ascending, and how often each counts."""


@dataclass(frozen=True)
class PseudoRewards(Prior):
    """`ones` pseudo-rewards at the upper end of the support and `zeros` at the lower.

    The paper's pseudo-counts (α₀, β₀) are PseudoRewards(α₀, β₀). Counts may be any
    real from 10⁻⁴ to 10⁹, or 0, where the resampling scheme can weigh a fraction of a reward.

    >>> PseudoRewards(ones=2, zeros=1).atoms(Support.interval(-1, 5))
    ((-1.0, 5.0), (1.0, 2.0))
    """

    ones: float = 1.0
    zeros: float = 1.0

    def __post_init__(self) -> None:
        for name, count in (("ones", self.ones), ("zeros", self.zeros)):
            if not (count == 0 or LEAST <= count <= MOST):
                raise InvalidInput(name, count, f"give 0, or a count from {LEAST:g} to {MOST:g}")

    def atoms(self, support: Support) -> tuple[tuple[float, ...], tuple[float, ...]]:
        if self.ones == self.zeros == 0:
            return (), ()
        if not np.isfinite(support.high - support.low):
            where = "say where pseudo-rewards lie with PseudoRewardsAt(values, counts)"
            remedy = f"the rewards' support has no ends; {where}, or use PseudoRewards(0, 0)"
            raise InvalidInput("prior", self, remedy)
        return (support.low, support.high), (float(self.zeros), float(self.ones))


@dataclass(frozen=True)
class PseudoRewardsAt(Prior):
    """Pseudo-rewards at any values, each with its count.

    >>> PseudoRewardsAt(values=(9.5, 0.5), counts=(1, 3)).atoms(Support.real())
    ((0.5, 9.5), (3.0, 1.0))
    """

    values: tuple[float, ...]
    counts: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.values) != len(self.counts) or len(set(self.values)) != len(self.values):
            raise InvalidInput("values", self.values, "give different values and a count for each")
        if not all(abs(value) <= LARGEST for value in self.values):
            raise InvalidInput("values", self.values, f"give values up to {LARGEST:g}")
        if not all(count == 0 or LEAST <= count <= MOST for count in self.counts):
            remedy = f"give counts that are 0, or from {LEAST:g} to {MOST:g}"
            raise InvalidInput("counts", self.counts, remedy)

    def atoms(self, support: Support) -> tuple[tuple[float, ...], tuple[float, ...]]:
        pairs = sorted(zip(map(float, self.values), map(float, self.counts), strict=True))
        return tuple(value for value, _ in pairs), tuple(count for _, count in pairs)
